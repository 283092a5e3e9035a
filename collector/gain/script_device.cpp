#include "collector/gain/script_device.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr int64_t kUsualSpacing = 800;    // ns between kernels of a stream, of a graph
constexpr int64_t kMostSpacing = 20'000;  // longer ones wait for something

uint64_t stream_key(uint32_t process, uint32_t stream) {
  return uint64_t{process} << 32 | stream;
}

}  // namespace

RecordedDevice::RecordedDevice(const ScriptInput& input) : in_(input) {
  const Recording& r = in_.base.recording;
  // Counting sort of the activities by their call; the table is sorted by start, so each call's
  // work is too.
  const size_t calls = r.calls.size();
  first_of_call_.assign(calls + 1, 0);
  for (uint32_t call : in_.base.links.call_of)
    if (call != kNoIndex) ++first_of_call_[call + 1];
  for (size_t i = 0; i < calls; ++i) first_of_call_[i + 1] += first_of_call_[i];
  of_call_.resize(first_of_call_[calls]);
  std::vector<uint32_t> next(first_of_call_.begin(), first_of_call_.end() - 1);
  for (uint32_t a = 0; a < r.activities.size(); ++a)
    if (const uint32_t call = in_.base.links.call_of[a]; call != kNoIndex)
      of_call_[next[call]++] = a;
  const size_t queues = r.queues.size();
  tail_.assign(queues, INT64_MIN);
  depends_.assign(queues, INT64_MIN);
  starts_.resize(queues);
  spacing_.assign(queues, kUsualSpacing);
  find_least_gaps();
  find_pointwise();
  started_.assign(queues, 0);
  most_outstanding_.assign(queues, 0);
  for (uint32_t q = 0; q < queues; ++q) {
    const auto key = stream_key(raw(r.queues[q].process), r.queues[q].stream);
    const auto [at, fresh] = queue_of_stream_.emplace(key, q);
    if (!fresh) at->second = kNoIndex;  // the same number on two devices: not one known queue
  }
}

// No kernel needs more spacing than lies between the closest ones.
void RecordedDevice::find_least_gaps() {
  const Activities& a = in_.base.recording.activities;
  std::vector<TraceTime> before(spacing_.size(), INT64_MIN);
  for (size_t i = 0; i < a.size(); ++i) {
    const uint32_t q = raw(a.queue[i]);
    if (before[q] != INT64_MIN)
      spacing_[q] = std::min(spacing_[q], std::max<int64_t>(0, a.start[i] - before[q]));
    before[q] = a.end[i];
  }
}

// PyTorch's names (aten/src/ATen/native/cuda: CUDALoops.cuh, MultiTensorApply.cuh).
void RecordedDevice::find_pointwise() {
  const Recording& r = in_.base.recording;
  pointwise_.resize(r.strings.size());
  for (uint32_t s = 0; s < r.strings.size(); ++s) {
    const std::string_view name = r.text(StringId(s));
    pointwise_[s] = name.find("elementwise_kernel") != std::string_view::npos ||
                    name.find("multi_tensor_apply_kernel") != std::string_view::npos;
  }
}

// Layers of a model launch the like one by one, too, but need each other's results.
bool RecordedDevice::fuses(uint32_t activity, uint32_t call) const {
  const Recording& r = in_.base.recording;
  if (r.activities.kind[activity] != ActivityKind::Kernel ||
      !pointwise_[raw(r.activities.name[activity])])
    return false;
  const StackId stack = r.calls.stack[call];
  return in_.base.facts.leaf_is_user(stack) || in_.base.facts.any(stack, kOptimizer);
}

uint32_t RecordedDevice::queue_of(uint32_t process, uint32_t stream) const {
  const auto at = queue_of_stream_.find(stream_key(process, stream));
  return stream == 0 || at == queue_of_stream_.end() ? kNoIndex : at->second;
}

void RecordedDevice::launch(uint32_t call, TraceTime asked, std::vector<ScriptWork>& out) {
  const Recording& r = in_.base.recording;
  for (uint32_t i = first_of_call_[call]; i < first_of_call_[call + 1]; ++i) {
    const uint32_t a = of_call_[i];
    const uint32_t q = raw(r.activities.queue[a]);
    const uint32_t process = raw(r.queues[q].process);
    const TraceTime start = in_.base.clocks[process].to_host(r.activities.start[a]);
    ScriptWork w;
    w.activity = a;
    w.queue = q;
    w.duration = r.activities.end[a] - r.activities.start[a];
    w.latency = in_.latency[process].normal_ns;
    const TraceTime free = ready(q);
    if (free == INT64_MIN || asked + w.latency > free) {
      w.latency = start - asked;  // the queue was idle: the host came last
      // Launched in time, it would start the usual distance behind the work before it.
      if (free != INT64_MIN) w.spacing = std::clamp<int64_t>(start - free, 0, spacing_[q]);
    } else {
      w.spacing = std::max<int64_t>(0, start - free);
      const bool kernel = r.activities.kind[a] == ActivityKind::Kernel;
      if (kernel && w.spacing < kMostSpacing) spacing_[q] += (w.spacing - spacing_[q]) / 8;
    }
    w.fuses = fuses(a, call);
    if (r.activities.kind[a] == ActivityKind::Memcpy) w.copy = cause_of_copy(r.activities, a);
    out.push_back(w);
    tail_[q] = start + w.duration;
    starts_[q].push_back(start);
  }
}

void RecordedDevice::stream_wait(uint64_t event, uint32_t queue) {
  const auto at = events_.find(event);
  if (at != events_.end()) depends_[queue] = std::max(depends_[queue], at->second);
}

TraceTime RecordedDevice::done(const ScriptEvent& event, uint32_t process) const {
  if (event.block_on == BlockOn::Event) {
    const auto at = events_.find(event.object);
    return at == events_.end() ? INT64_MIN : at->second;
  }
  if (event.block_on != BlockOn::Everything) return ready(event.queue);
  TraceTime last = INT64_MIN;
  for (size_t q = 0; q < tail_.size(); ++q)
    if (raw(in_.base.recording.queues[q].process) == process) last = std::max(last, tail_[q]);
  return last;
}

size_t RecordedDevice::outstanding(uint32_t queue, TraceTime at) {
  const auto& starts = starts_[queue];
  while (started_[queue] < starts.size() && starts[started_[queue]] <= at) ++started_[queue];
  const size_t waiting = starts.size() - started_[queue];
  most_outstanding_[queue] = std::max(most_outstanding_[queue], waiting);
  return waiting;
}

}  // namespace gpustall::collect
