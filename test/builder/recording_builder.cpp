// RecordingBuilder: tables, dictionaries and event rows.
#include "test/builder/recording_builder.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "collector/sort.h"
#include "test/builder/words.h"

namespace gpustall::test {
namespace {

void check_span(Span at) {
  if (at.end < at.start) throw std::invalid_argument("an interval ends before it starts");
}

}  // namespace

Process& RecordingBuilder::process(uint32_t pid, trace::Role role) {
  auto& all = recording_.processes;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Process& p) { return p.pid == pid; });
  process_ = ProcessIndex(static_cast<uint32_t>(found - all.begin()));
  if (found != all.end()) return *found;
  Process& made = all.emplace_back();
  made.pid = pid;
  made.role = role;
  made.host = "host";
  made.clean_end = true;
  made.python_version = 0x030b0200;
  return made;
}

ProcessIndex RecordingBuilder::ensure_process() {
  if (process_ == kNone<ProcessIndex>) process(100);
  return process_;
}

Device& RecordingBuilder::device(uint32_t ordinal) {
  for (Device& d : recording_.devices)
    if (d.ordinal == ordinal) return d;
  Device& made = recording_.devices.emplace_back();
  made.host = "host";
  made.name = "Test GPU";
  made.uuid = "GPU-" + std::to_string(ordinal);
  made.ordinal = ordinal;
  made.multiprocessors = 100;
  return made;
}

QueueIndex RecordingBuilder::queue(uint32_t ordinal, uint32_t stream, uint32_t context) {
  const ProcessIndex process = ensure_process();
  const auto device_index =
      DeviceIndex(static_cast<uint32_t>(&device(ordinal) - recording_.devices.data()));
  auto& all = recording_.queues;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].process == process && all[i].device == device_index && all[i].stream == stream &&
        all[i].context == context)
      return QueueIndex(static_cast<uint32_t>(i));
  all.push_back({process, device_index, context, stream});
  return QueueIndex(static_cast<uint32_t>(all.size() - 1));
}

ThreadIndex RecordingBuilder::thread(std::string_view name) {
  const ProcessIndex process = ensure_process();
  uint32_t tid = recording_.processes[raw(process)].pid;
  for (size_t i = 0; i < recording_.threads.size(); ++i) {
    const Thread& t = recording_.threads[i];
    if (t.process != process) continue;
    if (recording_.text(t.name) == name) return ThreadIndex(static_cast<uint32_t>(i));
    ++tid;
  }
  Thread made;
  made.process = process;
  made.tid = tid;
  made.name = text(name);
  recording_.threads.push_back(made);
  return ThreadIndex(static_cast<uint32_t>(recording_.threads.size() - 1));
}

void RecordingBuilder::device_clock(TraceTime device_ns, TraceTime host_ns, int64_t error_ns) {
  DeviceClock& clock = current_process().device_clock;
  if (!clock.device_ns.empty() && device_ns <= clock.device_ns.back())
    throw std::invalid_argument("clock readings must ascend");
  clock.device_ns.push_back(device_ns);
  clock.host_ns.push_back(host_ns);
  clock.error_ns = std::max(clock.error_ns, error_ns);
}

StringId RecordingBuilder::text(std::string_view value) {
  if (value.empty()) return StringId(0);
  const auto [at, made] = strings_.try_emplace(
      std::string(value), StringId(static_cast<uint32_t>(recording_.strings.size())));
  if (made) recording_.strings.emplace_back(value);
  return at->second;
}

FrameId RecordingBuilder::frame(std::string_view value) {
  if (const auto found = frames_.find(value); found != frames_.end()) return found->second;
  const size_t space = value.find(' ');  // "file:line function"
  const std::string_view place = value.substr(0, space);
  const size_t colon = place.rfind(':');
  Frame made;
  if (colon == std::string_view::npos || space == std::string_view::npos ||
      std::from_chars(place.data() + colon + 1, place.data() + place.size(), made.line).ec !=
          std::errc())
    throw std::invalid_argument("not a frame 'file:line function': '" + std::string(value) + "'");
  made.file = text(place.substr(0, colon));
  made.function = text(trimmed(value.substr(space)));
  recording_.frames.push_back(made);
  const auto id = FrameId(static_cast<uint32_t>(recording_.frames.size() - 1));
  frames_.emplace(value, id);
  return id;
}

StackId RecordingBuilder::stack(std::string_view frames) {
  StackId node = kNone<StackId>;
  for (std::string_view part : split(frames, ';')) {
    const FrameId id = frame(part);
    const auto [at, made] = stacks_.try_emplace(
        {raw(node), raw(id)}, StackId(static_cast<uint32_t>(recording_.stacks.size())));
    if (made) recording_.stacks.push_back({node, id});
    node = at->second;
  }
  return node;
}

NativeStackId RecordingBuilder::native_stack(std::string_view symbols) {
  if (symbols.empty()) return kNone<NativeStackId>;
  if (const auto found = native_stacks_.find(symbols); found != native_stacks_.end())
    return found->second;
  std::vector<StringId> names;
  for (std::string_view symbol : split(symbols, ';')) names.push_back(text(symbol));
  recording_.native_stacks.push_back(std::move(names));
  const auto id = NativeStackId(static_cast<uint32_t>(recording_.native_stacks.size() - 1));
  native_stacks_.emplace(symbols, id);
  return id;
}

ObjectId RecordingBuilder::object(trace::ObjectKind kind, std::string_view path,
                                  uint64_t identity) {
  const StringId name = text(path);
  auto& all = recording_.objects;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].kind == kind && all[i].path == name && all[i].identity == identity)
      return ObjectId(static_cast<uint32_t>(i));
  all.push_back({kind, identity, name});
  return ObjectId(static_cast<uint32_t>(all.size() - 1));
}

void RecordingBuilder::call(ThreadIndex thread, std::string_view name, Span at,
                            const CallFields& f) {
  check_span(at);
  Calls& t = recording_.calls;
  t.thread.push_back(thread);
  t.call.push_back(call_named(name));
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.correlation.push_back(f.correlation);
  t.stack.push_back(stack(f.stack));
  t.native_stack.push_back(native_stack(f.native_stack));
  t.stream.push_back(f.stream);
  t.object.push_back(f.object);
  t.bytes.push_back(f.bytes);
  t.copy_kind.push_back(f.copy_kind);
  t.result.push_back(f.result);
  t.name.push_back(text(f.name));
}

void RecordingBuilder::wait(ThreadIndex thread, std::string_view name, Span at,
                            const WaitFields& f) {
  check_span(at);
  Waits& t = recording_.waits;
  t.thread.push_back(thread);
  t.wait.push_back(wait_named(name));
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.object.push_back(f.object);
  t.result.push_back(f.result);
  t.stack.push_back(stack(f.stack));
  t.native_stack.push_back(native_stack(f.native_stack));
  t.waker.push_back(f.waker);
  t.waker_time.push_back(f.waker_time);
}

void RecordingBuilder::range(ThreadIndex thread, std::string_view name, Span at, RangeKind kind,
                             std::string_view domain) {
  check_span(at);
  Ranges& t = recording_.ranges;
  t.thread.push_back(thread);
  t.kind.push_back(kind);
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.domain.push_back(text(domain));
  t.name.push_back(text(name));
}

void RecordingBuilder::sample(ThreadIndex thread, TraceTime at, std::string_view frames,
                              const SampleFields& f) {
  Samples& t = recording_.samples;
  t.thread.push_back(thread);
  t.time.push_back(at);
  t.stack.push_back(stack(frames));
  t.state.push_back(f.state);
  t.cpu_ns.push_back(f.cpu_ns);
  t.runnable_ns.push_back(f.runnable_ns);
  t.major_faults.push_back(f.major_faults);
  t.flags.push_back(f.flags);
  t.minor_faults.push_back(f.minor_faults);
  t.system_ns.push_back(f.system_ns);
}

void RecordingBuilder::activity(ActivityKind kind, QueueIndex queue, std::string_view name, Span at,
                                uint64_t correlation, const CopyFields& copy) {
  check_span(at);
  Activities& t = recording_.activities;
  t.kind.push_back(kind);
  t.queue.push_back(queue);
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.correlation.push_back(correlation);
  t.name.push_back(text(name));
  t.bytes.push_back(copy.bytes);
  t.copy_kind.push_back(copy.kind);
  t.src_kind.push_back(copy.src);
  t.dst_kind.push_back(copy.dst);
}

void RecordingBuilder::kernel(QueueIndex queue, std::string_view name, Span at,
                              uint64_t correlation) {
  activity(ActivityKind::Kernel, queue, name, at, correlation, {0, 0, 0, 0});
}

void RecordingBuilder::memcpy(QueueIndex queue, Span at, uint64_t correlation,
                              const CopyFields& fields) {
  activity(ActivityKind::Memcpy, queue, {}, at, correlation, fields);
}

void RecordingBuilder::memset(QueueIndex queue, Span at, uint64_t correlation, uint64_t bytes) {
  activity(ActivityKind::Memset, queue, {}, at, correlation, {bytes, 0, 0, 0});
}

void RecordingBuilder::graph(QueueIndex queue, Span at, uint64_t correlation) {
  activity(ActivityKind::Graph, queue, {}, at, correlation, {0, 0, 0, 0});
}

void RecordingBuilder::launch(ThreadIndex thread, Span at, QueueIndex queue,
                              std::string_view kernel_name, Span run, std::string_view frames) {
  const uint64_t correlation = next_correlation_++;
  CallFields fields;
  fields.correlation = correlation;
  fields.stack = frames;
  fields.stream = recording_.queues[raw(queue)].stream;
  call(thread, "cudaLaunchKernel", at, fields);
  kernel(queue, kernel_name, run, correlation);
}

Recording RecordingBuilder::build() const {
  Recording result = recording_;
  sort_events(result);
  const auto extend = [&result](ThreadIndex thread, TraceTime start, TraceTime end) {
    Process& p = result.processes[raw(result.threads[raw(thread)].process)];
    p.first_ns = p.first_ns == 0 ? start : std::min(p.first_ns, start);
    p.last_ns = std::max(p.last_ns, end);
  };
  const auto extend_all = [&](const auto& t) {
    for (size_t i = 0; i < t.size(); ++i) extend(t.thread[i], t.start[i], t.end[i]);
  };
  extend_all(result.calls);
  extend_all(result.waits);
  extend_all(result.ranges);
  for (size_t i = 0; i < result.samples.size(); ++i)
    extend(result.samples.thread[i], result.samples.time[i], result.samples.time[i]);
  return result;
}

trace::Call call_named(std::string_view name) {
#define GPUSTALL_CALL(id, ident, text, cls) \
  if (name == #ident || name == text) return trace::Call::ident;
#include "libinterpose/trace/calls.def"
#undef GPUSTALL_CALL
  throw std::invalid_argument("no such call in calls.def: " + std::string(name));
}

trace::WaitId wait_named(std::string_view name) {
#define GPUSTALL_WAIT(id, ident, text, cls) \
  if (name == #ident || name == text) return trace::WaitId::ident;
#include "libinterpose/trace/waits.def"
#undef GPUSTALL_WAIT
  throw std::invalid_argument("no such wait in waits.def: " + std::string(name));
}

}  // namespace gpustall::test
