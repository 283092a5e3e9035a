#include "collector/analyze/loader_workers.h"

#include <algorithm>

#include "collector/analyze/by_thread.h"
#include "collector/analyze/overlay.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kPipeDelayNs = 200'000;      // from a write's end to the reader's being awake
constexpr int64_t kFarSampleNs = 500'000'000;  // workers are sampled in turn, not often
constexpr int64_t kIdleNs = 500'000;  // a worker that waits that long for an index owes nothing

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
  sender_.assign(r_.processes.size(), kNone<ThreadIndex>);
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
    if (object.kind != trace::ObjectKind::Pipe && object.kind != trace::ObjectKind::Socket)
      continue;
    into_pipe_[object.identity].push_back({w.end[i], process});
    if (r_.threads[raw(w.thread[i])].tid != r_.processes[raw(process)].pid)
      sender_[raw(process)] = w.thread[i];
  }
  for (auto& [inode, writes] : into_pipe_)
    std::sort(writes.begin(), writes.end(),
              [](const Write& a, const Write& b) { return a.end < b.end; });
  first_sample_ = first_by_thread(r_.samples, r_.threads.size());
  cpu_samples_.resize(r_.threads.size());
  for (const auto& workers : workers_)
    for (const Worker& worker : workers)
      if (worker.main != kNone<ThreadIndex>) find_cpu_samples(worker.main);
  for (auto& workers : workers_)
    for (Worker& worker : workers) worker.ready = first_fetch(worker);
}

// Until then a worker is starting: imports, seeds, worker_init_fn. Where no stack tells, it is
// ready at once.
TraceTime LoaderWorkers::first_fetch(const Worker& worker) const {
  if (worker.main == kNone<ThreadIndex>) return INT64_MIN;
  TraceTime first = INT64_MAX;
  for (uint32_t i = segments_.first[raw(worker.main)]; i < segments_.first[raw(worker.main) + 1];
       ++i)
    if (facts_.any(segments_.stack[i], kFetching) || waits_for_index(segments_.stack[i])) {
      first = segments_.start[i];
      break;
    }
  for (uint32_t i = first_sample_[raw(worker.main)]; i < first_sample_[raw(worker.main) + 1]; ++i)
    if (facts_.any(r_.samples.stack[i], kFetching)) {
      first = std::min(first, r_.samples.time[i]);
      break;
    }
  return first == INT64_MAX ? INT64_MIN : first;
}

void LoaderWorkers::find_cpu_samples(ThreadIndex thread) {
  const uint32_t stop = segments_.first[raw(thread) + 1];
  for (uint32_t i = first_sample_[raw(thread)]; i < first_sample_[raw(thread) + 1]; ++i) {
    const uint32_t segment = segments_.at(thread, r_.samples.time[i]);
    if (segment >= stop || segments_.start[segment] > r_.samples.time[i])
      cpu_samples_[raw(thread)].push_back(i);
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
  const Worker *alive = nullptr, *unborn = nullptr;
  for (const Worker& worker : workers) {
    if (is_alive(worker, middle)) {
      if (!is_idle(worker, middle)) return &worker;
      if (alive == nullptr) alive = &worker;
    } else if (const TraceTime born = r_.processes[raw(worker.process)].first_ns; born > middle) {
      if (unborn == nullptr || born < r_.processes[raw(unborn->process)].first_ns) unborn = &worker;
    }
  }
  return alive != nullptr ? alive : unborn;
}

uint32_t LoaderWorkers::at_once(ProcessIndex process) const {
  uint32_t most = 0;
  for (const Worker& born : workers_[raw(process)]) {
    uint32_t alive = 0;
    for (const Worker& worker : workers_[raw(process)])
      alive += is_alive(worker, r_.processes[raw(born.process)].first_ns);
    most = std::max(most, alive);
  }
  return most;
}

bool LoaderWorkers::is_alive(const Worker& worker, TraceTime at) const {
  const Process& process = r_.processes[raw(worker.process)];
  return process.first_ns <= at && at <= process.last_ns;
}

bool LoaderWorkers::waits_for_index(StackId stack) const {
  return facts_.any(stack, kWorkerLoop) && !facts_.any(stack, kFetching | kWorkerUser);
}

bool LoaderWorkers::is_idle(const Worker& worker, TraceTime at) const {
  if (worker.main == kNone<ThreadIndex>) return true;
  const uint32_t i = segments_.at(worker.main, at);
  if (i >= segments_.first[raw(worker.main) + 1] || segments_.start[i] > at) return false;
  return waits_for_index(segments_.stack[i]);
}

// Backwards, from the last idle time of a worker that is busy to where all of them were idle.
TraceTime LoaderWorkers::last_all_idle(ProcessIndex process, TraceTime from, TraceTime to) const {
  for (TraceTime at = to; at > from;) {
    TraceTime earlier = at;
    for (const Worker& worker : workers_[raw(process)]) {
      if (worker.main == kNone<ThreadIndex> || !is_alive(worker, at - 1)) continue;
      const uint32_t first = segments_.first[raw(worker.main)];
      const uint32_t stop = segments_.first[raw(worker.main) + 1];
      uint32_t i = segments_.at(worker.main, at - 1);
      if (i < stop && segments_.start[i] < at && waits_for_index(segments_.stack[i])) continue;
      while (i > first && segments_.end[i - 1] > from && !waits_for_index(segments_.stack[i - 1]))
        --i;
      earlier = i > first ? std::min(earlier, segments_.end[i - 1]) : from;
    }
    if (earlier == at) return at;
    at = earlier;
  }
  return INT64_MIN;
}

std::vector<LoaderWorkers::Interval> LoaderWorkers::later_batch_ready(ProcessIndex process,
                                                                      const Worker& owing,
                                                                      TraceTime start,
                                                                      TraceTime end) const {
  std::vector<Interval> idle;
  for (const Worker& worker : workers_[raw(process)]) {
    if (worker.process == owing.process || worker.main == kNone<ThreadIndex>) continue;
    const uint32_t first = segments_.first[raw(worker.main)];
    const uint32_t stop = segments_.first[raw(worker.main) + 1];
    // One that has not done anything yet has nothing ready.
    for (uint32_t i = std::max(first + 1, segments_.at(worker.main, start));
         i < stop && segments_.start[i] < end; ++i)
      if (segments_.end[i] - segments_.start[i] >= kIdleNs && waits_for_index(segments_.stack[i]))
        idle.push_back({std::max(start, segments_.start[i]), std::min(end, segments_.end[i])});
  }
  std::sort(idle.begin(), idle.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> joined;
  for (const Interval& i : idle)
    if (!joined.empty() && i.start <= joined.back().end)
      joined.back().end = std::max(joined.back().end, i.end);
    else
      joined.push_back(i);
  return joined;
}

void LoaderWorkers::explain(ProcessIndex process, uint32_t wait, TraceTime start, TraceTime end,
                            HostPieces& out) const {
  const StackId waiting = r_.waits.stack[wait];
  const Worker* worker = owing(process, wait, start, end);
  if (worker == nullptr || worker->main == kNone<ThreadIndex>) {
    out.push_back({start, end, Cause::DataWait, waiting, {}, kNoIndex, false});
    return;
  }
  HostPieces pieces;
  states(*worker, start, end, waiting, pieces);
  // What the late worker did stays as the site; that the others had finished is the cause.
  // While it is being received, the batch has come.
  std::vector<Interval> ready;
  if (trace::class_of(r_.waits.wait[wait]) != trace::WaitClass::Read)
    ready = later_batch_ready(process, *worker, start, end);
  for (HostPiece piece : pieces) {
    for (const Interval& i : ready) {
      if (i.end <= piece.start || i.start >= piece.end) continue;
      HostPiece before = piece, inside = piece;
      before.end = inside.start = std::max(piece.start, i.start);
      inside.end = std::min(piece.end, i.end);
      if (piece.cause != Cause::DataWorkerStart) inside.cause = Cause::DataOrder;
      append_piece(out, before);
      append_piece(out, inside);
      piece.start = inside.end;
    }
    append_piece(out, piece);
  }
}

// Between the samples around it the worker waited for a CPU for more than half of the time; for a
// worker that is sending, whose other thread does it: longer than it had one.
bool LoaderWorkers::starves(const Worker& worker, TraceTime start, TraceTime end,
                            bool sending) const {
  const Samples& s = r_.samples;
  const auto first = s.time.begin() + first_sample_[raw(worker.main)];
  const auto stop = s.time.begin() + first_sample_[raw(worker.main) + 1];
  auto after = std::lower_bound(first, stop, end);
  auto before = std::upper_bound(first, stop, start);
  if (before == first || after == stop) return false;
  --before;
  if (*after - *before > 2 * (end - start) + kFarSampleNs) return false;
  const auto i = static_cast<size_t>(before - s.time.begin());
  const auto j = static_cast<size_t>(after - s.time.begin());
  const auto runnable = static_cast<int64_t>(s.runnable_ns[j] - s.runnable_ns[i]);
  const auto cpu = static_cast<int64_t>(s.cpu_ns[j] - s.cpu_ns[i]);
  return sending ? runnable > cpu : runnable * 2 > *after - *before;
}

// A piece of the worker's time as its state tells it, corrected by what holds for longer: that the
// worker is still starting, or has no CPU.
void LoaderWorkers::emit(const Worker& worker, HostPiece piece, StackId waiting,
                         HostPieces& out) const {
  if (piece.end <= piece.start) return;
  if (piece.start < worker.ready && worker.ready < piece.end) {
    HostPiece before = piece;
    before.end = piece.start = worker.ready;
    emit(worker, before, waiting, out);
  }
  const bool sending = piece.cause == Cause::DataTransport;
  if (sending || piece.cause == Cause::DataWorkerCpu || piece.cause == Cause::DataWorkerWait) {
    const Cause told = piece.cause;
    if (piece.end <= worker.ready)
      piece.cause = Cause::DataWorkerStart;
    else if (starves(worker, piece.start, piece.end, sending))
      piece.cause = Cause::DataWorkerStarved;
    if (piece.cause != told) piece.object = {};
  }
  piece.own = false;
  if (piece.stack == kNone<StackId>) piece.stack = waiting;
  out.push_back(piece);
}

void LoaderWorkers::states(const Worker& worker, TraceTime start, TraceTime end, StackId waiting,
                           HostPieces& out) const {
  const auto add = [&](HostPiece piece, TraceTime from, TraceTime to) {
    piece.start = from;
    piece.end = to;
    emit(worker, piece, waiting, out);
  };
  TraceTime cursor = start;
  if (const TraceTime born = r_.processes[raw(worker.process)].first_ns; born > cursor) {
    cursor = std::min(end, born);
    add({0, 0, Cause::DataWorkerStart, waiting, {}, kNoIndex, false}, start, cursor);
  }
  const uint32_t stop = segments_.first[raw(worker.main) + 1];
  for (uint32_t i = segments_.at(worker.main, cursor); cursor < end; ++i) {
    const TraceTime next = i < stop ? std::clamp(segments_.start[i], cursor, end) : end;
    if (next > cursor) add(of_cpu(worker, cursor, next), cursor, next);
    cursor = next;
    if (i >= stop || cursor >= end) break;
    const TraceTime until = std::min(end, segments_.end[i]);
    add(segments_.kind[i] == SegmentKind::Wait
            ? of_wait(segments_.index[i])
            : HostPiece{0, 0, Cause::DataWorkerCpu, segments_.stack[i], {}, kNoIndex, false},
        cursor, until);
    cursor = std::max(cursor, until);
  }
}

// For the GIL, while the worker's other thread pickles and sends what was loaded before. A wait
// that timed out has no waker.
bool LoaderWorkers::waits_for_sender(uint32_t wait) const {
  const Waits& w = r_.waits;
  if (w.object[wait] == kNone<ObjectId> ||
      r_.objects[raw(w.object[wait])].kind != trace::ObjectKind::Gil)
    return false;
  const ThreadIndex sender = sender_[raw(r_.threads[raw(w.thread[wait])].process)];
  if (sender == kNone<ThreadIndex> || sender == w.thread[wait]) return false;
  return w.waker[wait] == kNone<ThreadIndex> || w.waker[wait] == sender;
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
      piece.cause = waits_for_sender(wait) ? Cause::DataTransport : Cause::DataWorkerWait;
  }
  // Waiting for its next index: this worker owed nothing, so the batch was on its way.
  const bool idle = waits_for_index(piece.stack);
  if (facts_.any(piece.stack, kWorkerUser) && !facts_.any(piece.stack, kFetching))
    piece.cause = Cause::DataWorkerStart;  // worker_init_fn
  if (idle) piece.cause = Cause::DataTransport;
  if (idle) piece.stack = kNone<StackId>;
  return piece;
}

// The sample nearest to the middle of the stretch, among those outside of waits: what a worker does
// for longer is seen more often.
HostPiece LoaderWorkers::of_cpu(const Worker& worker, TraceTime start, TraceTime end) const {
  HostPiece piece;
  piece.cause = Cause::DataWorkerCpu;
  const Samples& s = r_.samples;
  const std::vector<uint32_t>& seen = cpu_samples_[raw(worker.main)];
  if (seen.empty()) return piece;
  const TraceTime middle = start + (end - start) / 2;
  auto at = std::lower_bound(seen.begin(), seen.end(), middle,
                             [&](uint32_t i, TraceTime t) { return s.time[i] < t; });
  if (at == seen.end() ||
      (at != seen.begin() && middle - s.time[*std::prev(at)] < s.time[*at] - middle))
    --at;
  const uint32_t i = *at;
  if (std::abs(s.time[i] - middle) > (end - start) + kFarSampleNs) return piece;
  piece.stack = s.stack[i];
  if (s.state[i] == trace::ThreadRunState::Runnable) piece.cause = Cause::DataWorkerStarved;
  if (s.state[i] == trace::ThreadRunState::DiskWait) piece.cause = Cause::DataWorkerRead;
  if (piece.stack != kNone<StackId> && !facts_.any(piece.stack, kFetching)) {
    const bool init = facts_.any(piece.stack, kWorkerUser);
    piece.cause = waits_for_index(piece.stack) ? Cause::DataTransport : Cause::DataWorkerStart;
    if (!init) piece.stack = kNone<StackId>;
    return piece;
  }
  if (piece.stack != kNone<StackId>)
    piece.object = r_.frames[raw(r_.stacks[raw(piece.stack)].frame)].function;
  return piece;
}

}  // namespace gpustall::collect
