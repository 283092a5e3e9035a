#include "collector/analyze/loader_workers.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr int64_t kPipeDelayNs = 200'000;  // from a write's end to the reader's being awake

bool is_write(trace::WaitId wait) {
  return trace::class_of(wait) == trace::WaitClass::Write;
}

}  // namespace

LoaderWorkers::LoaderWorkers(const Recording& recording, const StackFacts& facts,
                             const ThreadSegments& segments)
    : r_(recording), facts_(facts), segments_(segments), workers_(recording.processes.size()) {
  std::unordered_map<uint32_t, uint32_t> by_pid;
  for (uint32_t p = 0; p < r_.processes.size(); ++p)
    if (r_.processes[p].role != trace::Role::LoaderWorker) by_pid[r_.processes[p].pid] = p;
  std::vector<bool> is_worker(r_.processes.size());
  for (uint32_t p = 0; p < r_.processes.size(); ++p) {
    const auto parent = by_pid.find(r_.processes[p].parent_pid);
    if (r_.processes[p].role != trace::Role::LoaderWorker || parent == by_pid.end()) continue;
    Worker worker{ProcessIndex(p)};
    for (uint32_t t = 0; t < r_.threads.size(); ++t)
      if (raw(r_.threads[t].process) == p && r_.threads[t].tid == r_.processes[p].pid)
        worker.main = ThreadIndex(t);
    workers_[parent->second].push_back(worker);
    is_worker[p] = true;
  }
  const Waits& w = r_.waits;
  for (size_t i = 0; i < w.size(); ++i) {
    const ProcessIndex process = r_.threads[raw(w.thread[i])].process;
    if (!is_worker[raw(process)] || !is_write(w.wait[i]) || w.object[i] == kNone<ObjectId>)
      continue;
    const Object& object = r_.objects[raw(w.object[i])];
    if (object.kind == trace::ObjectKind::Pipe || object.kind == trace::ObjectKind::Socket)
      into_pipe_[object.identity].push_back({w.end[i], process});
  }
  for (auto& [inode, writes] : into_pipe_)
    std::sort(writes.begin(), writes.end(),
              [](const Write& a, const Write& b) { return a.end < b.end; });
  first_sample_.resize(r_.threads.size() + 1);
  uint32_t i = 0;
  for (size_t t = 0; t <= r_.threads.size(); ++t) {
    while (i < r_.samples.size() && raw(r_.samples.thread[i]) < t) ++i;
    first_sample_[t] = i;
  }
}

// The worker that owed the batch: it wrote last into the pipe before the wait ended. Where no pipe
// tells, the first that was not itself waiting for work.
const LoaderWorkers::Worker* LoaderWorkers::owing(ProcessIndex process, uint32_t wait,
                                                  TraceTime start, TraceTime end) const {
  const auto& workers = workers_[raw(process)];
  const Waits& w = r_.waits;
  if (w.object[wait] != kNone<ObjectId>) {
    const auto writes = into_pipe_.find(r_.objects[raw(w.object[wait])].identity);
    if (writes != into_pipe_.end()) {
      const auto after =
          std::upper_bound(writes->second.begin(), writes->second.end(), w.end[wait] + kPipeDelayNs,
                           [](TraceTime t, const Write& x) { return t < x.end; });
      if (after != writes->second.begin() && std::prev(after)->end >= w.start[wait])
        for (const Worker& worker : workers)
          if (worker.process == std::prev(after)->process) return &worker;
    }
  }
  const TraceTime middle = start + (end - start) / 2;
  for (const Worker& worker : workers)
    if (!is_idle(worker, middle)) return &worker;
  return workers.empty() ? nullptr : &workers.front();
}

bool LoaderWorkers::is_idle(const Worker& worker, TraceTime at) const {
  if (worker.main == kNone<ThreadIndex>) return true;
  const uint32_t i = segments_.at(worker.main, at);
  if (i >= segments_.first[raw(worker.main) + 1] || segments_.start[i] > at) return false;
  return facts_.any(segments_.stack[i], kWorkerLoop) && !facts_.any(segments_.stack[i], kFetching);
}

void LoaderWorkers::explain(ProcessIndex process, uint32_t wait, TraceTime start, TraceTime end,
                            HostPieces& out) const {
  const StackId waiting = r_.waits.stack[wait];
  const Worker* worker = owing(process, wait, start, end);
  if (worker == nullptr || worker->main == kNone<ThreadIndex>) {
    out.push_back({start, end, Cause::DataWait, waiting, {}, kNoIndex, false});
    return;
  }
  states(*worker, start, end, waiting, out);
}

void LoaderWorkers::states(const Worker& worker, TraceTime start, TraceTime end, StackId waiting,
                           HostPieces& out) const {
  const Process& process = r_.processes[raw(worker.process)];
  const auto emit = [&](HostPiece piece, TraceTime from, TraceTime to) {
    if (to <= from) return;
    piece.start = from;
    piece.end = to;
    piece.own = false;
    if (piece.stack == kNone<StackId>) piece.stack = waiting;
    out.push_back(piece);
  };
  TraceTime cursor = start;
  if (process.first_ns > cursor) {  // not there yet
    const TraceTime born = std::min(end, process.first_ns);
    emit({0, 0, Cause::DataWorkerStart, waiting, {}, kNoIndex, false}, cursor, born);
    cursor = born;
  }
  const uint32_t stop = segments_.first[raw(worker.main) + 1];
  for (uint32_t i = segments_.at(worker.main, cursor); cursor < end; ++i) {
    const TraceTime next = i < stop ? std::clamp(segments_.start[i], cursor, end) : end;
    if (next > cursor) emit(of_cpu(worker, cursor, next), cursor, next);
    cursor = next;
    if (i >= stop || cursor >= end) break;
    const TraceTime until = std::min(end, segments_.end[i]);
    HostPiece piece =
        segments_.kind[i] == SegmentKind::Wait
            ? of_wait(segments_.index[i])
            : HostPiece{0, 0, Cause::DataWorkerCpu, segments_.stack[i], {}, kNoIndex, false};
    emit(piece, cursor, until);
    cursor = std::max(cursor, until);
  }
}

HostPiece LoaderWorkers::of_wait(uint32_t wait) const {
  const Waits& w = r_.waits;
  HostPiece piece;
  piece.stack = w.stack[wait];
  const Object* object =
      w.object[wait] == kNone<ObjectId> ? nullptr : &r_.objects[raw(w.object[wait])];
  switch (trace::class_of(w.wait[wait])) {
    case trace::WaitClass::Read:
      piece.cause = object == nullptr || object->kind == trace::ObjectKind::File ||
                            object->kind == trace::ObjectKind::Unknown
                        ? Cause::DataWorkerRead
                        : Cause::DataWorkerWait;
      break;
    case trace::WaitClass::Write:
    case trace::WaitClass::Sync:
      piece.cause = object != nullptr && object->kind == trace::ObjectKind::File
                        ? Cause::DataWorkerRead
                        : Cause::DataTransport;
      break;
    default:
      piece.cause = Cause::DataWorkerWait;
  }
  // Waiting for its next index: this worker owed nothing, so the batch was on its way.
  const bool idle = facts_.any(piece.stack, kWorkerLoop) && !facts_.any(piece.stack, kFetching);
  if (idle) piece.cause = Cause::DataTransport;
  if (idle) piece.stack = kNone<StackId>;
  return piece;
}

// The sampler's stack nearest to the middle of the stretch, if it is not far outside.
HostPiece LoaderWorkers::of_cpu(const Worker& worker, TraceTime start, TraceTime end) const {
  HostPiece piece;
  piece.cause = Cause::DataWorkerCpu;
  const Samples& s = r_.samples;
  const auto begin = s.time.begin() + first_sample_[raw(worker.main)];
  const auto stop = s.time.begin() + first_sample_[raw(worker.main) + 1];
  if (begin == stop) return piece;
  const TraceTime middle = start + (end - start) / 2;
  auto at = std::lower_bound(begin, stop, middle);
  if (at == stop || (at != begin && middle - *std::prev(at) < *at - middle)) --at;
  if (std::abs(*at - middle) > (end - start) + 50'000'000) return piece;
  const auto i = static_cast<size_t>(at - s.time.begin());
  piece.stack = s.stack[i];
  if (s.state[i] == trace::ThreadRunState::Runnable) piece.cause = Cause::DataWorkerStarved;
  if (s.state[i] == trace::ThreadRunState::DiskWait) piece.cause = Cause::DataWorkerRead;
  if (piece.stack != kNone<StackId> && !facts_.any(piece.stack, kFetching)) {
    piece.cause =
        facts_.any(piece.stack, kWorkerLoop) ? Cause::DataTransport : Cause::DataWorkerStart;
    piece.stack = kNone<StackId>;
    return piece;
  }
  if (piece.stack != kNone<StackId>)
    piece.object = r_.frames[raw(r_.stacks[raw(piece.stack)].frame)].function;
  return piece;
}

}  // namespace gpustall::collect
