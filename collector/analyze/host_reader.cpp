#include "collector/analyze/host_reader.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr int kMostHops = 4;
constexpr int64_t kRealWaitNs = 30'000;  // shorter ones found it ready
constexpr int64_t kStackFromNs = 50'000;
constexpr int64_t kReceiveNs = 500'000;   // a read that long waited for its writer
constexpr int64_t kWakeUpNs = 50'000;     // a woken thread that needs longer has no CPU
constexpr int64_t kLongCallNs = 300'000;  // no launch takes that long of its own

}  // namespace

HostReader::HostReader(const StallInput& input, const Stalls& stalls, const CallOwners& owners,
                       const ThreadSegments& segments, CpuTime& cpu, const LoaderWorkers& workers)
    : in_(input),
      r_(input.recording),
      stalls_(stalls),
      owners_(owners),
      segments_(segments),
      cpu_(cpu),
      workers_(workers),
      overlays_(input.recording),
      near_(input.recording.threads.size()) {
  find_threads();
}

void HostReader::find_threads() {
  std::vector<uint32_t> launches(r_.threads.size());
  for (size_t i = 0; i < r_.calls.size(); ++i) {
    const trace::CallClass cls = trace::class_of(r_.calls.call[i]);
    if (cls == trace::CallClass::Launch || cls == trace::CallClass::Graph)
      ++launches[raw(r_.calls.thread[i])];
  }
  launching_.resize(r_.threads.size());
  launchers_.resize(r_.processes.size());
  for (uint32_t t = 0; t < r_.threads.size(); ++t) {
    launching_[t] = launches[t] > 0;
    if (launching_[t]) launchers_[raw(r_.threads[t].process)].push_back(ThreadIndex(t));
  }
  for (auto& list : launchers_)
    std::sort(list.begin(), list.end(),
              [&](ThreadIndex a, ThreadIndex b) { return launches[raw(a)] > launches[raw(b)]; });
  pin_.assign(r_.processes.size(), kNone<ThreadIndex>);
  const auto look = [&](ThreadIndex thread, StackId stack) {
    if (in_.facts.any(stack, kPinLoop)) pin_[raw(r_.threads[raw(thread)].process)] = thread;
  };
  for (size_t i = 0; i < r_.waits.size(); ++i) look(r_.waits.thread[i], r_.waits.stack[i]);
  for (size_t i = 0; i < r_.samples.size(); ++i) look(r_.samples.thread[i], r_.samples.stack[i]);
}

HostReader::WaitFor HostReader::waits_for(uint32_t wait) const {
  const Waits& w = r_.waits;
  const StackId stack = w.stack[wait];
  const Object* object =
      w.object[wait] == kNone<ObjectId> ? nullptr : &r_.objects[raw(w.object[wait])];
  if (object != nullptr && object->kind == trace::ObjectKind::Gil) return WaitFor::Gil;
  const bool fetching = in_.facts.any(stack, kFetching);
  switch (trace::class_of(w.wait[wait])) {
    case trace::WaitClass::Read:
    case trace::WaitClass::Poll: {
      if (fetching) return WaitFor::Itself;
      if (in_.facts.any(stack, kLoaderQueue | kLoaderNext | kPinLoop)) return WaitFor::Loader;
      const bool channel = object != nullptr && (object->kind == trace::ObjectKind::Pipe ||
                                                 object->kind == trace::ObjectKind::Socket);
      return channel ? WaitFor::Process : WaitFor::Itself;
    }
    case trace::WaitClass::Semaphore:
    case trace::WaitClass::Condition:
      if (fetching) return WaitFor::Itself;
      if (in_.facts.any(stack, kLoaderQueue | kLoaderNext)) return WaitFor::Loader;
      if (in_.facts.callee(stack) == Callee::Backward) return WaitFor::Launcher;
      // An autograd thread waits for work without any Python frame; shorter waits than this carry
      // no stack on any thread.
      if (stack == kNone<StackId> && launching_[raw(w.thread[wait])])
        return w.end[wait] - w.start[wait] >= kStackFromNs ? WaitFor::Launcher : WaitFor::Itself;
      return WaitFor::Thread;
    default:
      return WaitFor::Itself;
  }
}

bool HostReader::is_outside_wait(uint32_t wait) const {
  if (r_.waits.end[wait] - r_.waits.start[wait] < kRealWaitNs) return false;
  const WaitFor what = waits_for(wait);
  return what == WaitFor::Loader || what == WaitFor::Process || what == WaitFor::Thread ||
         what == WaitFor::Gil;
}

void HostReader::read(ThreadIndex thread, TraceTime start, TraceTime end, int hops,
                      HostPieces& out) {
  const uint32_t stop = segments_.first[raw(thread) + 1];
  uint32_t i = segments_.at(thread, start, near_[raw(thread)]);
  near_[raw(thread)] = i;
  for (TraceTime cursor = start; cursor < end; ++i) {
    const TraceTime next = i < stop ? std::clamp(segments_.start[i], cursor, end) : end;
    scratch_.clear();
    cpu_.explain(thread, cursor, next, i, scratch_);
    overlays_.append(thread, scratch_, out);
    cursor = next;
    if (i >= stop || cursor >= end) break;
    const TraceTime until = std::min(end, segments_.end[i]);
    if (until <= cursor) continue;
    if (segments_.kind[i] == SegmentKind::Call)
      call(i, cursor, until, out);
    else
      wait(thread, i, cursor, until, hops, out);
    cursor = until;
  }
}

void HostReader::call(uint32_t segment, TraceTime start, TraceTime end, HostPieces& out) {
  const uint32_t index = segments_.index[segment];
  HostPiece piece;
  piece.start = start;
  piece.end = end;
  piece.stall = stalls_.of_call[index];
  if (piece.stall != kNoIndex) {
    piece.cause = stalls_.all[piece.stall].cause;
    piece.stack = stalls_.all[piece.stall].stack;
  } else {
    piece.cause = owners_.cause(index);
    const ThreadIndex thread = r_.calls.thread[index];
    piece.stack =
        owners_.stack(index, in_.backward.effective(thread, start, r_.calls.stack[index]));
    piece.own = true;
    if (end - start >= kLongCallNs && family_of(piece.cause) == CauseFamily::Launch) {
      HostPiece starved = piece;
      starved.cause = Cause::HostStarved;
      starved.end = piece.start = start + cpu_.waited_in_call(thread, start, end);
      if (starved.end > starved.start) overlays_.append(thread, {starved}, out);
    }
  }
  if (piece.end > piece.start) overlays_.append(r_.calls.thread[index], {piece}, out);
}

void HostReader::wait(ThreadIndex thread, uint32_t segment, TraceTime start, TraceTime end,
                      int hops, HostPieces& out) {
  const uint32_t index = segments_.index[segment];
  if (segments_.kind[segment] == SegmentKind::Fork) {
    const StackId stack = r_.forks[index].stack;
    const bool loader = in_.facts.any(stack, kLoaderStart | kLoaderNext | kLoaderQueue);
    out.push_back({start,
                   end,
                   loader ? Cause::DataWorkerStart : Cause::HostProcess,
                   stack,
                   {},
                   kNoIndex,
                   true});
    return;
  }
  switch (waits_for(index)) {
    case WaitFor::Loader:
      loader_wait(thread, index, start, end, hops, out);
      return;
    case WaitFor::Launcher:
    case WaitFor::Thread:
      thread_wait(thread, index, start, end, hops, out);
      return;
    case WaitFor::Gil: {
      HostPiece piece{start, end, Cause::HostGil, segments_.stack[segment], {}, kNoIndex, false};
      const ThreadIndex holder = r_.waits.waker[index];
      if (holder != kNone<ThreadIndex>) piece.object = r_.threads[raw(holder)].name;
      out.push_back(piece);
      return;
    }
    case WaitFor::Process: {
      const ObjectId object = r_.waits.object[index];
      out.push_back({start, end, Cause::HostRead, segments_.stack[segment],
                     r_.objects[raw(object)].path, kNoIndex, false});
      return;
    }
    case WaitFor::Itself:
      out.push_back(itself(thread, segment, start, end));
      return;
  }
}

// A wait that is the thread's own doing. Short ones carry no stack: what happens around them tells
// whose they are.
HostPiece HostReader::itself(ThreadIndex thread, uint32_t segment, TraceTime start, TraceTime end) {
  const uint32_t index = segments_.index[segment];
  const Waits& w = r_.waits;
  HostPiece piece;
  if (w.stack[index] == kNone<StackId>) {
    piece = cpu_.context(thread, start, end, segment);
  } else {
    piece.start = start;
    piece.end = end;
    piece.stack = w.stack[index];
    piece.cause = in_.facts.any(piece.stack, kFetching)      ? Cause::DataMain
                  : in_.facts.any(piece.stack, kImporting)   ? Cause::ColdLibrary
                  : in_.facts.any(piece.stack, kLoaderStart) ? Cause::DataWorkerStart
                  : in_.facts.any(piece.stack, kLoaderQueue) ? Cause::DataTransport
                                                             : Cause::LaunchDispatch;
    if (in_.facts.callee(piece.stack) == Callee::Save) piece.cause = Cause::HostCheckpoint;
  }
  piece.own = true;
  const bool plain = piece.cause == Cause::LaunchDispatch || piece.cause == Cause::HostPython ||
                     piece.cause == Cause::UnknownUntraced;
  if (!plain) return piece;
  switch (trace::class_of(w.wait[index])) {
    case trace::WaitClass::Read:
    case trace::WaitClass::Poll:
      piece.cause = w.object[index] == kNone<ObjectId> &&
                            trace::class_of(w.wait[index]) == trace::WaitClass::Poll
                        ? Cause::HostSleep
                        : Cause::HostRead;
      break;
    case trace::WaitClass::Sleep:
      piece.cause = Cause::HostSleep;
      break;
    case trace::WaitClass::Write:
    case trace::WaitClass::Sync:
      piece.cause = Cause::HostIo;
      break;
    case trace::WaitClass::Process:
      piece.cause = Cause::HostProcess;
      break;
    default:
      break;
  }
  return piece;
}

void HostReader::loader_wait(ThreadIndex thread, uint32_t wait, TraceTime start, TraceTime end,
                             int hops, HostPieces& out) {
  const ProcessIndex process = r_.threads[raw(thread)].process;
  const StackId waiting = r_.waits.stack[wait];
  const ThreadIndex pin = pin_thread(thread, wait);
  const size_t from = out.size();
  if (pin != kNone<ThreadIndex> && hops < kMostHops)
    read(pin, start, end, hops + 1, out);
  else if (receives(wait))
    out.push_back({start, end, Cause::DataTransport, waiting, {}, kNoIndex, false});
  else
    workers_.explain(process, wait, start, end, out);
  for (size_t i = from; i < out.size(); ++i) {
    HostPiece& piece = out[i];
    piece.own = false;
    piece.stall = kNoIndex;
    // Whatever the pin thread does itself is pinning.
    if (family_of(piece.cause) != CauseFamily::Data) piece.cause = Cause::DataPin;
    if (!in_.facts.has_user_frame(piece.stack)) piece.stack = waiting;
  }
}

// Taking over what a worker has sent. A read from the pipe is only long where nobody polled it
// before. Handles of shared memory come through sockets from a thread of the worker, which needs
// the worker's GIL: where that takes longer, what the worker does is the reason.
bool HostReader::receives(uint32_t wait) const {
  const Waits& w = r_.waits;
  return trace::class_of(w.wait[wait]) == trace::WaitClass::Read &&
         w.end[wait] - w.start[wait] < kReceiveNs;
}

// The thread between the loader's queue and the workers, when it is not the waiting one itself.
ThreadIndex HostReader::pin_thread(ThreadIndex thread, uint32_t wait) const {
  const trace::WaitClass cls = trace::class_of(r_.waits.wait[wait]);
  if (cls != trace::WaitClass::Semaphore && cls != trace::WaitClass::Condition)
    return kNone<ThreadIndex>;
  const ThreadIndex pin = pin_[raw(r_.threads[raw(thread)].process)];
  return pin == thread ? kNone<ThreadIndex> : pin;
}

ThreadIndex HostReader::other_launcher(ThreadIndex thread, uint32_t wait) const {
  const ThreadIndex waker = r_.waits.waker[wait];
  if (waker != kNone<ThreadIndex> && waker != thread) return waker;
  for (ThreadIndex other : launchers_[raw(r_.threads[raw(thread)].process)])
    if (other != thread) return other;
  return kNone<ThreadIndex>;
}

void HostReader::thread_wait(ThreadIndex thread, uint32_t wait, TraceTime start, TraceTime end,
                             int hops, HostPieces& out) {
  const Waits& w = r_.waits;
  const bool launcher = waits_for(wait) == WaitFor::Launcher;
  const ThreadIndex other = launcher ? other_launcher(thread, wait) : w.waker[wait];
  const StackId stack = in_.backward.effective(thread, start, w.stack[wait]);
  if (other == kNone<ThreadIndex> || other == thread || hops >= kMostHops) {
    out.push_back({start, end, Cause::HostLock, stack, {}, kNoIndex, launcher});
    return;
  }
  // Woken and not running: what is left of the wait is the scheduler's.
  const bool late = w.waker[wait] != kNone<ThreadIndex> && w.waker_time[wait] >= w.start[wait] &&
                    w.end[wait] - w.waker_time[wait] > kWakeUpNs;
  const TraceTime woken = late ? std::clamp(w.waker_time[wait], start, end) : end;
  const size_t from = out.size();
  if (woken > start) read(other, start, woken, hops + 1, out);
  if (!launcher) blame_lock(from, stack, r_.threads[raw(other)].name, out);
  if (woken < end) out.push_back({woken, end, Cause::HostStarved, stack, {}, kNoIndex, launcher});
}

// Another thread was waited for: its own causes stand where they say something, plain CPU time and
// waits for the device there are the lock's.
void HostReader::blame_lock(size_t from, StackId stack, StringId holder, HostPieces& out) const {
  for (size_t i = from; i < out.size(); ++i) {
    HostPiece& piece = out[i];
    piece.own = false;
    const bool plain =
        piece.cause == Cause::LaunchDispatch || piece.cause == Cause::UnknownUntraced;
    if (!plain && piece.stall == kNoIndex) continue;
    piece.cause = Cause::HostLock;
    piece.stall = kNoIndex;
    piece.stack = stack;
    piece.object = holder;
  }
}

}  // namespace gpustall::collect
