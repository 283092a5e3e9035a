// The simulated DataLoader: worker processes that take turns, prefetch a bounded number of batches,
// and hand them over in order, through a pin thread or straight to the main thread.
#pragma once
#include <queue>
#include <set>
#include <vector>

#include "test/builder/recording_builder.h"
#include "test/sim/program.h"

namespace gpustall::test::sim {

class LoaderSim {
 public:
  // `recorder` may be null: only the times are wanted. `first` batches may be asked for at once.
  LoaderSim(const Loader& loader, const std::set<char>& removed, double sample_every,
            RecordingBuilder* recorder);

  void start(ThreadIndex main);
  double next(double now);  // when the main thread has the next batch
  // All batches were handed out: the workers' last waits are recorded.
  void finish(double now);

 private:
  struct Batch {
    double ready = 0;
    int number = 0;
    bool operator<(const Batch& other) const { return ready > other.ready; }  // for a min-heap
  };
  void ask(double now);  // sends the index of one more batch
  void take_over(const Batch& batch);
  double varied(int batch) const;
  void record_work(int worker, double idle_from, double from, double decode_from, double ready);

  const Loader& loader_;
  RecordingBuilder* b_;
  double read_us_, decode_us_, sample_every_;
  int asked_ = 0, taken_ = 0;
  std::vector<double> free_;  // by worker
  std::priority_queue<Batch> under_way_;
  std::vector<double> at_main_;  // by batch; < 0: not there
  double pin_free_ = 0;
  ThreadIndex main_{}, pin_{};
  std::vector<ThreadIndex> worker_;
  std::vector<double> next_sample_;
};

}  // namespace gpustall::test::sim
