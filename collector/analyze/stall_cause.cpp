#include "collector/analyze/stall_cause.h"

#include <algorithm>
#include <unordered_set>

namespace gpustall::collect {
namespace {

constexpr uint64_t kScalarBytes = 16;        // a complex double
constexpr uint64_t kBatchBytes = 64 * 1024;  // smaller uploads come from Python values
constexpr uint32_t kNeighbours = 16;
constexpr int64_t kSetUpNs = 20'000'000;  // no free takes that long by itself

bool contains_any(std::string_view text, std::initializer_list<std::string_view> needles) {
  return std::any_of(needles.begin(), needles.end(), [text](std::string_view needle) {
    return text.find(needle) != std::string_view::npos;
  });
}

// cub's kernels under nonzero, masked_select, unique: mangled names contain them too.
bool selects_elements(std::string_view kernel) {
  return contains_any(kernel, {"DeviceSelect", "DeviceReduce", "DeviceScan", "DeviceCompact",
                               "DeviceRunLength", "DeviceUnique", "DevicePartition",
                               "DeviceRadixSort", "flag_kernel", "write_indices"});
}

}  // namespace

StallCauses::StallCauses(const StallInput& input) : in_(input) {
  const Recording& r = input.recording;
  if (has_long_free()) find_work();
  selects_.resize(r.strings.size());
  repeats_.resize(r.strings.size());
  for (size_t i = 0; i < r.strings.size(); ++i) {
    selects_[i] = selects_elements(r.strings[i]);
    repeats_[i] = contains_any(r.strings[i], {"repeat_interleave", "compute_cuda_kernel"});
  }
  // From some release on .item() reads through a pinned word; then a scalar that goes to pageable
  // memory is a .cpu().
  scalar_reads_pinned_.resize(r.processes.size());
  const Activities& a = r.activities;
  for (size_t i = 0; i < a.size(); ++i)
    if (a.kind[i] == ActivityKind::Memcpy && a.copy_kind[i] == kDeviceToHost &&
        a.bytes[i] <= kScalarBytes && a.dst_kind[i] == kPinned)
      scalar_reads_pinned_[raw(r.queues[raw(a.queue[i])].process)] = true;
}

StallCauses::CopyShape StallCauses::shape_of(uint32_t copy) const {
  CopyShape shape;
  if (copy == kNoIndex) return shape;
  const Calls& c = in_.recording.calls;
  const uint32_t activity = in_.links.activity_of[copy];
  uint8_t kind = c.copy_kind[copy];
  shape.bytes = c.bytes[copy];
  if (activity != kNoIndex) {
    const Activities& a = in_.recording.activities;
    kind = a.copy_kind[activity];
    shape.bytes = a.bytes[activity];
    shape.pageable = a.src_kind[activity] == kPageable || a.dst_kind[activity] == kPageable;
  }
  shape.to_device = kind == kHostToDevice;
  shape.to_host = kind == kDeviceToHost;
  return shape;
}

Cause StallCauses::of(uint32_t copy, uint32_t last) const {
  const Calls& c = in_.recording.calls;
  const uint32_t call = copy == kNoIndex ? last : copy;
  const StackId stack = in_.backward.effective(c.thread[call], c.start[call], c.stack[call]);
  const Callee callee = in_.facts.callee(stack);
  if (const std::optional<Cause> owner = owner_of_all(callee)) return *owner;
  switch (callee) {
    case Callee::Scaler:
      return Cause::SyncScaler;
    case Callee::EmptyCache:
      return Cause::AllocEmptyCache;
    case Callee::Explicit:
      return Cause::SyncExplicit;
    case Callee::Convolution:  // timing of algorithms: a convolution itself never waits
      if (copy == kNoIndex) return Cause::ColdAutotune;
      break;
    default:
      break;
  }
  if (trace::class_of(c.call[last]) == trace::CallClass::Free) return of_free(last, stack);
  if (trace::class_of(c.call[last]) == trace::CallClass::Launch) return Cause::LaunchBlocking;
  const CopyShape shape = shape_of(copy);
  if (shape.to_host) return of_read(copy, shape, last);
  if (shape.to_device) {
    if (copy == last && c.call[last] == trace::Call::Memcpy && !shape.pageable)
      return Cause::SyncMemcpy;
    return shape.bytes >= kBatchBytes ? Cause::CopyPageable : Cause::SyncUpload;
  }
  if (copy != kNoIndex) return Cause::SyncMemcpy;
  const bool whole = c.call[last] == trace::Call::DeviceSynchronize ||
                     c.call[last] == trace::Call::EventSynchronize;
  return whole || !in_.facts.is_python(c.stack[last]) ? Cause::SyncExplicit : Cause::SyncOther;
}

Cause StallCauses::of_read(uint32_t copy, const CopyShape& shape, uint32_t last) const {
  const Calls& c = in_.recording.calls;
  for (uint32_t call : {last, copy}) {
    if (symbol_contains(call, {"is_nonzero"})) return Cause::SyncItem;  // bool(tensor)
    if (symbol_contains(call, {"nonzero", "masked_select", "unique", "repeat_interleave"}))
      return Cause::SyncNonzero;
    if (symbol_contains(call, {"_local_scalar_dense", "at::_ops::item", "is_nonzero"}))
      return Cause::SyncItem;
    if (symbol_contains(call, {"at::_ops::_to_copy", "at::_ops::copy_", "copy_kernel_cuda"}))
      return Cause::SyncToHost;
  }
  if (copy == last && c.call[last] == trace::Call::Memcpy) return Cause::SyncMemcpy;
  if (shape.bytes > kScalarBytes) return Cause::SyncToHost;
  if (decides_a_size(copy)) return Cause::SyncNonzero;
  const ProcessIndex process = in_.recording.threads[raw(c.thread[copy])].process;
  if (shape.pageable && scalar_reads_pinned_[raw(process)]) return Cause::SyncToHost;
  return Cause::SyncItem;
}

Cause StallCauses::of_free(uint32_t call, StackId stack) const {
  if (sets_up(call)) return Cause::ColdLibrary;
  // Free, then allocate again from the same line: the allocator made room and tried once more.
  const Calls& c = in_.recording.calls;
  for (uint32_t i = call + 1; i < c.size() && c.thread[i] == c.thread[call]; ++i) {
    const trace::CallClass cls = trace::class_of(c.call[i]);
    if (cls == trace::CallClass::Malloc && c.stack[i] == c.stack[call]) return Cause::AllocRetry;
    if (cls != trace::CallClass::Free && cls != trace::CallClass::EventSync) break;
  }
  return !in_.facts.is_python(stack) ? Cause::SyncExplicit : Cause::SyncOther;
}

bool StallCauses::has_long_free() const {
  const Calls& c = in_.recording.calls;
  for (size_t i = 0; i < c.size(); ++i)
    if (trace::class_of(c.call[i]) == trace::CallClass::Free && c.end[i] - c.start[i] >= kSetUpNs)
      return true;
  return false;
}

// cudaFree(0) is how libraries set themselves up, and a free may be the first call that loads
// modules. One that lasts while the device has nothing to do is not waiting for it.
bool StallCauses::sets_up(uint32_t call) const {
  const Calls& c = in_.recording.calls;
  if (c.end[call] - c.start[call] < kSetUpNs) return false;
  const auto& work = work_[raw(in_.recording.threads[raw(c.thread[call])].process)];
  const auto after = std::lower_bound(work.begin(), work.end(), c.end[call],
                                      [](const Work& w, TraceTime t) { return w.start < t; });
  return after == work.begin() || std::prev(after)->latest_end <= c.start[call];
}

void StallCauses::find_work() {
  const Recording& r = in_.recording;
  const Activities& a = r.activities;
  work_.resize(r.processes.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const uint32_t process = raw(r.queues[raw(a.queue[i])].process);
    const ClockMap& clock = in_.clocks[process];
    work_[process].push_back({clock.to_host(a.start[i]), clock.to_host(a.end[i])});
  }
  for (auto& work : work_) {
    std::sort(work.begin(), work.end(),
              [](const Work& x, const Work& y) { return x.start < y.start; });
    for (size_t i = 1; i < work.size(); ++i)
      work[i].latest_end = std::max(work[i].latest_end, work[i - 1].latest_end);
  }
}

// The launching call nearest to `call` on its thread, if it comes from the same stack.
uint32_t StallCauses::neighbour_launch(uint32_t call, int direction) const {
  const Calls& c = in_.recording.calls;
  int64_t i = call;
  for (uint32_t step = 0; step < kNeighbours; ++step) {
    i += direction;
    if (i < 0 || i >= static_cast<int64_t>(c.size())) break;
    const auto at = static_cast<uint32_t>(i);
    if (c.thread[at] != c.thread[call] || c.stack[at] != c.stack[call]) break;
    if (trace::class_of(c.call[at]) == trace::CallClass::Launch) return in_.links.activity_of[at];
  }
  return kNoIndex;
}

bool StallCauses::decides_a_size(uint32_t copy) const {
  if (!in_.facts.is_python(in_.recording.calls.stack[copy])) return false;
  const Activities& a = in_.recording.activities;
  const uint32_t before = neighbour_launch(copy, -1), after = neighbour_launch(copy, +1);
  return (before != kNoIndex && selects_[raw(a.name[before])]) ||
         (after != kNoIndex && repeats_[raw(a.name[after])]);
}

bool StallCauses::symbol_contains(uint32_t call,
                                  std::initializer_list<std::string_view> needles) const {
  const Recording& r = in_.recording;
  const NativeStackId id = r.calls.native_stack[call];
  if (raw(id) >= r.native_stacks.size()) return false;
  const auto& symbols = r.native_stacks[raw(id)];
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](StringId s) { return contains_any(r.text(s), needles); });
}

void StallCauses::settle_uploads(Stalls& stalls) const {
  std::unordered_set<uint32_t> batch_sites;
  for (const Stall& s : stalls.all)
    if (s.cause == Cause::CopyPageable) batch_sites.insert(raw(s.site));
  for (Stall& s : stalls.all)
    if (s.cause == Cause::SyncUpload && s.site != kNone<SiteId> && batch_sites.count(raw(s.site)))
      s.cause = Cause::CopyPageable;
}

}  // namespace gpustall::collect
