// Open push/pop ranges lie in the thread's own storage, open start/end ranges in a small shared
// table.
#include "libinterpose/nvtx/ranges.h"

#include <atomic>

#include "libinterpose/cupti/thread_part.h"
#include "libinterpose/dictionary.h"
#include "libinterpose/recorder.h"
#include "libinterpose/settings.h"
#include "libinterpose/window.h"

namespace gpustall::interpose::nvtx {
namespace {

using cupti::CudaThread;
using cupti::OpenRange;

// Range.flags: the range was opened by start/end and need not nest.
constexpr uint64_t kStartEnd = 1;

// The id that the program gets is (use of the slot) << 8 | slot, so a stale id ends nothing.
constexpr uint32_t kSlots = 256;
constexpr uint64_t kFilling = 1;
struct Slot {
  std::atomic<uint64_t> id;  // 0: free
  int64_t start;
  uint32_t domain, name;  // ids of this epoch: forget_ranges() empties the table in a forked child
};
Slot g_slots[kSlots];
std::atomic<uint64_t> g_uses{1};

void emit_range(HookGuard& guard, int64_t start, int64_t end, uint32_t domain, uint32_t name,
                uint64_t flags) noexcept {
  trace::Range range;
  range.start = start;
  range.duration = end > start ? static_cast<uint64_t>(end - start) : 0;
  range.domain = domain;
  range.name = name;
  range.flags = flags;
  emit(guard, range);
}

// The range that is the recording window has ended.
void close_if_window(HookGuard& guard, uint32_t name) noexcept {
  if (g_settings.range != RangeWindow::Nvtx) return;
  if (intern_string(guard, g_settings.range_name) == name) close_window();
}

uint32_t intern_domain(HookGuard& guard, const Domain& domain) noexcept {
  return domain.name.empty() ? 0 : intern_string(guard, domain.name);
}

}  // namespace

int push_range(const Domain& domain, std::string_view name) noexcept {
  if (domain.keep == Keep::Nothing) return -1;
  if (is_window_range(name)) open_window();
  HookGuard guard;
  if (!guard.recording()) return -1;
  CudaThread& thread = cupti::cuda_thread(guard.thread());
  if (thread.open_ranges == cupti::kMaxOpenRanges) {
    ++thread.overflowed_ranges;
    return static_cast<int>(thread.open_ranges + thread.overflowed_ranges) - 1;
  }
  OpenRange& range = thread.ranges[thread.open_ranges++];
  range.domain = domain.number;
  range.domain_name = intern_domain(guard, domain);
  range.name = intern_string(guard, name);
  range.start = now_ticks();
  return static_cast<int>(thread.open_ranges) - 1;
}

int pop_range(const Domain& domain) noexcept {
  if (domain.keep == Keep::Nothing) return -1;
  const int64_t end = now_ticks();
  HookGuard guard{HookGuard::AnyWindow{}};  // a range that began inside the window is written whole
  if (!guard.recording()) return -1;
  CudaThread& thread = cupti::cuda_thread(guard.thread());
  if (thread.overflowed_ranges != 0) {
    --thread.overflowed_ranges;
    return static_cast<int>(thread.open_ranges + thread.overflowed_ranges);
  }
  // Domains nest independently: the innermost open range of this one.
  for (uint32_t i = thread.open_ranges; i-- > 0;) {
    const OpenRange range = thread.ranges[i];
    if (range.domain != domain.number) continue;
    for (uint32_t k = i + 1; k < thread.open_ranges; ++k) thread.ranges[k - 1] = thread.ranges[k];
    --thread.open_ranges;
    emit_range(guard, range.start, end, range.domain_name, range.name, 0);
    close_if_window(guard, range.name);
    return static_cast<int>(i);
  }
  return -1;
}

uint64_t start_range(const Domain& domain, std::string_view name) noexcept {
  if (domain.keep == Keep::Nothing) return 0;
  if (is_window_range(name)) open_window();
  HookGuard guard;
  if (!guard.recording()) return 0;
  const uint64_t use = g_uses.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < kSlots; ++i) {
    Slot& slot = g_slots[(use + i) % kSlots];
    uint64_t free = 0;
    if (!slot.id.compare_exchange_strong(free, kFilling, std::memory_order_acquire)) continue;
    slot.domain = intern_domain(guard, domain);
    slot.name = intern_string(guard, name);
    slot.start = now_ticks();
    const uint64_t id = (use + 1) << 8 | (use + i) % kSlots;
    slot.id.store(id, std::memory_order_release);
    return id;
  }
  return 0;
}

void end_range(uint64_t id) noexcept {
  if (id < kSlots) return;
  const int64_t end = now_ticks();
  Slot& slot = g_slots[id % kSlots];
  if (!slot.id.compare_exchange_strong(id, kFilling, std::memory_order_acquire)) return;
  {
    HookGuard guard{HookGuard::AnyWindow{}};
    if (guard.recording()) {
      emit_range(guard, slot.start, end, slot.domain, slot.name, kStartEnd);
      close_if_window(guard, slot.name);
    }
  }
  slot.id.store(0, std::memory_order_release);
}

void forget_ranges() noexcept {
  for (Slot& slot : g_slots) slot.id.store(0, std::memory_order_relaxed);
}

void mark(const Domain& domain, std::string_view name) noexcept {
  if (domain.keep != Keep::Ranges) return;
  HookGuard guard;
  if (!guard.recording()) return;
  trace::Mark record;
  record.domain = intern_domain(guard, domain);
  record.name = intern_string(guard, name);
  record.start = now_ticks();
  emit(guard, record);
}

}  // namespace gpustall::interpose::nvtx
