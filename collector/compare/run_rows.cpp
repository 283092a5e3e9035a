#include "collector/compare/run_rows.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

// Rows beyond these are too small to be looked at one by one; fewer for long runs, since each is
// a series over all steps.
size_t most_rows(size_t steps) {
  constexpr size_t kNumbers = 5'000'000;
  return std::clamp<size_t>(kNumbers / std::max<size_t>(steps, 1), 20, 1000);
}

using SiteKey = std::tuple<std::string, std::string, int32_t>;

SiteKey key_of(const ModelSite& site) {
  return {site.file, site.function, site.line};
}

// "host to device, 1.5 MB each, 12 GB/s": what is measured in it differs from run to run.
std::string object_name(const std::string& object) {
  return object.substr(0, object.find(','));
}

// Ids of the sites of both lists of rows.
std::map<SiteKey, uint32_t> site_ids(const Window& window, size_t most, SiteMatcher& matcher) {
  std::map<SiteKey, Place> places;
  for (const auto* rows : {&window.causes, &window.busy_causes}) {
    for (size_t i = 0; i < rows->size() && i < most; ++i) {
      const CauseRow& row = (*rows)[i];
      if (!row.site) continue;
      Place& place = places[key_of(*row.site)];
      if (place.site.text.empty()) place.site = *row.site;
      place.causes |= uint64_t{1} << static_cast<unsigned>(row.cause);
    }
  }
  std::vector<Place> list;
  for (const auto& [key, place] : places) list.push_back(place);
  const std::vector<uint32_t> ids = matcher.add(list);
  std::map<SiteKey, uint32_t> by_key;
  for (const auto& [key, place] : places) by_key[key] = ids[by_key.size()];
  return by_key;
}

class Rows {
 public:
  Rows(DeviceRun& run, size_t warmup, std::map<SiteKey, uint32_t> sites)
      : run_(run), warmup_(warmup), sites_(std::move(sites)) {}

  void add(const std::vector<CauseRow>& rows, bool busy) {
    const size_t most = most_rows(run_.span.size());
    for (size_t i = 0; i < rows.size() && i < most; ++i) {
      const CauseRow& row = rows[i];
      const uint32_t site = row.site ? sites_.at(key_of(*row.site)) : kNoSite;
      RunRow& sum = run_.rows[{busy, row.cause, site, object_name(row.object)}];
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
  const std::map<SiteKey, uint32_t> sites_;
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
  Rows rows(run, warmup.value_or(0), site_ids(window, most_rows(run.span.size()), matcher));
  rows.add(window.causes, false);
  rows.add(window.busy_causes, true);
  return run;
}

}  // namespace gpustall::collect
