#include "collector/compare/run_rows.h"

#include <algorithm>

#include "collector/analyze/hottest_line.h"

namespace gpustall::collect {
namespace {

// Rows beyond these are too small to be looked at one by one; fewer for long runs, since each is
// a series over all steps.
size_t most_rows(size_t steps) {
  constexpr size_t kNumbers = 5'000'000;
  return std::clamp<size_t>(kNumbers / std::max<size_t>(steps, 1), 20, 1000);
}

using SiteKey = std::tuple<std::string, std::string, int32_t>;

// "host to device, 1.5 MB each, 12 GB/s": what is measured in it differs from run to run.
std::string object_name(const std::string& object) {
  return object.substr(0, object.find(','));
}

// Whether a row says that its function submits work or waits for it: there each line is a statement
// of the training loop, and stays a place of its own.
bool is_of_launching_code(Cause cause) {
  const CauseFamily family = family_of(cause);
  return family != CauseFamily::Host && family != CauseFamily::Data;
}

// The places of both lists of rows, and their ids.
class SiteIds {
 public:
  SiteIds(const Window& window, size_t most, SiteMatcher& matcher) {
    for (const auto* rows : {&window.causes, &window.busy_causes})
      for (size_t i = 0; i < rows->size() && i < most; ++i) note_function((*rows)[i]);
    std::map<SiteKey, Place> places;
    for (const auto* rows : {&window.causes, &window.busy_causes})
      for (size_t i = 0; i < rows->size() && i < most; ++i) add((*rows)[i], places);
    std::vector<Place> list;
    for (const auto& [key, place] : places) list.push_back(place);
    const std::vector<uint32_t> ids = matcher.add(list);
    for (const auto& [key, place] : places) ids_[key] = ids[ids_.size()];
  }

  uint32_t of(const CauseRow& row) const { return row.site ? ids_.at(key_of(row)) : kNoSite; }

 private:
  struct Function {
    int32_t line = 0;                // of its largest sampled row
    std::map<Cause, int32_t> lines;  // of the sampled rows
    bool by_line = false;            // it launches, or its samples are not joined
  };

  void note_function(const CauseRow& row) {
    if (!row.site) return;
    Function& function = functions_[{row.site->file, row.site->function}];
    function.by_line |= is_of_launching_code(row.cause);
    if (!is_sampled_work(row.cause)) return;
    if (function.lines.empty()) function.line = row.site->line;
    const int32_t joined = function.lines.try_emplace(row.cause, row.site->line).first->second;
    function.by_line |= joined != row.site->line;
  }

  bool is_function(const CauseRow& row) const {
    return is_sampled_work(row.cause) &&
           !functions_.at({row.site->file, row.site->function}).by_line;
  }

  SiteKey key_of(const CauseRow& row) const {
    const ModelSite& site = *row.site;
    const Function& function = functions_.at({site.file, site.function});
    return {site.file, site.function, is_function(row) ? function.line : site.line};
  }

  void add(const CauseRow& row, std::map<SiteKey, Place>& places) const {
    if (!row.site) return;
    Place& place = places[key_of(row)];
    if (place.causes == 0) place.site = *row.site;
    if (place.site.text.empty() && place.site.line == row.site->line)
      place.site.text = row.site->text;
    place.causes |= bit_of(row.cause);
    place.is_function |= is_function(row);
  }

  std::map<std::pair<std::string, std::string>, Function> functions_;  // by file and name
  std::map<SiteKey, uint32_t> ids_;
};

class Rows {
 public:
  Rows(DeviceRun& run, size_t warmup, SiteIds sites)
      : run_(run), warmup_(warmup), sites_(std::move(sites)) {}

  void add(const std::vector<CauseRow>& rows, bool busy) {
    const size_t most = most_rows(run_.span.size());
    for (size_t i = 0; i < rows.size() && i < most; ++i) {
      const CauseRow& row = rows[i];
      RunRow& sum = run_.rows[{busy, row.cause, sites_.of(row), object_name(row.object)}];
      sum.ns.resize(run_.span.size());
      if (!sum.site) sum.site = row.site;
      if (sum.object.empty()) sum.object = row.object;
      if (row.every_steps) sum.period = std::max(sum.period, *row.every_steps);
      run_.has_steps ? add_steps(row, sum) : void(sum.ns[0] += row.ns);
    }
  }

 private:
  void add_steps(const CauseRow& row, RunRow& sum) {
    const size_t skipped = run_.left_out - warmup_;
    const bool stepped = row.per_step.size() == skipped + sum.ns.size();
    sum.stepped |= stepped;
    for (size_t s = 0; s < sum.ns.size(); ++s)
      sum.ns[s] += stepped ? row.per_step[skipped + s] : row.per_step_ns;
  }

  DeviceRun& run_;
  const size_t warmup_;
  const SiteIds sites_;
};

const ModelProcess* process_with_steps(const Model& model, const ModelDevice& device) {
  for (const ModelProcess& process : model.processes)
    if (process.steps && process.host == device.host &&
        process.step_ns.size() == device.step_span_ns.size() &&
        std::find(device.pids.begin(), device.pids.end(), process.pid) != device.pids.end())
      return &process;
  return nullptr;
}

}  // namespace

std::optional<uint64_t> warmup_of(const Model& model, const ModelDevice& device) {
  const ModelProcess* process = process_with_steps(model, device);
  const size_t steps = device.step_span_ns.size();
  const bool cut = device.steady && steps > 0 && device.step_busy_ns.size() == steps;
  if (process == nullptr || !cut || process->steps->warmup >= steps) return {};
  return process->steps->warmup;
}

DeviceRun device_run(const Model& model, const ModelDevice& device, bool per_step,
                     uint64_t left_out, SiteMatcher& matcher) {
  DeviceRun run;
  run.steps = device.step_span_ns.size();
  const std::optional<uint64_t> warmup = warmup_of(model, device);
  run.has_steps = per_step && warmup;
  const Window& window = run.has_steps ? *device.steady : device.whole;
  if (run.has_steps) {
    run.step_basis = process_with_steps(model, device)->steps->basis;
    run.left_out = std::max(left_out, *warmup);
    if (run.left_out + 2 > run.steps) run.left_out = *warmup;
    for (size_t s = run.left_out; s < run.steps; ++s) {
      run.span.push_back(device.step_span_ns[s]);
      run.busy.push_back(device.step_busy_ns[s]);
    }
  } else {
    run.span = {window.span_ns};
    run.busy = {window.busy_ns};
  }
  for (size_t s = 0; s < run.span.size(); ++s) {
    run.idle.push_back(run.span[s] - run.busy[s]);
    run.seconds += double(run.span[s]) / 1e9;
  }
  Rows rows(run, warmup.value_or(0), SiteIds(window, most_rows(run.span.size()), matcher));
  rows.add(window.causes, false);
  rows.add(window.busy_causes, true);
  return run;
}

}  // namespace gpustall::collect
