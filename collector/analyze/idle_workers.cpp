#include "collector/analyze/idle_workers.h"

#include <algorithm>

#include "collector/analyze/by_thread.h"
#include "collector/analyze/loader_workers.h"

namespace gpustall::collect {
namespace {

bool misses_waits(trace::NoticeKind what) {
  switch (what) {
    case trace::NoticeKind::PythonStacksOff:
    case trace::NoticeKind::CapReached:
    case trace::NoticeKind::DiskFull:
    case trace::NoticeKind::WindowOpened:
    case trace::NoticeKind::WindowClosed:
    case trace::NoticeKind::FileCut:
      return true;
    default:
      return false;
  }
}

bool misses_waits(trace::LossKind kind) {
  return kind == trace::LossKind::NoChunk || kind == trace::LossKind::RecordTooLong ||
         kind == trace::LossKind::DictionaryFull;
}

class Finder {
 public:
  explicit Finder(const Recording& r)
      : r_(r),
        facts_(r),
        segments_(build_segments(r)),
        workers_(r, facts_, segments_),
        first_wait_(first_by_thread(r.waits, r.threads.size())),
        incomplete_(r.processes.size()) {
    for (const Unobserved& u : r.unobserved)
      if (misses_waits(u.what)) incomplete_[raw(u.process)] = true;
    for (const Loss& loss : r.losses)
      if (loss.count > 0 && misses_waits(loss.kind)) incomplete_[raw(loss.process)] = true;
  }

  std::vector<IdleWorkers> run() {
    std::vector<IdleWorkers> all;
    for (uint32_t p = 0; p < r_.processes.size(); ++p) {
      changes_.clear();
      const auto& workers = workers_.workers(ProcessIndex{p});
      const auto known = [&](const LoaderWorkers::Worker& w) { return find_waits(w); };
      if (!workers.empty() && std::all_of(workers.begin(), workers.end(), known))
        all.push_back(counted(ProcessIndex{p}));
    }
    return all;
  }

 private:
  struct Change {
    TraceTime time;
    int by;
  };

  // The waits for an index; false: not all of them are known.
  bool find_waits(const LoaderWorkers::Worker& worker) {
    if (worker.main == kNone<ThreadIndex> || incomplete_[raw(worker.process)]) return false;
    const Waits& w = r_.waits;
    bool told = false;  // a stack has been seen
    changes_.push_back({r_.processes[raw(worker.process)].first_ns, 0});
    for (uint32_t i = first_wait_[raw(worker.main)]; i < first_wait_[raw(worker.main) + 1]; ++i) {
      told |= facts_.any(w.stack[i], kWorkerLoop);
      if (raw(w.object[i]) >= r_.objects.size()) continue;  // of short ones nothing is recorded
      const trace::ObjectKind kind = r_.objects[raw(w.object[i])].kind;
      if (kind != trace::ObjectKind::Pipe && kind != trace::ObjectKind::Socket) continue;
      if (w.stack[i] == kNone<StackId>) return false;
      if (!workers_.waits_for_index(w.stack[i])) continue;
      changes_.push_back({w.start[i], +1});
      changes_.push_back({w.end[i], -1});
    }
    return told;
  }

  IdleWorkers counted(ProcessIndex process) {
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.time < b.time; });
    IdleWorkers out{process, {}, {}};
    int idle = 0;
    for (size_t i = 0; i < changes_.size(); ++i) {
      idle += changes_[i].by;
      if (i + 1 < changes_.size() && changes_[i + 1].time == changes_[i].time) continue;
      if (!out.idle.empty() && out.idle.back() == static_cast<uint32_t>(idle)) continue;
      out.time.push_back(changes_[i].time);
      out.idle.push_back(static_cast<uint32_t>(idle));
    }
    return out;
  }

  const Recording& r_;
  const StackFacts facts_;
  const ThreadSegments segments_;
  const LoaderWorkers workers_;
  const std::vector<uint32_t> first_wait_;  // by thread
  std::vector<bool> incomplete_;            // by process
  std::vector<Change> changes_;
};

}  // namespace

std::vector<IdleWorkers> idle_workers(const Recording& r) {
  const bool any = std::any_of(r.processes.begin(), r.processes.end(), [](const Process& p) {
    return p.role == trace::Role::LoaderWorker;
  });
  return any ? Finder(r).run() : std::vector<IdleWorkers>();
}

}  // namespace gpustall::collect
