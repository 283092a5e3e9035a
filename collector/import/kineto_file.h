// One torch.profiler file (one rank) on its way into a Recording: interprets the rows as they come
// and settles at the end what only the whole file tells: the base of its times, which process each
// device row belongs to, which rows cannot be true.
#pragma once
#include <unordered_map>

#include "collector/import/kineto_event.h"
#include "collector/import/kineto_frames.h"
#include "collector/import/kineto_rows.h"
#include "collector/import/kineto_words.h"
#include "collector/import/own_export.h"

namespace gpustall::collect {

class KinetoFile : public KinetoSink {
 public:
  struct Counts {
    uint64_t operators = 0, functions = 0, calls = 0, activities = 0, syncs = 0, call_stacks = 0;
    uint64_t untimed = 0;             // rows of the host without a usable time
    uint64_t untimed_activities = 0;  // and of the device
  };

  KinetoFile(Recording& recording, Tables& tables, KinetoFrames& frames, KinetoRows& rows,
             std::string source)
      : r_(recording),
        tables_(tables),
        frames_(frames),
        rows_(rows),
        source_(std::move(source)),
        own_(tables) {}

  void before_events(const KinetoHeader& header) override;
  void stack_frame(const KinetoStackFrame& frame) override { own_.stack_frame(frame); }
  void event(const KinetoEvent& event) override;
  // After the last event. Nothing of the file is in the Recording before.
  void finish(const KinetoHeader& header);
  const Counts& counts() const { return counts_; }
  OwnExport& own_export() { return own_; }

 private:
  struct Times {
    TraceTime start = 0, end = 0;
  };
  struct Activity {
    ActivityKind kind{};
    CopyKinds copy;
    uint32_t queue = 0;    // into queues_
    uint32_t process = 0;  // pid, where the row says it; else 0
    Times at;
    uint64_t correlation = 0, bytes = 0;
    StringId name{};
  };
  struct Call {
    ThreadIndex thread{};
    trace::Call call{};
    StringId name{};
    uint32_t stream = 0;
    uint64_t correlation = 0;
    Times at;
  };
  struct Queue {
    uint32_t device = 0, context = 0, stream = 0;
  };
  struct CallName {
    trace::Call call{};
    StringId name{};
  };

  bool times(const KinetoEvent& e, Times& out) const;
  ThreadIndex thread(const KinetoEvent& e);
  StringId name(std::string_view raw);
  CallName call_name(std::string_view raw);
  uint32_t queue(const KinetoEvent& e);
  void activity(KinetoRow row, const KinetoEvent& e, Times at);
  void call(const KinetoEvent& e, Times at);
  void range(KinetoRow row, const KinetoEvent& e, Times at);
  void function(const KinetoEvent& e, Times at);

  void drop_outliers();
  void settle_times(int64_t base_ns);
  void describe_processes(const KinetoHeader& header);
  std::vector<DeviceIndex> add_devices(const KinetoHeader& header);
  void add_activities(const KinetoHeader& header);
  void add_calls();

  Recording& r_;
  Tables& tables_;
  KinetoFrames& frames_;
  KinetoRows& rows_;
  std::string source_;
  Counts counts_;
  OwnExport own_;

  std::vector<Activity> activities_;
  std::vector<Call> calls_;
  std::vector<KinetoRange> ranges_;
  std::vector<KinetoFunction> functions_;
  std::vector<Overhead> overheads_;
  std::vector<Queue> queues_;
  std::unordered_map<uint64_t, uint32_t> queue_of_;
  std::unordered_map<uint32_t, ProcessIndex> process_of_;  // by pid
  std::vector<ProcessIndex> processes_;
  ByText<StringId> names_;
  ByText<CallName> call_names_;
  std::string last_pid_, last_tid_;
  ThreadIndex last_thread_ = kNone<ThreadIndex>;
};

}  // namespace gpustall::collect
