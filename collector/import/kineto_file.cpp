#include "collector/import/kineto_file.h"

#include <algorithm>

#include "collector/import/decimal.h"
#include "collector/import/json_cursor.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kFarthest = int64_t{1} << 61;  // ns: 2043; sums and differences stay in 64 bits
constexpr int64_t kLongest = int64_t{1} << 55;   // over a year

uint32_t small(std::string_view text, uint32_t otherwise) {
  const bool negative = text.starts_with('-');
  const auto value = parse_count(negative ? text.substr(1) : text);
  return value ? static_cast<uint32_t>(*value ^ *value >> 32) : otherwise;
}

// "7" or, in the first dialect, "stream 7".
uint32_t stream_of(const KinetoEvent& e) {
  std::string_view text = e.stream.empty() ? e.tid : e.stream;
  if (text.starts_with("stream ")) text.remove_prefix(7);
  return small(text, 0);
}

}  // namespace

bool KinetoFile::times(const KinetoEvent& e, Times& out) const {
  const auto start = parse_decimal(e.start, 3), duration = parse_decimal(e.duration, 3);
  // Records that the profiler never completed have neither time nor length.
  const bool usable = start && duration && *start > -kFarthest && *start < kFarthest &&
                      *duration >= 0 && *duration < kLongest && (*start != 0 || *duration != 0);
  if (usable) out = {*start, *start + *duration};
  return usable;
}

void KinetoFile::before_events(const KinetoHeader& header) {
  if (!header.gpustall.empty()) own_.read_header(header.gpustall);
}

void KinetoFile::event(const KinetoEvent& e) {
  if (e.phase != "X") return;
  const KinetoRow row = row_of(e.category, e.name);
  Times at;
  if (row == KinetoRow::Ignored) return;
  if (!times(e, at)) {
    const bool device =
        row == KinetoRow::Kernel || row == KinetoRow::Memcpy || row == KinetoRow::Memset;
    ++(device ? counts_.untimed_activities : counts_.untimed);
    return;
  }
  switch (row) {
    case KinetoRow::Kernel:
    case KinetoRow::Memcpy:
    case KinetoRow::Memset:
      return activity(row, e, at);
    case KinetoRow::Call:
      return call(e, at);
    case KinetoRow::Operator:
    case KinetoRow::Annotation:
      return range(row, e, at);
    case KinetoRow::Python:
      return function(e, at);
    case KinetoRow::Overhead:
      overheads_.push_back({ProcessIndex{}, kNone<ThreadIndex>, overhead_kind(e.name), at.start,
                            at.end, parse_count(e.correlation).value_or(0)});
      return;
    case KinetoRow::Sync:
      ++counts_.syncs;
      return;
    case KinetoRow::Own:
      if (own_.is_export()) own_.row(e, at.start, at.end);
      return;
    case KinetoRow::Ignored:
      return;
  }
}

// kNone for rows of nobody: "Spans", pid 0 (threads that Python does not know by their id).
ThreadIndex KinetoFile::thread(const KinetoEvent& e) {
  if (e.pid == last_pid_ && e.tid == last_tid_) return last_thread_;
  last_pid_ = e.pid;
  last_tid_ = e.tid;
  last_thread_ = kNone<ThreadIndex>;
  const uint32_t pid = small(e.pid, 0);
  if (pid == 0 || e.pid.starts_with('-') || !parse_count(e.tid)) return last_thread_;
  const auto next = ProcessIndex(static_cast<uint32_t>(r_.processes.size()));
  const auto [known, made] = process_of_.try_emplace(pid, next);
  if (made) {
    r_.processes.emplace_back();
    r_.processes.back().pid = pid;
    processes_.push_back(next);
  }
  return last_thread_ = tables_.thread(known->second, small(e.tid, 0));
}

StringId KinetoFile::name(std::string_view raw) {
  if (const auto known = names_.find(raw); known != names_.end()) return known->second;
  const StringId id = tables_.string(clean_text(raw));
  names_.emplace(raw, id);
  return id;
}

KinetoFile::CallName KinetoFile::call_name(std::string_view raw) {
  if (const auto known = call_names_.find(raw); known != call_names_.end()) return known->second;
  CallName result{call_of(raw), StringId{}};
  if (result.call == trace::Call::CallOther) result.name = tables_.string(clean_text(raw));
  call_names_.emplace(raw, result);
  return result;
}

uint32_t KinetoFile::queue(const KinetoEvent& e) {
  // In an export of gpustall devices of several ranks have pids of their own.
  const bool by_pid = own_.is_export() || e.device.empty();
  const Queue q{small(by_pid ? e.pid : e.device, 0), small(e.context, 0), stream_of(e)};
  const uint64_t key = (uint64_t{q.device} << 48) ^ (uint64_t{q.context} << 32) ^ q.stream;
  for (uint64_t probe = key;; probe += 0x9e3779b97f4a7c15ull) {  // wild numbers may share a key
    const auto [at, made] = queue_of_.try_emplace(probe, static_cast<uint32_t>(queues_.size()));
    if (made) queues_.push_back(q);
    const Queue& known = queues_[at->second];
    if (known.device == q.device && known.context == q.context && known.stream == q.stream)
      return at->second;
  }
}

void KinetoFile::activity(KinetoRow row, const KinetoEvent& e, Times at) {
  Activity a;
  a.kind = row == KinetoRow::Kernel   ? ActivityKind::Kernel
           : row == KinetoRow::Memcpy ? ActivityKind::Memcpy
                                      : ActivityKind::Memset;
  if (row == KinetoRow::Memcpy) a.copy = copy_kinds(e.name);
  a.queue = queue(e);
  a.at = at;
  a.correlation = parse_count(e.correlation).value_or(0);
  a.bytes = parse_count(e.bytes).value_or(0);
  a.process = small(e.process, 0);
  a.name = name(e.name);
  activities_.push_back(a);
  ++counts_.activities;
}

void KinetoFile::call(const KinetoEvent& e, Times at) {
  const ThreadIndex on = thread(e);
  if (on == kNone<ThreadIndex>) return;
  const CallName what = call_name(e.name);
  const uint32_t stream = e.stream.empty() ? 0 : stream_of(e);
  calls_.push_back({on, what.call, what.name, stream, parse_count(e.correlation).value_or(0), at});
  ++counts_.calls;
}

void KinetoFile::range(KinetoRow row, const KinetoEvent& e, Times at) {
  const ThreadIndex on = thread(e);
  if (on == kNone<ThreadIndex>) return;
  const RangeKind kind = row == KinetoRow::Operator ? RangeKind::CpuOp : RangeKind::UserAnnotation;
  const StackId stack = frames_.call_stack(e.call_stack);
  ranges_.push_back({on, kind, name(e.name), stack, at.start, at.end});
  ++counts_.operators;
  if (stack != kNone<StackId>) ++counts_.call_stacks;
}

void KinetoFile::function(const KinetoEvent& e, Times at) {
  const ThreadIndex on = thread(e);
  if (on == kNone<ThreadIndex>) return;
  functions_.push_back({on, frames_.frame(e.name), at.start, at.end});
  ++counts_.functions;
}

void KinetoFile::finish(const KinetoHeader& header) {
  if (processes_.empty()) {  // device rows only
    processes_.push_back(ProcessIndex(static_cast<uint32_t>(r_.processes.size())));
    r_.processes.emplace_back();
  }
  drop_outliers();
  settle_times(header.base_ns > -kFarthest && header.base_ns < kFarthest ? header.base_ns : 0);
  describe_processes(header);
  add_activities(header);
  add_calls();
  if (counts_.untimed_activities > 0)
    r_.losses.push_back(
        {processes_.front(), trace::LossKind::ActivityInvalid, counts_.untimed_activities});
  for (Overhead& o : overheads_) o.process = processes_.front();
  r_.overheads.insert(r_.overheads.end(), overheads_.begin(), overheads_.end());
  rows_.ranges.insert(rows_.ranges.end(), ranges_.begin(), ranges_.end());
  rows_.functions.insert(rows_.functions.end(), functions_.begin(), functions_.end());
}

// A row years away from the others would be the whole span.
void KinetoFile::drop_outliers() {
  if (activities_.empty()) return;
  std::vector<TraceTime> starts;
  for (const Activity& a : activities_) starts.push_back(a.at.start);
  const auto middle = starts.begin() + static_cast<ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  const auto far = [&](TraceTime start) {
    return start < *middle - kLongest || start > *middle + kLongest;
  };
  counts_.untimed_activities +=
      std::erase_if(activities_, [&](const Activity& a) { return far(a.at.start); });
  counts_.untimed += std::erase_if(calls_, [&](const Call& c) { return far(c.at.start); });
  counts_.untimed += std::erase_if(ranges_, [&](const KinetoRange& x) { return far(x.start); });
  counts_.untimed += std::erase_if(functions_, [&](const auto& f) { return far(f.start); });
  counts_.untimed += std::erase_if(overheads_, [&](const Overhead& o) { return far(o.start); });
}

void KinetoFile::settle_times(int64_t base_ns) {
  for (Activity& a : activities_) a.at.start += base_ns, a.at.end += base_ns;
  for (Call& c : calls_) c.at.start += base_ns, c.at.end += base_ns;
  for (KinetoRange& x : ranges_) x.start += base_ns, x.end += base_ns;
  for (KinetoFunction& f : functions_) f.start += base_ns, f.end += base_ns;
  for (Overhead& o : overheads_) o.start += base_ns, o.end += base_ns;
}

void KinetoFile::describe_processes(const KinetoHeader& header) {
  for (ProcessIndex index : processes_) {
    Process& p = r_.processes[raw(index)];
    p.rank = static_cast<int32_t>(header.rank);
    p.host = header.host;
    p.role = trace::Role::Trainer;
    p.clean_end = true;
    p.source = source_;
    p.first_ns = INT64_MAX;
    p.last_ns = INT64_MIN;
    if (!header.world_size.empty()) p.info["world_size"] = header.world_size;
    if (!header.backend.empty()) p.info["backend"] = header.backend;
    if (!header.runtime_version.empty()) p.info["cuda_runtime"] = header.runtime_version;
    if (!header.driver_version.empty()) p.info["cuda_driver"] = header.driver_version;
    own_.process_index[p.pid] = index;
    if (const Process* known = own_.process(p.pid)) {
      p.pid = known->pid;
      p.rank = known->rank;
      p.host = known->host;
      p.role = known->role;
      p.clean_end = known->clean_end;
    }
  }
  const auto seen = [&](ProcessIndex process, TraceTime start, TraceTime end) {
    Process& p = r_.processes[raw(process)];
    p.first_ns = std::min(p.first_ns, start);
    p.last_ns = std::max(p.last_ns, end);
  };
  const auto on = [&](ThreadIndex t) { return r_.threads[raw(t)].process; };
  for (const Call& c : calls_) seen(on(c.thread), c.at.start, c.at.end);
  for (const KinetoRange& x : ranges_) seen(on(x.thread), x.start, x.end);
  if (processes_.size() == 1)
    for (const Activity& a : activities_) seen(processes_.front(), a.at.start, a.at.end);
  for (ProcessIndex index : processes_) {
    Process& p = r_.processes[raw(index)];
    if (p.first_ns > p.last_ns) p.first_ns = p.last_ns = 0;
  }
}

// By queue. Files do not say on which host they were written, and ordinals repeat from rank to
// rank: devices of two files are two devices.
std::vector<DeviceIndex> KinetoFile::add_devices(const KinetoHeader& header) {
  std::unordered_map<uint32_t, DeviceIndex> by_ordinal;
  std::vector<DeviceIndex> of_queue;
  for (const Queue& q : queues_) {
    const auto next = DeviceIndex(static_cast<uint32_t>(r_.devices.size()));
    const auto [known, made] = by_ordinal.try_emplace(q.device, next);
    of_queue.push_back(known->second);
    if (!made) continue;
    Device d;
    d.host = header.host;
    d.ordinal = q.device;
    own_.device_index[q.device] = next;
    if (const Device* named = own_.device(q.device)) d = *named;
    for (const KinetoDevice& described : header.devices) {
      if (described.ordinal != d.ordinal) continue;
      d.name = described.name;
      d.multiprocessors = described.multiprocessors;
      d.capability = described.capability;
      d.memory_bytes = described.memory_bytes;
    }
    r_.devices.push_back(std::move(d));
  }
  return of_queue;
}

// A device row names a device where others name a process. With several processes in one file the
// call of the same correlation tells whose it is.
void KinetoFile::add_activities(const KinetoHeader& header) {
  const std::vector<DeviceIndex> device = add_devices(header);
  std::unordered_map<uint64_t, ProcessIndex> by_correlation;
  if (processes_.size() > 1)
    for (const Call& c : calls_)
      by_correlation.try_emplace(c.correlation, r_.threads[raw(c.thread)].process);
  std::unordered_map<uint64_t, QueueIndex> known;
  Activities& out = r_.activities;
  for (const Activity& a : activities_) {
    const auto caller = by_correlation.find(a.correlation);
    ProcessIndex process = caller == by_correlation.end() ? processes_.front() : caller->second;
    if (const auto named = process_of_.find(a.process);
        a.process != 0 && named != process_of_.end())
      process = named->second;
    const auto next = QueueIndex(static_cast<uint32_t>(r_.queues.size()));
    const auto [queue, made] = known.try_emplace(uint64_t{raw(process)} << 32 | a.queue, next);
    const Queue& q = queues_[a.queue];
    if (made) r_.queues.push_back({process, device[a.queue], q.context, q.stream});
    out.kind.push_back(a.kind);
    out.queue.push_back(queue->second);
    out.start.push_back(a.at.start);
    out.end.push_back(a.at.end);
    out.correlation.push_back(a.correlation);
    out.name.push_back(a.name);
    out.bytes.push_back(a.bytes);
    out.copy_kind.push_back(a.copy.copy);
    out.src_kind.push_back(a.copy.from);
    out.dst_kind.push_back(a.copy.to);
  }
}

void KinetoFile::add_calls() {
  collect::Calls& out = r_.calls;
  for (const Call& c : calls_) {
    out.thread.push_back(c.thread);
    out.call.push_back(c.call);
    out.start.push_back(c.at.start);
    out.end.push_back(c.at.end);
    out.correlation.push_back(c.correlation);
    out.stack.push_back(kNone<StackId>);
    out.native_stack.push_back(kNone<NativeStackId>);
    out.stream.push_back(c.stream);
    out.object.push_back(0);
    out.bytes.push_back(0);
    out.copy_kind.push_back(kCopyUnknown);
    out.result.push_back(0);
    out.name.push_back(c.name);
  }
}

}  // namespace gpustall::collect
