#include "collector/model/loaders.h"

#include <algorithm>

#include "collector/analyze/loader_workers.h"
#include "collector/base_name.h"
#include "collector/model/worker_times.h"
#include "collector/quantile.h"

namespace gpustall::collect {
namespace {

constexpr size_t kMostStates = 6;

std::string state_name(const Recording& r, const StackFacts& facts, const HostPiece& piece) {
  std::string name(text_of(piece.cause).title);
  const SiteId site = facts.site(piece.stack);
  if (raw(site) >= facts.sites().size()) return name;
  const Site& at = facts.sites()[raw(site)];
  return name + " (" + base_name(r.text(at.file)) + ":" + std::to_string(at.line) + " " +
         std::string(r.text(at.function)) + ")";
}

// Idle time per step that the loader is to blame for, on the devices of this process.
double data_wait_ns(const Model& model, uint32_t pid) {
  double most = 0;
  for (const ModelDevice& d : model.devices) {
    if (!d.steady || std::find(d.pids.begin(), d.pids.end(), pid) == d.pids.end()) continue;
    double sum = 0;
    for (const CauseRow& row : d.steady->causes)
      if (family_of(row.cause) == CauseFamily::Data) sum += double(row.per_step_ns);
    most = std::max(most, sum);
  }
  return most;
}

// What a worker costs before it works, as the training process began to start it.
int64_t start_cost(const Recording& r, const LoaderWorkers& workers, ProcessIndex process) {
  std::map<uint32_t, TraceTime> forked;  // by the child's pid
  for (const Fork& fork : r.forks) forked[fork.child_pid] = fork.start;
  std::vector<int64_t> costs;
  for (const LoaderWorkers::Worker& worker : workers.workers(process)) {
    const Process& child = r.processes[raw(worker.process)];
    const auto at = forked.find(child.pid);
    const TraceTime start = at == forked.end() ? child.first_ns : at->second;
    if (worker.ready > start) costs.push_back(worker.ready - start);
  }
  return quantile(costs, 0.5);
}

}  // namespace

std::vector<LoaderSummary> loaders_of(const Recording& r, const Analysis& analysis,
                                      const Model& model) {
  std::vector<LoaderSummary> out;
  const bool any = std::any_of(r.processes.begin(), r.processes.end(), [](const Process& p) {
    return p.role == trace::Role::LoaderWorker;
  });
  if (!any) return out;
  const StackFacts facts(r);
  const ThreadSegments segments = build_segments(r);
  const LoaderWorkers workers(r, facts, segments);
  for (const Steps& steps : analysis.steps) {
    if (!workers.has_workers(steps.process) || steps.warmup >= steps.count()) continue;
    LoaderSummary summary;
    summary.pid = r.processes[raw(steps.process)].pid;
    summary.workers = workers.at_once(steps.process);
    summary.started = static_cast<uint32_t>(workers.workers(steps.process).size());
    summary.start_ns = start_cost(r, workers, steps.process);
    const TraceTime from = steps.boundary[steps.warmup], to = steps.boundary.back();
    const double step_ns = double(to - from) / double(steps.count() - steps.warmup);
    summary.delivered_per_s = 1e9 / step_ns;
    const double without = step_ns - std::min(step_ns * 0.99, data_wait_ns(model, summary.pid));
    summary.wanted_per_s = 1e9 / without;
    std::map<std::string, int64_t> doing;
    int64_t all = 0;
    HostPieces pieces;
    for (const LoaderWorkers::Worker& worker : workers.workers(steps.process)) {
      pieces.clear();
      if (worker.main != kNone<ThreadIndex>)
        workers.states(worker, from, to, kNone<StackId>, pieces);
      for (const HostPiece& piece : pieces) {
        doing[state_name(r, facts, piece)] += piece.end - piece.start;
        all += piece.end - piece.start;
      }
    }
    for (const auto& [name, ns] : doing) summary.doing.emplace_back(name, double(ns) / double(all));
    std::sort(summary.doing.begin(), summary.doing.end(),
              [](const auto& a, const auto& b) { return a.second > b.second; });
    if (summary.doing.size() > kMostStates) summary.doing.resize(kMostStates);
    summary.meanwhile = worker_times(r, analysis, facts, workers, steps.process);
    out.push_back(std::move(summary));
  }
  return out;
}

}  // namespace gpustall::collect
