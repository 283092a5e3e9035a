#include "collector/read/events.h"

#include <algorithm>

#include "collector/read/cards.h"
#include "collector/read/walk.h"

namespace gpustall::collect {
namespace {

// CUpti_ActivityOverheadKind: 0, 1, then multiples of 1 << 16.
OverheadKind overhead_kind(uint64_t cupti) {
  const uint64_t kind = cupti >> 16 != 0 ? (cupti >> 16) + 1 : cupti;
  return kind <= static_cast<uint64_t>(OverheadKind::BufferRequest)
             ? static_cast<OverheadKind>(kind)
             : OverheadKind::Unknown;
}

template <typename Enum>
Enum bounded(uint64_t value, Enum last, Enum otherwise = Enum{}) {
  return value <= static_cast<uint64_t>(last) ? static_cast<Enum>(value) : otherwise;
}

}  // namespace

EventReader::EventReader(Recording& recording, Tables& tables, EventInput input)
    : r_(recording), t_(tables), in_(input) {
  out_.losses.assign(static_cast<size_t>(trace::LossKind::Count), 0);
  for (int i = 0; i < 3; ++i)
    gc_names_[i] = t_.string("garbage collection, generation " + std::to_string(i));
}

void EventReader::chunk(const Chunk& chunk) {
  thread_ = chunk.kind() == trace::StreamKind::Thread
                ? t_.thread(in_.context.process, chunk.header.tid)
                : kNone<ThreadIndex>;
  const WalkEnd end = walk_chunk(chunk, *this);
  if (end.damaged) r_.damage.push_back(damage_sentence(in_.context.file, chunk, end));
}

// A time that cannot be the file's means that the deltas before it are damaged.
EventReader::Times EventReader::host_times(int64_t ticks, uint64_t duration) {
  const TraceTime start = in_.clock.to_ns(ticks);
  const TraceTime end =
      duration == 0 ? start
                    : in_.clock.to_ns(trace::detail::add(ticks, static_cast<int64_t>(duration)));
  const bool ok = in_.host_range.holds(start) && in_.host_range.holds(end) && end >= start;
  if (ok) {
    out_.first_ns = std::min(out_.first_ns, start);
    out_.last_ns = std::max(out_.last_ns, end);
  }
  return {start, end, ok};
}

bool EventReader::operator()(const trace::Api& r) {
  const Times at = host_times(r.start, r.duration);
  if (!at.ok || thread_ == kNone<ThreadIndex>) return false;
  Calls& t = r_.calls;
  t.thread.push_back(thread_);
  t.call.push_back(r.call < 256 ? static_cast<trace::Call>(r.call) : trace::Call::CallOther);
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.correlation.push_back(r.correlation);
  t.stack.push_back(in_.ids.stack(r.stack));
  t.native_stack.push_back(in_.ids.native_stack(r.native_stack));
  t.stream.push_back(static_cast<uint32_t>(r.stream));
  t.object.push_back(r.object);
  t.bytes.push_back(r.bytes);
  t.copy_kind.push_back(static_cast<uint8_t>(r.copy_kind));
  t.result.push_back(static_cast<int32_t>(r.result));
  t.name.push_back(StringId(0));
  return true;
}

bool EventReader::operator()(const trace::Wait& r) {
  const Times at = host_times(r.start, r.duration);
  if (!at.ok || thread_ == kNone<ThreadIndex>) return false;
  Waits& t = r_.waits;
  t.thread.push_back(thread_);
  t.wait.push_back(static_cast<trace::WaitId>(r.wait));
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.object.push_back(in_.ids.object(r.object));
  t.result.push_back(r.result);
  t.stack.push_back(in_.ids.stack(r.stack));
  t.native_stack.push_back(in_.ids.native_stack(r.native_stack));
  const bool known = r.waker_tid != 0;
  const int64_t wait_end = trace::detail::add(r.start, static_cast<int64_t>(r.duration));
  t.waker.push_back(known ? ThreadIndex(static_cast<uint32_t>(r.waker_tid)) : kNone<ThreadIndex>);
  t.waker_time.push_back(
      known ? in_.clock.to_ns(trace::detail::sub(wait_end, static_cast<int64_t>(r.waker_lag))) : 0);
  return true;
}

void EventReader::range(RangeKind kind, Times at, StringId domain, StringId name) {
  Ranges& t = r_.ranges;
  t.thread.push_back(thread_);
  t.kind.push_back(kind);
  t.start.push_back(at.start);
  t.end.push_back(at.end);
  t.domain.push_back(domain);
  t.name.push_back(name);
}

bool EventReader::operator()(const trace::Range& r) {
  const Times at = host_times(r.start, r.duration);
  if (!at.ok || thread_ == kNone<ThreadIndex>) return false;
  range(RangeKind::Nvtx, at, in_.ids.string(r.domain), in_.ids.string(r.name));
  return true;
}

bool EventReader::operator()(const trace::Mark& r) {
  const Times at = host_times(r.start, 0);
  if (!at.ok || thread_ == kNone<ThreadIndex>) return false;
  range(RangeKind::Nvtx, at, in_.ids.string(r.domain), in_.ids.string(r.name));
  return true;
}

bool EventReader::operator()(const trace::Gc& r) {
  const Times at = host_times(r.start, r.duration);
  if (!at.ok || thread_ == kNone<ThreadIndex>) return false;
  range(RangeKind::Gc, at, StringId(0), gc_names_[std::min<uint64_t>(r.generation, 2)]);
  return true;
}

bool EventReader::activity(ActivityKind kind, uint64_t queue, int64_t start, uint64_t duration,
                           uint64_t correlation, uint64_t name) {
  const int64_t end = trace::detail::add(start, static_cast<int64_t>(duration));
  if (!in_.device_range.holds(start) || !in_.device_range.holds(end) || end < start) return false;
  const QueueIndex index = in_.ids.queue(queue);
  if (index == kNone<QueueIndex>) return ++out_.nonsense, true;  // of which device: unknown
  Activities& t = r_.activities;
  t.kind.push_back(kind);
  t.queue.push_back(index);
  t.start.push_back(start);
  t.end.push_back(end);
  t.correlation.push_back(correlation);
  t.name.push_back(in_.ids.string(name));
  t.bytes.push_back(0);
  t.copy_kind.push_back(0);
  t.src_kind.push_back(0);
  t.dst_kind.push_back(0);
  return true;
}

bool EventReader::operator()(const trace::Kernel& r) {
  return activity(ActivityKind::Kernel, r.queue, r.start, r.duration, r.correlation, r.name);
}

bool EventReader::operator()(const trace::Memcpy& r) {
  Activities& t = r_.activities;
  const size_t before = t.size();
  if (!activity(ActivityKind::Memcpy, r.queue, r.start, r.duration, r.correlation, 0)) return false;
  if (t.size() == before) return true;
  t.bytes.back() = r.bytes;
  t.copy_kind.back() = static_cast<uint8_t>(r.copy_kind);
  t.src_kind.back() = static_cast<uint8_t>(r.src_kind);
  t.dst_kind.back() = static_cast<uint8_t>(r.dst_kind);
  return true;
}

bool EventReader::operator()(const trace::Memset& r) {
  Activities& t = r_.activities;
  const size_t before = t.size();
  if (!activity(ActivityKind::Memset, r.queue, r.start, r.duration, r.correlation, 0)) return false;
  if (t.size() != before) t.bytes.back() = r.bytes;
  return true;
}

bool EventReader::operator()(const trace::GraphRun& r) {
  return activity(ActivityKind::Graph, r.queue, r.start, r.duration, r.correlation, 0);
}

bool EventReader::operator()(const trace::Overhead& r) {
  Overhead row;
  row.process = in_.context.process;
  // CUPTI's own number for a thread is often its pthread_t: only what is a
  // known tid counts.
  if (const auto tid = static_cast<uint32_t>(r.tid); t_.knows_thread(row.process, tid))
    row.thread = t_.thread(row.process, tid);
  row.kind = overhead_kind(r.kind);
  row.start = r.start;  // device time until the file's device clock is known
  row.end = trace::detail::add(r.start, static_cast<int64_t>(r.duration));
  row.correlation = r.correlation;
  if (!in_.device_range.holds(row.start) || !in_.device_range.holds(row.end)) return false;
  out_.overheads.push_back(r_.overheads.size());
  r_.overheads.push_back(row);
  return true;
}

// The helper also samples the main threads of its worker processes, which have
// rows of their own.
ThreadIndex EventReader::sampled_thread(uint64_t pid, uint64_t tid) {
  ProcessIndex process = in_.context.process;
  const Process& own = r_.processes[raw(process)];
  if (pid != 0 && pid != own.pid) {
    size_t i = r_.processes.size();
    while (i > 0 && (r_.processes[i - 1].pid != pid || r_.processes[i - 1].host != own.host)) --i;
    if (i == 0) {  // it did not record itself
      Process worker;
      worker.pid = static_cast<uint32_t>(pid);
      worker.parent_pid = own.pid;
      worker.host = own.host;
      worker.rank = own.rank;
      worker.python_version = own.python_version;
      worker.source = own.source;
      worker.clean_end = true;  // nothing of its own is cut
      r_.processes.push_back(std::move(worker));
      i = r_.processes.size();
    }
    process = ProcessIndex(static_cast<uint32_t>(i - 1));
  }
  return t_.thread(process, static_cast<uint32_t>(tid));
}

bool EventReader::operator()(const trace::Sample& r) {
  const Times at = host_times(r.time, 0);
  if (!at.ok) return false;
  Samples& t = r_.samples;
  t.thread.push_back(sampled_thread(r.pid, r.tid));
  t.time.push_back(at.start);
  t.stack.push_back(in_.ids.stack(r.stack));
  t.state.push_back(bounded(r.state, trace::ThreadRunState::Stopped));
  t.cpu_ns.push_back(r.cpu_ns);
  t.runnable_ns.push_back(r.runnable_ns);
  t.major_faults.push_back(r.major_faults);
  t.flags.push_back(static_cast<uint8_t>(r.flags));
  t.minor_faults.push_back(r.minor_faults);
  t.system_ns.push_back(r.system_ns);
  return true;
}

bool EventReader::operator()(const trace::Counter& r) {
  const Times at = host_times(r.time, 0);
  if (!at.ok) return false;
  r_.counters.process.push_back(in_.context.process);
  r_.counters.time.push_back(at.start);
  r_.counters.key.push_back(in_.ids.string(r.key));
  r_.counters.value.push_back(r.value);
  return true;
}

bool EventReader::operator()(const trace::Loss& r) {
  if (r.kind < out_.losses.size()) out_.losses[r.kind] += r.count;
  return true;
}

bool EventReader::operator()(const trace::Notice& r) {
  const Times at = host_times(r.time, 0);
  if (!at.ok) return false;
  using trace::NoticeKind;
  const NoticeKind kind = bounded(r.kind, NoticeKind::FileCut, NoticeKind::Other);
  out_.notices.push_back({at.start, kind, r.code, std::string(r.text)});
  return true;
}

bool EventReader::operator()(const trace::Fork& r) {
  const Times at = host_times(r.start, r.duration);
  if (!at.ok || thread_ == kNone<ThreadIndex>) return false;
  r_.forks.push_back(
      {thread_, at.start, at.end, static_cast<uint32_t>(r.child_pid), in_.ids.stack(r.stack)});
  return true;
}

// Each record holds the cost since the start of the process.
bool EventReader::operator()(const trace::OwnCost& r) {
  const Times at = host_times(r.time, 0);
  if (!at.ok) return false;
  const TraceTime end =
      in_.clock.to_ns(trace::detail::add(r.time, static_cast<int64_t>(r.hook_ticks)));
  if (end < at.start) return false;
  out_.own_ns = static_cast<uint64_t>(trace::detail::sub(end, at.start));
  return true;
}

bool EventReader::operator()(const trace::Card& r) {
  const DeviceIndex device = in_.ids.device(r.device);
  if (device != kNone<DeviceIndex>) r_.devices[raw(device)].card = limits_of(r);
  return true;
}

bool EventReader::operator()(const trace::CardState& r) {
  const Times at = host_times(static_cast<int64_t>(r.ticks), 0);
  if (!at.ok) return false;
  CardState row = state_of(r);
  row.process = in_.context.process;
  row.device = in_.ids.device(r.device);
  row.time = at.start;
  if (row.device != kNone<DeviceIndex>) r_.card_states.push_back(row);
  return true;
}

std::string damage_sentence(const TraceFile& file, const Chunk& chunk, const WalkEnd& end) {
  return file.name + ": damaged record at byte " + std::to_string(end.offset) + " (chunk " +
         std::to_string(chunk.index) + ", thread " + std::to_string(chunk.header.tid) + "); the " +
         std::to_string(end.skipped) + " bytes of the chunk from there on were skipped";
}

}  // namespace gpustall::collect
