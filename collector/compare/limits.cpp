#include "collector/compare/limits.h"

#include <algorithm>
#include <cmath>

#include "collector/compare/resample.h"
#include "collector/compare/run_rows.h"
#include "collector/compare/wording.h"

namespace gpustall::collect {
namespace {

std::string quantity_text(const Limit& limit, double value) {
  return limit.is_share ? printed("%.3g %%", 100 * value) : ms_text(value) + " ms per step";
}

// One device of a run, and what is measured on it.
class Checked {
 public:
  Checked(const Model& model, const ModelDevice& device)
      : device_(device), run_(device_run(model, device, true, 0, sites_)) {
    for (const int64_t ns : run_.span) span_ns_ += double(ns);
  }

  LimitResult judge(const Limit& limit) const {
    LimitResult result;
    result.limit = limit;
    result.device = device_.ordinal;
    if (!limit.is_share && !run_.has_steps) {
      result.sentence = limit.text() + ": no steps were found to measure it by.";
      return result;
    }
    const std::vector<double> series = series_of(limit);
    double sum = 0;
    for (const double ns : series) sum += ns;
    const double unit = limit.is_share ? span_ns_ : double(run_.span.size());
    result.measured = unit > 0 ? sum / unit : 0;
    result.margin =
        limit.is_share ? margin_of(deviations(series, *result.measured)) : margin_of(series);
    const double unknown = limit.of == Limit::Of::Causes ? unknown_ns() / unit : 0;
    const double surely = *result.measured - result.margin.value_or(0);
    if (*result.measured <= limit.value) {
      const bool hidden = *result.measured + unknown > limit.value;
      result.judgement = hidden ? Judgement::Inconclusive : Judgement::Passed;
      result.sentence = sentence_of(result);
      if (hidden)
        result.sentence += ", but " + quantity_text(limit, unknown) + " has no known cause";
    } else {
      result.judgement = surely > limit.value ? Judgement::Exceeded : Judgement::Inconclusive;
      result.sentence = sentence_of(result);
      if (surely <= limit.value) result.sentence += ": not more than noise above the limit";
    }
    result.sentence += ".";
    if (result.judgement != Judgement::Passed) result.rows = rows_of(limit);
    return result;
  }

 private:
  const Window& window() const { return run_.has_steps ? *device_.steady : device_.whole; }

  static std::string sentence_of(const LimitResult& result) {
    std::string text = result.limit.text() + ": " + quantity_text(result.limit, *result.measured);
    if (result.margin) text += " +- " + quantity_text(result.limit, *result.margin);
    return text;
  }

  std::vector<double> series_of(const Limit& limit) const {
    const std::vector<int64_t>& total = limit.of == Limit::Of::Step ? run_.span : run_.idle;
    std::vector<double> series(total.size());
    if (limit.of != Limit::Of::Causes) {
      for (size_t s = 0; s < total.size(); ++s) series[s] = double(total[s]);
      return series;
    }
    for (const auto& [key, row] : run_.rows)
      for (size_t s = 0; s < series.size() && belongs_to(text_of(key.cause).id, limit.causes); ++s)
        series[s] += double(row.ns[s]);
    return series;
  }

  double unknown_ns() const {
    double ns = 0;
    for (const auto& [key, row] : run_.rows)
      for (const int64_t value : row.ns)
        if (family_of(key.cause) == CauseFamily::Unknown) ns += double(value);
    return ns;
  }

  // Of a share of the time: a quotient of two means varies, to first order, as this does.
  std::vector<double> deviations(std::vector<double> series, double share) const {
    const double step_ns = span_ns_ / double(run_.span.size());
    for (size_t s = 0; s < series.size() && step_ns > 0; ++s)
      series[s] = (series[s] - share * double(run_.span[s])) / step_ns;
    return series;
  }

  static std::optional<double> margin_of(const std::vector<double>& series) {
    const RunSeries nothing{{std::vector<double>(series.size())}}, run{{series}};
    const std::vector<Margin> known =
        margins(std::span(&nothing, 1), std::span(&run, 1), {0}, ResampleOptions{});
    return known.empty() ? std::nullopt : std::optional(known.front().alone);
  }

  std::vector<CauseRow> rows_of(const Limit& limit) const {
    std::vector<CauseRow> rows;
    for (const auto* list : {&window().causes, &window().busy_causes})
      for (const CauseRow& row : *list) {
        const bool idle = list == &window().causes;
        const bool all = limit.of != Limit::Of::Causes && idle;
        if (row.ns > 0 && (all || (limit.of == Limit::Of::Causes &&
                                   belongs_to(text_of(row.cause).id, limit.causes))))
          rows.push_back(row);
      }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CauseRow& a, const CauseRow& b) { return a.ns > b.ns; });
    return rows;
  }

  const ModelDevice& device_;
  SiteMatcher sites_;
  const DeviceRun run_;
  double span_ns_ = 0;
};

}  // namespace

Judgement worse_of(Judgement a, Judgement b) {
  for (const Judgement bad : {Judgement::Exceeded, Judgement::Inconclusive})
    if (a == bad || b == bad) return bad;
  return Judgement::Passed;
}

std::string Limit::text() const {
  const std::string what = of == Of::Idle ? "idle" : of == Of::Step ? "step time" : causes;
  return what + " at most " + quantity_text(*this, value);
}

std::vector<LimitResult> check_limits(const Model& model, const std::vector<Limit>& limits) {
  std::vector<LimitResult> results;
  for (const ModelDevice& device : model.devices) {
    const Checked checked(model, device);
    for (const Limit& limit : limits) results.push_back(checked.judge(limit));
  }
  if (!model.devices.empty()) return results;
  for (const Limit& limit : limits) {
    LimitResult& result = results.emplace_back();
    result.limit = limit;
    result.sentence = limit.text() + ": no GPU work was recorded.";
  }
  return results;
}

GateResult judge_gate(const Comparison& comparison, double share) {
  GateResult gate{Judgement::Passed, {}};
  const std::string text = printed("Gate %.3g %%: ", 100 * share);
  if (comparison.devices.empty() || !comparison.comparable)
    return {Judgement::Inconclusive,
            text + (comparison.devices.empty()
                        ? "no GPU work to compare."
                        : "other GPU or another kind of recording, not the program alone.")};
  for (const DeviceComparison& device : comparison.devices) {
    const Change& span = device.span;
    if (device.unit != Unit::Step || !span.margin || span.base <= 0)
      return {Judgement::Inconclusive, text + "too few steps to judge it by."};
    const double change = span.change() / span.base, margin = *span.margin / span.base;
    const Judgement judgement = change - margin > share    ? Judgement::Exceeded
                                : change + margin <= share ? Judgement::Passed
                                                           : Judgement::Inconclusive;
    const bool worse =
        gate.sentence.empty() || worse_of(judgement, gate.judgement) != gate.judgement;
    if (!worse) continue;
    constexpr const char* kWords[] = {"passed", "exceeded", "inconclusive"};
    gate = {judgement,
            text + kWords[static_cast<size_t>(judgement)] +
                printed(", step time %+.1f %% +- %.1f %%", 100 * change, 100 * margin) +
                (judgement == Judgement::Inconclusive ? ": more steps or runs would tell." : ".")};
  }
  return gate;
}

}  // namespace gpustall::collect
