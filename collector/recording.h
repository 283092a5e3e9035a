// What was recorded, decoded: the only input of the analysis. Filled by the trace reader, by the
// importers and by the builders of the tests. Structure of arrays; integer nanoseconds from end to
// end.
//
// Clocks. Host times (calls, waits, ranges, samples) are nanoseconds of one host clock,
// CLOCK_MONOTONIC where gpustall recorded. Activity times stay in the device's own clock, exactly
// as recorded: busy and idle are computed there, before any mapping. Process::device_clock maps a
// device time to the host clock.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/ids.h"
#include "libinterpose/trace/format.h"
#include "libinterpose/trace/names.h"

namespace gpustall::collect {

enum class Basis : uint8_t { Recorded, Simulated, Kineto, Nsys };

// Piecewise linear; one point is a constant offset, none is the identity (importers: one clock for
// all).
struct DeviceClock {
  std::vector<TraceTime> device_ns, host_ns;  // ascending, same length
  int64_t error_ns = 0;                       // largest known reading error
  TraceTime to_host(TraceTime device_time) const;
};

struct Process {
  uint32_t pid = 0, parent_pid = 0;
  uint32_t epoch = 0;
  int32_t rank = -1;
  std::string host;
  trace::Role role = trace::Role::Unknown;
  uint32_t python_version = 0;  // PY_VERSION_HEX, 0: none
  bool clean_end = false;       // by exit or exec; false: killed, or still running: the end is cut
  bool cap_reached = false;
  bool forked = false;
  TraceTime first_ns = 0, last_ns = 0;  // host clock: first and last thing recorded
  DeviceClock device_clock;
  std::map<std::string, std::string> info;  // argv, script, cwd, torch, env.*, cores, affinity, ...
  std::string source;                       // the file that it was read from
};

struct Thread {
  ProcessIndex process{};
  uint32_t tid = 0;
  StringId name{};
  TraceTime start_ns = 0;  // 0: not seen
  ThreadIndex creator = kNone<ThreadIndex>;
  StackId creator_stack = kNone<StackId>;
};

// What NVML told of the card of a device; kUntold is not zero.
inline constexpr int64_t kUntold = -1;
struct CardLimits {
  int64_t sm_mhz = kUntold, memory_mhz = kUntold, power_mw = kUntold;
  int64_t link_generation = kUntold, link_width = kUntold;  // PCIe
};

// A device is (host, UUID); without a UUID (host, ordinal). Two processes on one device share the
// entry.
struct Device {
  std::string host, name, uuid;
  uint32_t ordinal = 0;
  uint32_t multiprocessors = 0, capability = 0;
  uint64_t memory_bytes = 0;
  bool simulated = false;
  CardLimits card;
};

// The card at one moment, about once a second.
struct CardState {
  ProcessIndex process{};  // that asked
  DeviceIndex device{};
  TraceTime time = 0;  // host clock
  int64_t sm_mhz = kUntold, memory_mhz = kUntold, power_mw = kUntold, temperature_c = kUntold;
  int64_t throttle = kUntold;  // NVML's bits of clock throttle reasons
  int64_t link_generation = kUntold, link_width = kUntold;
  int64_t busy_pct = kUntold, processes = kUntold;  // of everybody's work
};

struct Queue {
  ProcessIndex process{};
  DeviceIndex device{};
  uint32_t context = 0, stream = 0;
};

struct Frame {
  StringId file{}, function{};
  int32_t line = 0;
};

struct StackNode {
  StackId parent = kNone<StackId>;
  FrameId frame{};
};

struct Object {
  trace::ObjectKind kind = trace::ObjectKind::Unknown;
  uint64_t identity = 0;  // address, or inode
  StringId path{};
};

enum class ActivityKind : uint8_t { Kernel, Memcpy, Memset, Graph };
// CUPTI's numbers (CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind).
enum CopyKind : uint8_t {
  kCopyUnknown = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 8,
  kPeerToPeer = 10
};
enum MemoryKind : uint8_t {
  kMemoryUnknown = 0,
  kPageable = 1,
  kPinned = 2,
  kDeviceMemory = 3,
  kManaged = 5
};

// Sorted by (device of queue, start, end).
struct Activities {
  std::vector<ActivityKind> kind;
  std::vector<QueueIndex> queue;
  std::vector<TraceTime> start, end;  // device clock
  std::vector<uint64_t>
      correlation;  // unique per process only; 0: none. 1:n (a graph launch without GRAPH_TRACE)
  std::vector<StringId> name;
  std::vector<uint64_t> bytes;
  std::vector<uint8_t> copy_kind, src_kind, dst_kind;
  size_t size() const { return kind.size(); }
};

// CUDA API calls, sorted by (thread, start).
struct Calls {
  std::vector<ThreadIndex> thread;
  std::vector<trace::Call> call;
  std::vector<TraceTime> start, end;  // host clock
  std::vector<uint64_t> correlation;
  std::vector<StackId> stack;
  std::vector<NativeStackId> native_stack;
  std::vector<uint32_t> stream;  // CUPTI stream id, 0: unknown or all
  std::vector<uint64_t> object;  // event, graph
  std::vector<uint64_t> bytes;
  std::vector<uint8_t> copy_kind;
  std::vector<int32_t> result;
  std::vector<StringId> name;  // only where Call::CallOther says too little (importers); else 0
  size_t size() const { return thread.size(); }
};

// Waits in libc, sorted by (thread, start).
struct Waits {
  std::vector<ThreadIndex> thread;
  std::vector<trace::WaitId> wait;
  std::vector<TraceTime> start, end;
  std::vector<ObjectId> object;
  std::vector<int64_t> result;
  std::vector<StackId> stack;
  std::vector<NativeStackId> native_stack;
  std::vector<ThreadIndex> waker;     // kNone: unknown
  std::vector<TraceTime> waker_time;  // host clock
  size_t size() const { return thread.size(); }
};

enum class RangeKind : uint8_t { Nvtx, CpuOp, UserAnnotation, Gc, Other };

// Named intervals of a thread: NVTX, and what importers know (aten ops, annotations). Sorted by
// (thread, start).
struct Ranges {
  std::vector<ThreadIndex> thread;
  std::vector<RangeKind> kind;
  std::vector<TraceTime> start, end;
  std::vector<StringId> domain, name;
  size_t size() const { return thread.size(); }
};

// Stacks seen by the sampler (or python_function rows of importers), sorted by (thread, time).
struct Samples {
  std::vector<ThreadIndex> thread;
  std::vector<TraceTime> time;
  std::vector<StackId> stack;
  std::vector<trace::ThreadRunState> state;
  // Cumulative per thread; 0 with state Unknown. system_ns: CPU time in the kernel, in coarse
  // ticks.
  std::vector<uint64_t> cpu_ns, runnable_ns, major_faults, minor_faults, system_ns;
  std::vector<uint8_t> flags;  // trace::SampleFlag: held the GIL, a collection ran
  size_t size() const { return thread.size(); }
};

// What the helper thread read from time to time, by name; sorted by (process, time).
struct Counters {
  std::vector<ProcessIndex> process;
  std::vector<TraceTime> time;
  std::vector<StringId> key;  // e.g. trace::kThrottledCounter
  std::vector<int64_t> value;
  size_t size() const { return process.size(); }
};

// CUPTI OVERHEAD and the profiler's own costs: host clock.
enum class OverheadKind : uint8_t {
  Unknown,
  DriverCompiler,
  BufferFlush,
  Instrumentation,
  Resource,
  ModuleLoad,
  LazyFunctionLoad,
  CommandBufferFull,
  BufferRequest
};
struct Overhead {
  ProcessIndex process{};
  ThreadIndex thread = kNone<ThreadIndex>;
  OverheadKind kind{};
  TraceTime start = 0, end = 0;
  uint64_t correlation = 0;
};

struct Unobserved {  // "device not observed from .. to ..": the program used CUPTI itself, window
                     // closed, ...
  ProcessIndex process{};
  trace::NoticeKind what{};
  TraceTime start = 0, end = 0;  // host clock
  std::string text;
};

struct Loss {
  ProcessIndex process{};
  trace::LossKind kind{};
  uint64_t count = 0;
};

struct Fork {
  ThreadIndex thread{};
  TraceTime start = 0, end = 0;
  uint32_t child_pid = 0;
  StackId stack = kNone<StackId>;
};

struct Analysis;  // analysis.h

struct Recording {
  Basis basis = Basis::Recorded;
  std::string name;  // directory or file, as the user named it
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Queue> queues;
  std::vector<std::string> strings{""};              // by StringId
  std::vector<Frame> frames;                         // by FrameId
  std::vector<StackNode> stacks;                     // by StackId; parents come before children
  std::vector<std::vector<StringId>> native_stacks;  // symbol names, innermost first
  std::vector<Object> objects;

  Activities activities;
  Calls calls;
  Waits waits;
  Ranges ranges;
  Samples samples;
  Counters counters;
  std::vector<Overhead> overheads;
  std::vector<Fork> forks;
  std::vector<CardState> card_states;  // sorted by (device, time)
  std::vector<Unobserved> unobserved;
  std::vector<Loss> losses;
  std::vector<std::string>
      not_observed;  // sources that are missing: "worker stacks", "scheduler states", ...
  std::vector<std::string> damage;  // one sentence per damaged place; analysis went on
  bool lines_are_defs =
      false;  // frames have the line of their function's def, not the one that ran
  uint64_t own_overhead_ns = 0;  // time spent in our hooks, all threads
  // An export of gpustall that was read back states its causes and steps; analyze() takes them.
  std::shared_ptr<const Analysis> stated;

  std::string_view text(StringId id) const { return strings[raw(id)]; }
  DeviceIndex device_of(size_t activity) const {
    return queues[raw(activities.queue[activity])].device;
  }
};

}  // namespace gpustall::collect
