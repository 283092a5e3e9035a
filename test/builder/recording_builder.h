// Builds a collect::Recording for the tests of the analysis, without a trace file. Fluent calls
// here; the same as text in recording_text.h. Wrong use throws std::invalid_argument with the
// reason: a test that says nonsense must fail loudly.
//
//   RecordingBuilder b;
//   const auto main = b.thread("main");
//   const auto gpu = b.queue(0, 7);
//   b.call(main, "cudaLaunchKernel", {10'000, 12'000}, {.correlation = 1,
//          .stack = "train.py:10 main; model.py:3 forward"});   // outermost first
//   b.kernel(gpu, "gemm", {20'000, 90'000}, 1);
//   const collect::Recording recording = b.build();             // sorted as recording.h demands
//
// Host and device clock are the same unless device_clock() is given readings.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collector/recording.h"

namespace gpustall::test {

using namespace collect;  // NOLINT: the tests speak the collector's language

struct Span {
  TraceTime start = 0, end = 0;
};

struct CallFields {
  uint64_t correlation = 0;
  std::string_view stack = {};         // "file:line function; file:line function", outermost first
  std::string_view native_stack = {};  // "symbol; symbol", innermost first
  uint32_t stream = 0;
  uint64_t object = 0, bytes = 0;
  uint8_t copy_kind = 0;
  int32_t result = 0;
  std::string_view name = {};
};

struct WaitFields {
  ObjectId object = kNone<ObjectId>;
  std::string_view stack = {}, native_stack = {};
  ThreadIndex waker = kNone<ThreadIndex>;
  TraceTime waker_time = 0;
  int64_t result = 0;
};

struct CopyFields {
  uint64_t bytes = 0;
  uint8_t kind = kHostToDevice, src = kPageable, dst = kDeviceMemory;
};

struct SampleFields {
  trace::ThreadRunState state = trace::ThreadRunState::Unknown;
  uint64_t cpu_ns = 0, runnable_ns = 0, major_faults = 0, minor_faults = 0, system_ns = 0;
  uint8_t flags = 0;  // trace::SampleFlag
};

class RecordingBuilder {
 public:
  // Later threads, queues belong to the process named last; without any there is one trainer, 100.
  Process& process(uint32_t pid, trace::Role role = trace::Role::Trainer);
  Process& current_process() { return recording_.processes[raw(ensure_process())]; }
  // The device with this ordinal; made on first use.
  Device& device(uint32_t ordinal);
  // The queue of the current process; made on first use.
  QueueIndex queue(uint32_t device_ordinal, uint32_t stream, uint32_t context = 1);
  // The thread of this name in the current process; made on first use. tids count up from the pid.
  ThreadIndex thread(std::string_view name);
  Thread& thread_at(ThreadIndex index) { return recording_.threads[raw(index)]; }
  void device_clock(TraceTime device_ns, TraceTime host_ns, int64_t error_ns = 0);

  StringId text(std::string_view text);
  StackId stack(std::string_view frames);
  NativeStackId native_stack(std::string_view symbols);
  ObjectId object(trace::ObjectKind kind, std::string_view path, uint64_t identity = 0);

  // `name`: of calls.def and waits.def, either spelling ("LaunchKernel", "cudaLaunchKernel").
  void call(ThreadIndex thread, std::string_view name, Span at, const CallFields& fields = {});
  void wait(ThreadIndex thread, std::string_view name, Span at, const WaitFields& fields = {});
  void range(ThreadIndex thread, std::string_view name, Span at, RangeKind kind = RangeKind::Nvtx,
             std::string_view domain = {});
  void sample(ThreadIndex thread, TraceTime at, std::string_view stack,
              const SampleFields& fields = {});

  void kernel(QueueIndex queue, std::string_view name, Span at, uint64_t correlation = 0);
  void memcpy(QueueIndex queue, Span at, uint64_t correlation, const CopyFields& fields);
  void memset(QueueIndex queue, Span at, uint64_t correlation = 0, uint64_t bytes = 0);
  void graph(QueueIndex queue, Span at, uint64_t correlation = 0);
  // The usual pair: the call on the thread and its kernel, joined by a correlation of their own.
  void launch(ThreadIndex thread, Span call, QueueIndex queue, std::string_view kernel, Span run,
              std::string_view stack = {});

  // For what has no verb of its own: overheads, unobserved, losses.
  Recording& recording() { return recording_; }
  Recording build() const;

 private:
  ProcessIndex ensure_process();
  void activity(ActivityKind kind, QueueIndex queue, std::string_view name, Span at,
                uint64_t correlation, const CopyFields& copy);
  FrameId frame(std::string_view text);

  Recording recording_;
  ProcessIndex process_ = kNone<ProcessIndex>;
  uint64_t next_correlation_ = 1'000'000;  // of launch(); explicit ones stay below
  std::unordered_map<std::string, StringId> strings_;
  std::map<std::string, FrameId, std::less<>> frames_;
  std::map<std::pair<uint32_t, uint32_t>, StackId> stacks_;  // (parent, frame)
  std::map<std::string, NativeStackId, std::less<>> native_stacks_;
};

// Lookups by name, for the builders and for tests; throw on an unknown name.
trace::Call call_named(std::string_view name);
trace::WaitId wait_named(std::string_view name);

}  // namespace gpustall::test
