// The Info "cpu.quota" of a recording: what a control group's threads may use together.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpustall::collect {

struct CpuQuota {
  int64_t runs_us = 0, period_us = 0;  // of each period; both above 0
};

// "200000 100000". None for "max 100000", "-1 100000" and what is neither.
inline std::optional<CpuQuota> cpu_quota(std::string_view text) {
  CpuQuota quota;
  const char* end = text.data() + text.size();
  const auto runs = std::from_chars(text.data(), end, quota.runs_us);
  if (runs.ec != std::errc() || runs.ptr == end || *runs.ptr != ' ') return {};
  if (std::from_chars(runs.ptr + 1, end, quota.period_us).ec != std::errc()) return {};
  if (quota.runs_us <= 0 || quota.period_us <= 0) return {};
  return quota;
}

}  // namespace gpustall::collect
