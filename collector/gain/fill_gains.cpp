#include "collector/gain/fill_gains.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "collector/gain/gain.h"

namespace gpustall::collect {
namespace {

constexpr size_t kRowsAsked = 10;        // a replay each
constexpr double kWorthAsking = 1;       // an alternative, percent of all time
constexpr double kWorthCombining = 0.5;  // percent of the step

using RowKey = std::tuple<Cause, std::string, int32_t, std::string, uint32_t>;

RowKey key_of(const CauseRow& row) {
  if (!row.site) return {row.cause, "", 0, "", row.group};
  return {row.cause, row.site->file, row.site->line, row.site->function, row.group};
}

class Filler {
 public:
  Filler(const Recording& recording, const Analysis& analysis, const Steps& steps)
      : predictor_(recording, analysis, steps) {
    for (uint32_t i = 0; i < analysis.sites.size(); ++i) {
      const Site& s = analysis.sites[i];
      sites_[{std::string(recording.text(s.file)), s.line,
              std::string(recording.text(s.function))}] = SiteId(i);
    }
  }

  const GainPredictor& predictor() const { return predictor_; }

  // Other repairs for the same time, the largest ones.
  void ask_alternatives(const Window& window, double most) {
    std::vector<CauseRow> rows;
    for (const CauseRow& row : window.alternatives)
      if (100 * double(row.ns) >= kWorthAsking * double(window.span_ns)) rows.push_back(row);
    ask(rows, most);
  }

  // `most`: percent of the step that there is to gain at all.
  void ask(const std::vector<CauseRow>& rows, double most) {
    size_t asked = 0;
    for (const CauseRow& row : rows) {
      if (asked == kRowsAsked) break;
      if (gains_.count(key_of(row)) != 0) continue;
      const GainTargets targets = targets_of(row, rows);
      const std::optional<Gain> gain = predictor_.predict(targets);
      if (!gain) continue;
      ++asked;
      const double limit = std::min(100.0, most + predictor_.fused_pct(targets));
      most_ = std::max(most_, limit);
      gains_[key_of(row)] = bounded(*gain, limit);
      all_.insert(all_.end(), targets.begin(), targets.end());
      if (gain->pct >= kWorthCombining) worth_.insert(worth_.end(), targets.begin(), targets.end());
    }
  }

  void give(std::vector<CauseRow>& rows) const {
    for (CauseRow& row : rows)
      if (const auto at = gains_.find(key_of(row)); at != gains_.end()) row.gain = at->second;
  }

  // Those that gain something alone; all that were asked about where these gain more together.
  void combine(Combined& out) const {
    const Gain none{0, 0, kWorthCombining, 0};
    out.gain = worth_.empty() ? none : predictor_.predict(worth_).value_or(none);
    const GainTargets* together = &worth_;
    if (all_.size() > worth_.size()) {
      const Gain gain = predictor_.predict(all_).value_or(none);
      if (gain.pct >= out.gain->pct + kWorthCombining) out.gain = gain, together = &all_;
    }
    for (const GainTarget& t : *together)
      if (std::find(out.causes.begin(), out.causes.end(), t.cause) == out.causes.end())
        out.causes.push_back(t.cause);
    // No less than the best of them alone, no more than there is.
    for (const auto& [key, gain] : gains_) {
      if (!gain || gain->pct <= out.gain->pct) continue;
      *out.gain = *gain;
    }
    out.gain = bounded(*out.gain, most_);
  }

 private:
  static Gain bounded(Gain gain, double most) {
    if (gain.pct > most)
      gain.ns_per_step = static_cast<int64_t>(double(gain.ns_per_step) * most / gain.pct);
    gain.low_pct = std::min(gain.low_pct, most);
    gain.pct = std::min(gain.pct, most);
    gain.high_pct = std::min(gain.high_pct, most);
    return gain;
  }

  SiteId site_of(const CauseRow& row) const {
    if (!row.site) return kNone<SiteId>;
    const auto at = sites_.find({row.site->file, row.site->line, row.site->function});
    return at == sites_.end() ? kNone<SiteId> : at->second;
  }
  // Waits that only help together are repaired together.
  GainTargets targets_of(const CauseRow& row, const std::vector<CauseRow>& rows) const {
    if (row.group == 0) return {{row.cause, site_of(row)}};
    GainTargets targets;
    for (const CauseRow& other : rows)
      if (other.group == row.group) targets.push_back({other.cause, site_of(other)});
    return targets;
  }

  GainPredictor predictor_;
  std::map<std::tuple<std::string, int32_t, std::string>, SiteId> sites_;
  std::map<RowKey, std::optional<Gain>> gains_;
  GainTargets worth_, all_;
  double most_ = 0;
};

bool works_on(const ModelDevice& device, uint32_t pid) {
  return std::find(device.pids.begin(), device.pids.end(), pid) != device.pids.end();
}

}  // namespace

void fill_gains(const Recording& recording, const Analysis& analysis, Model& model) {
  if (recording.stated) return;  // without what a replay needs; said in the ledger
  for (const Steps& steps : analysis.steps) {
    Filler filler(recording, analysis, steps);
    if (!filler.predictor().usable()) {
      model.ledger.not_observed.push_back(
          "gains: the replay of the untouched recording does not reproduce its step time");
      continue;
    }
    for (ModelDevice& device : model.devices) {
      if (!works_on(device, recording.processes[raw(steps.process)].pid)) continue;
      const Window& asked = device.steady ? *device.steady : device.whole;
      const double most = 100 * double(asked.idle_ns + asked.exposed_copy_ns) /
                          double(std::max<int64_t>(1, asked.span_ns));
      filler.ask(asked.causes, most);
      filler.ask(asked.busy_causes, most);
      filler.ask_alternatives(asked, most);
      for (Window* w : {&device.whole, device.steady ? &*device.steady : nullptr}) {
        if (w == nullptr) continue;
        filler.give(w->causes);
        filler.give(w->busy_causes);
        filler.give(w->alternatives);
      }
    }
    filler.combine(model.combined);
    const size_t steady = steps.count() - steps.warmup;
    if (const size_t replayed = filler.predictor().steady_steps(); replayed < steady)
      model.ledger.not_observed.push_back(
          "gains: of the last " + std::to_string(steady - replayed) +
          " steps; predicted from the first " + std::to_string(replayed) + " steady ones");
  }
}

}  // namespace gpustall::collect
