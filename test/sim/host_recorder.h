// What gpustall would have recorded of the training process: rows of a RecordingBuilder. Without a
// builder it does nothing.
#pragma once
#include "test/builder/recording_builder.h"
#include "test/sim/program.h"

namespace gpustall::test::sim {

struct Interval {
  double start, end;  // us
};

class HostRecorder {
 public:
  HostRecorder(RecordingBuilder* builder, double sample_every);
  ThreadIndex main() const { return main_; }

  void begin_step() { line_ = 10; }
  void launch(Interval call, Interval run, const Op& op);
  void host(Interval at, const Op& op);
  void free(Interval call, const Op& op);
  void allocate_again(Interval call);
  void item_copy(Interval call, Interval run, const Op& op);
  void synchronise(Interval call, const Op& op);
  void upload(Interval call, Interval run, const Op& op, uint8_t memory);
  void event_call(std::string_view name, Interval call, const Op& op);
  // The other thread goes on; it has waited since.
  void hand_over(int thread, double since, double now);

 private:
  ThreadIndex current() const { return thread_ == 0 ? main_ : autograd_; }
  std::string stack(const Op& op) const;
  void sample(Interval at, const std::string& stack);

  RecordingBuilder* b_;
  double sample_every_, next_sample_ = 0;
  ThreadIndex main_{}, autograd_{};
  QueueIndex queue_[3]{};
  int thread_ = 0, line_ = 10;
  uint64_t correlation_ = 0;
};

}  // namespace gpustall::test::sim
