#include "viewer-cli/render/html/bins.h"

#include <algorithm>

namespace gpustall::cli {

namespace {

Bins empty_bins(const Palette& palette, uint64_t count, uint64_t per_bin) {
  Bins bins;
  bins.count = count;
  bins.per_bin = std::max<uint64_t>(1, per_bin);
  const auto size = static_cast<size_t>((count + bins.per_bin - 1) / bins.per_bin);
  bins.busy_ns.resize(size);
  bins.idle_ns.assign(palette.size(), std::vector<int64_t>(size));
  return bins;
}

uint64_t divided_up(uint64_t count, uint64_t parts) {
  return (count + parts - 1) / std::max<uint64_t>(1, parts);
}

}  // namespace

int64_t Bins::total_ns(size_t bin) const {
  int64_t ns = busy_ns[bin];
  for (const auto& series : idle_ns) ns += series[bin];
  return ns;
}

Bins step_bins(const collect::ModelDevice& device, const Palette& palette, size_t most_bins) {
  const size_t steps = std::min(device.step_span_ns.size(), device.step_busy_ns.size());
  if (steps == 0) return {};
  Bins bins = empty_bins(palette, steps, divided_up(steps, most_bins));
  bins.most_ns.resize(bins.size());
  std::vector<int64_t>& rest = bins.idle_ns[palette.other()];
  for (size_t step = 0; step < steps; ++step) {
    const size_t bin = step / bins.per_bin;
    bins.busy_ns[bin] += device.step_busy_ns[step];
    rest[bin] += device.step_span_ns[step] - device.step_busy_ns[step];
    bins.most_ns[bin] = std::max(bins.most_ns[bin], device.step_span_ns[step]);
  }
  // Small rows keep no times per step: what the others leave of a step's idle time is theirs.
  for (const collect::CauseRow& row : device.whole.causes) {
    if (row.per_step.size() != steps) continue;
    std::vector<int64_t>& series = bins.idle_ns[palette.of(row.cause)];
    for (size_t step = 0; step < steps; ++step) {
      series[step / bins.per_bin] += row.per_step[step];
      rest[step / bins.per_bin] -= row.per_step[step];
    }
  }
  return bins;
}

Bins time_bins(const collect::ModelDevice& device, const Palette& palette, size_t most_bins) {
  if (!device.overview || device.overview->busy_ns.empty()) return {};
  const collect::Overview& overview = *device.overview;
  const auto span = static_cast<uint64_t>(std::max<int64_t>(0, device.whole.span_ns));
  // An edited file may say anything.
  if (divided_up(span, static_cast<uint64_t>(overview.interval_ns)) != overview.busy_ns.size())
    return {};
  const uint64_t joined = divided_up(overview.busy_ns.size(), most_bins);
  Bins bins = empty_bins(palette, span, joined * static_cast<uint64_t>(overview.interval_ns));
  const size_t last = bins.size() - 1;
  for (size_t i = 0; i < overview.busy_ns.size(); ++i) {
    const size_t bin = std::min<size_t>(last, i / joined);
    bins.busy_ns[bin] += overview.busy_ns[i];
    for (const collect::IdleSeries& series : overview.idle) {
      bins.idle_ns[palette.of(series.cause)][bin] += series.ns[i];
    }
  }
  return bins;
}

}  // namespace gpustall::cli
