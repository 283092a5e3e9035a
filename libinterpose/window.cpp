#include "libinterpose/window.h"

#include "libinterpose/clock.h"
#include "libinterpose/helper.h"
#include "libinterpose/recorder.h"
#include "libinterpose/settings.h"

namespace gpustall::interpose {

std::atomic<bool> g_recording{false};

namespace {

int64_t g_open_at_ns = 0, g_close_at_ns = 0;  // CLOCK_MONOTONIC, 0: not by time
int64_t g_close_ticks = INT64_MAX;
bool g_closed_for_good = false;

void set_window(bool open) noexcept {
  HookGuard guard{HookGuard::AnyWindow{}};
  if (!is_on() || g_recording.exchange(open) == open) return;
  notice(guard, open ? trace::NoticeKind::WindowOpened : trace::NoticeKind::WindowClosed, 0, {});
}

// The helper's guard is `guard`, so the notice is written by it.
void watch_time(HookGuard& guard, Round) noexcept {
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
  bool open = is_recording();
  if (g_open_at_ns != 0 && now >= g_open_at_ns) {
    g_open_at_ns = 0;
    open = true;
  }
  if (g_close_at_ns != 0 && now >= g_close_at_ns) {
    g_close_at_ns = 0;
    g_closed_for_good = true;
    open = false;
  }
  if (!is_on() || g_recording.exchange(open) == open) return;
  notice(guard, open ? trace::NoticeKind::WindowOpened : trace::NoticeKind::WindowClosed, 0,
         "by time");
}

}  // namespace

void start_window(HookGuard&) noexcept {
  const Settings& s = g_settings;
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
  if (s.delay_ns != 0) g_open_at_ns = now + s.delay_ns;
  if (s.duration_ns != 0) g_close_at_ns = now + s.delay_ns + s.duration_ns;
  if (s.duration_ns != 0) g_close_ticks = now_ticks() + ticks_from_ns(s.delay_ns + s.duration_ns);
  if (s.delay_ns != 0 || s.duration_ns != 0) add_periodic(watch_time, 10000000);
  g_recording.store(s.delay_ns == 0 && s.range == RangeWindow::None, std::memory_order_release);
}

void open_window() noexcept {
  if (!g_closed_for_good) set_window(true);
}
void close_window() noexcept {
  set_window(false);
}

void enter_child_window() noexcept {
  if (!g_closed_for_good) g_recording.store(true, std::memory_order_relaxed);
}

bool end_by_time(int64_t now) noexcept {
  if (now < g_close_ticks) return false;
  g_recording.store(false, std::memory_order_relaxed);
  return true;
}

bool is_window_range(std::string_view name) noexcept {
  return g_settings.range == RangeWindow::Nvtx && name == g_settings.range_name;
}

void profiler_range(bool begins) noexcept {
  if (g_settings.range != RangeWindow::CudaProfiler) return;
  if (begins)
    open_window();
  else
    close_window();
}

}  // namespace gpustall::interpose
