#include "libinterpose/quota.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/helper.h"
#include "libinterpose/info_record.h"
#include "libinterpose/own_descriptors.h"
#include "libinterpose/sys.h"
#include "libinterpose/trace/format.h"

namespace gpustall::interpose {
namespace {

// The kernel's period is 100 ms unless somebody changed it. One system call a turn, 2 us, and four
// where the file cannot stay open.
constexpr int64_t kWatchNs = 5'000'000;
constexpr size_t kPath = 512;

struct Group {
  char folder[kPath];  // of the group with the limit; empty: none
  bool v2;
};
Group g_group;  // the child of a fork looks again
KeptFile g_statistics;
uint64_t g_throttled_ns;

bool is_limit(const char* text) noexcept {
  return text[0] != '\0' && std::strncmp(text, "max", 3) != 0 && text[0] != '-';
}

size_t read_in(const char* folder, const char* name, char* to, size_t capacity) noexcept {
  char path[kPath + 32];
  std::snprintf(path, sizeof path, "%s/%s", folder, name);
  size_t n = sys::read_file(path, to, capacity);
  while (n != 0 && to[n - 1] == '\n') to[--n] = '\0';
  return n;
}

// "quota period" into `to`; its length, 0: no limit here.
size_t read_limit(const Group& group, char* to, size_t capacity) noexcept {
  if (group.v2) {
    const size_t n = read_in(group.folder, "cpu.max", to, capacity);
    return is_limit(to) ? n : 0;
  }
  char quota[32], period[32];
  if (read_in(group.folder, "cpu.cfs_quota_us", quota, sizeof quota) == 0 || !is_limit(quota) ||
      read_in(group.folder, "cpu.cfs_period_us", period, sizeof period) == 0)
    return 0;
  const int n = std::snprintf(to, capacity, "%s %s", quota, period);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

// From the group itself up to the root of what this process sees. Where the line names a path
// outside of a container's own view, only the root is there.
size_t find_above(Group& group, const char* root, const char* own, char* limit,
                  size_t capacity) noexcept {
  std::snprintf(group.folder, sizeof group.folder, "%s%s", root, own);
  const size_t shortest = std::strlen(root);
  for (;;) {
    if (const size_t n = read_limit(group, limit, capacity)) return n;
    char* last = std::strrchr(group.folder, '/');
    if (last == nullptr || static_cast<size_t>(last - group.folder) < shortest) break;
    *last = '\0';
  }
  group.folder[0] = '\0';
  return 0;
}

// Lines of /proc/self/cgroup: "number:controllers:path", v2 without controllers.
size_t find_limit(Group& group, char* limit, size_t capacity) noexcept {
  char text[4096];
  if (sys::read_file("/proc/self/cgroup", text, sizeof text) == 0) return 0;
  char* rest = nullptr;
  for (char* line = ::strtok_r(text, "\n", &rest); line != nullptr;
       line = ::strtok_r(nullptr, "\n", &rest)) {
    char* controllers = std::strchr(line, ':');
    char* path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (path == nullptr) continue;
    *path++ = '\0';
    ++controllers;
    if (std::strcmp(path, "/") == 0) path[0] = '\0';
    group.v2 = controllers[0] == '\0';
    const bool v1 = std::strcmp(controllers, "cpu") == 0 ||
                    std::strncmp(controllers, "cpu,", 4) == 0 ||
                    std::strstr(controllers, ",cpu,") != nullptr;
    if (!group.v2 && !v1) continue;
    const char* root = group.v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    if (const size_t n = find_above(group, root, path, limit, capacity)) return n;
  }
  return 0;
}

bool read_throttled(uint64_t& ns) noexcept {
  char path[kPath + 32], text[1024];
  std::snprintf(path, sizeof path, "%s/cpu.stat", g_group.folder);
  if (g_statistics.read(path, text, sizeof text) == 0) return false;
  const char* key = g_group.v2 ? "throttled_usec " : "throttled_time ";
  const char* at = std::strstr(text, key);
  if (at == nullptr) return false;
  ns = std::strtoull(at + std::strlen(key), nullptr, 10) * (g_group.v2 ? 1000u : 1u);
  return true;
}

void watch(HookGuard& guard, Round) noexcept {
  uint64_t now = 0;
  if (!is_recording() || !read_throttled(now) || now == g_throttled_ns) return;
  g_throttled_ns = now;
  const uint32_t key = intern_string(guard, trace::kThrottledCounter);
  emit(guard, trace::Counter{now_ticks(), key, static_cast<int64_t>(now)});
}

}  // namespace

void write_quota(HookGuard& guard) noexcept {
  char limit[128];
  const size_t n = find_limit(g_group, limit, sizeof limit);
  if (n == 0) return;
  put_info(guard, "cpu.quota", {limit, n});
}

// What was before is only told so that the first growth is one.
void start_quota_watch(HookGuard& guard) noexcept {
  if (g_group.folder[0] == '\0' || !read_throttled(g_throttled_ns)) return;
  const uint32_t key = intern_string(guard, trace::kThrottledCounter);
  emit_shared(guard, trace::Counter{now_ticks(), key, static_cast<int64_t>(g_throttled_ns)});
  add_periodic(watch, kWatchNs);
}

}  // namespace gpustall::interpose
