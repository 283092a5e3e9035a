#include "collector/analyze/hottest_line.h"

#include <map>
#include <set>
#include <tuple>

namespace gpustall::collect {
bool is_sampled_work(Cause cause) {
  switch (cause) {
    case Cause::DataMain:
    case Cause::DataWorkerCpu:
    case Cause::DataWorkerRead:
    case Cause::DataWorkerStarved:
    case Cause::HostPython:
    case Cause::HostGc:
    case Cause::HostStarved:
    case Cause::HostPageFault:
      return true;
    default:
      return false;
  }
}

void blame_hottest_lines(const Recording& recording, const StackFacts& facts, Slices& slices) {
  const std::vector<Site>& sites = facts.sites();
  using Place = std::pair<StringId, StringId>;  // file, function
  std::set<Place> launching;
  for (StackId stack : recording.calls.stack)
    if (const SiteId site = facts.site(stack); site != kNone<SiteId>)
      launching.emplace(sites[raw(site)].file, sites[raw(site)].function);
  const auto mergeable = [&](size_t s) {
    if (!is_sampled_work(slices.cause[s]) || slices.site[s] == kNone<SiteId>) return false;
    const Site& site = sites[raw(slices.site[s])];
    return launching.count(Place(site.file, site.function)) == 0;
  };
  using Work = std::tuple<Cause, StringId, StringId>;
  const auto work_of = [&](size_t s) {
    const Site& site = sites[raw(slices.site[s])];
    return Work(slices.cause[s], site.file, site.function);
  };
  std::map<Work, std::map<SiteId, int64_t>> lines;
  for (size_t s = 0; s < slices.size(); ++s)
    if (mergeable(s)) lines[work_of(s)][slices.site[s]] += slices.end[s] - slices.start[s];
  std::map<Work, SiteId> hottest;
  for (const auto& [work, sums] : lines) {
    SiteId& best = hottest.try_emplace(work, sums.begin()->first).first->second;
    for (const auto& [site, ns] : sums)
      if (ns > sums.at(best)) best = site;
  }
  for (size_t s = 0; s < slices.size(); ++s)
    if (mergeable(s)) slices.site[s] = hottest[work_of(s)];
}

}  // namespace gpustall::collect
