#include "collector/analyze/cpu_time.h"

#include <algorithm>

#include "collector/analyze/by_thread.h"
#include "collector/analyze/fault_times.h"
#include "collector/analyze/overlay.h"
#include "collector/analyze/throttles.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kLongAtLeast = 500'000;  // no framework needs that for one launch
constexpr int64_t kLongFactor = 20;        // times the thread's usual pause between calls
constexpr int64_t kTooShortToAsk = 20'000;
constexpr double kStarvedShare = 0.1;

uint64_t key_of(StackId before, StackId after) {
  return uint64_t{raw(before)} << 32 | raw(after);
}

// Loading stays loading, whoever had the CPU meanwhile.
bool can_starve(Cause cause) {
  const CauseFamily family = family_of(cause);
  return family == CauseFamily::Host || family == CauseFamily::Launch;
}

}  // namespace

CpuTime::CpuTime(const Recording& recording, const StackFacts& facts, const BackwardWaits& backward,
                 const ThreadSegments& segments, const LoaderWorkers& workers)
    : r_(recording),
      facts_(facts),
      backward_(backward),
      segments_(segments),
      workers_(workers),
      first_sample_(first_by_thread(recording.samples, recording.threads.size())),
      faulting_(find_faulting(recording.samples)) {
  find_launching_lines();
  find_typical_pauses();
  find_starved();
  pool_samples();
}

int64_t CpuTime::waited_in_call(ThreadIndex thread, TraceTime start, TraceTime end) const {
  const Samples& s = r_.samples;
  const auto first = s.time.begin() + first_sample_[raw(thread)];
  const auto stop = s.time.begin() + first_sample_[raw(thread) + 1];
  const auto after = std::lower_bound(first, stop, end);
  auto before = std::upper_bound(first, stop, start);
  if (before == first || after == stop) return 0;
  const auto i = static_cast<size_t>(std::prev(before) - s.time.begin());
  const auto j = static_cast<size_t>(after - s.time.begin());
  if (s.runnable_ns[i] == 0 || s.runnable_ns[j] <= s.runnable_ns[i]) return 0;
  const auto waited = static_cast<int64_t>(s.runnable_ns[j] - s.runnable_ns[i]);
  return 2 * waited >= end - start ? std::min(waited, end - start) : 0;
}

// The kernel counts a wait for a CPU when it ends: what does not fit between two samples belongs to
// the ones before. It counts stops by a quota, too, which have an owner of their own.
void CpuTime::find_starved() {
  const Samples& s = r_.samples;
  starved_.resize(s.size());
  std::vector<std::vector<Throttle>> throttles(r_.processes.size());
  for (const Throttle& t : find_throttles(r_)) throttles[raw(t.process)].push_back(t);
  for (size_t t = 0; t < r_.threads.size(); ++t) {
    int64_t over = 0;
    const std::vector<Throttle>& stops = throttles[raw(r_.threads[t].process)];
    size_t left = stops.size();
    for (size_t i = first_sample_[t + 1]; i-- > first_sample_[t];) {
      if (s.runnable_ns[i] == 0) {  // only the state is known
        starved_[i] = s.state[i] == trace::ThreadRunState::Runnable;
        continue;
      }
      if (i == first_sample_[t] || s.time[i] <= s.time[i - 1]) continue;
      const int64_t between = s.time[i] - s.time[i - 1];
      const auto counted = static_cast<int64_t>(s.runnable_ns[i] - s.runnable_ns[i - 1]);
      int64_t stopped = 0;
      for (; left > 0 && stops[left - 1].end > s.time[i - 1]; --left)
        if (stops[left - 1].end <= s.time[i])
          stopped += stops[left - 1].end - stops[left - 1].start;
      const int64_t waited = over + std::max<int64_t>(0, counted - stopped);
      starved_[i] = std::min(1.0, double(waited) / double(between));
      over = std::max<int64_t>(0, waited - between);
    }
  }
}

void CpuTime::find_launching_lines() {
  launching_.resize(r_.stacks.size());
  std::vector<bool> calls(r_.threads.size()), stacked(r_.threads.size());
  for (size_t i = 0; i < r_.calls.size(); ++i) {
    calls[raw(r_.calls.thread[i])] = true;
    if (facts_.is_python(r_.calls.stack[i])) stacked[raw(r_.calls.thread[i])] = true;
  }
  bare_.resize(r_.threads.size());
  for (size_t t = 0; t < bare_.size(); ++t) bare_[t] = calls[t] && !stacked[t];
  for (size_t i = 0; i < r_.calls.size(); ++i) {
    const trace::CallClass cls = trace::class_of(r_.calls.call[i]);
    if (cls != trace::CallClass::Launch && cls != trace::CallClass::Graph) continue;
    const StackId line = facts_.user_node(r_.calls.stack[i]);
    if (line != kNone<StackId>) launching_[raw(line)] = true;
  }
}

void CpuTime::find_typical_pauses() {
  long_from_.assign(r_.threads.size(), kLongAtLeast);
  std::vector<int64_t> pauses;
  for (size_t t = 0; t < r_.threads.size(); ++t) {
    pauses.clear();
    for (uint32_t i = segments_.first[t] + 1; i < segments_.first[t + 1]; ++i)
      pauses.push_back(segments_.start[i] - segments_.end[i - 1]);
    if (pauses.empty()) continue;
    const auto middle = pauses.begin() + static_cast<ptrdiff_t>(pauses.size() / 2);
    std::nth_element(pauses.begin(), middle, pauses.end());
    long_from_[t] = std::max(kLongAtLeast, std::min<int64_t>(*middle * kLongFactor, 5'000'000));
  }
}

CpuTime::Stretch CpuTime::stretch(ThreadIndex thread, uint32_t next) const {
  const uint32_t first = segments_.first[raw(thread)], end = segments_.first[raw(thread) + 1];
  const bool bare = bare_[raw(thread)];
  const uint32_t before = next > first && !bare ? segments_.last_stacked[next - 1] : kNoIndex;
  const uint32_t after = next < end && !bare ? segments_.next_stacked[next] : kNoIndex;
  const Process& process = r_.processes[raw(r_.threads[raw(thread)].process)];
  Stretch s;
  s.start = before == kNoIndex ? process.first_ns : segments_.end[before];
  s.end = after == kNoIndex ? process.last_ns : segments_.start[after];
  s.before = before == kNoIndex ? kNone<StackId> : segments_.stack[before];
  s.after = after == kNoIndex ? kNone<StackId> : segments_.stack[after];
  if (after == kNoIndex && before == kNoIndex) {  // a thread without Python: what is next to it
    s.start = next > first ? segments_.end[next - 1] : s.start;
    s.end = next < end ? segments_.start[next] : s.end;
    s.after = next < end ? segments_.stack[next] : kNone<StackId>;  // a label at best
  }
  s.pinning =
      before != kNoIndex && segments_.kind[before] == SegmentKind::Call &&
      trace::class_of(r_.calls.call[segments_.index[before]]) == trace::CallClass::HostAlloc;
  s.long_one = s.end - s.start > long_from_[raw(thread)];
  return s;
}

CpuTime::Seen CpuTime::seen(size_t i, double share) const {
  const Samples& s = r_.samples;
  return {share, s.stack[i], s.state[i], s.flags[i], faulting_[i], starved_[i]};
}

void CpuTime::pool_samples() {
  const Samples& all = r_.samples;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.stack[i] == kNone<StackId>) continue;
    const ThreadIndex thread = all.thread[i];
    const uint32_t next = segments_.at(thread, all.time[i]);
    const Stretch s = stretch(thread, next);
    if (all.time[i] < s.start || all.time[i] >= s.end) continue;  // inside an event with a stack
    if (s.before == kNone<StackId> && s.after == kNone<StackId>)
      continue;  // says nothing about others
    const double share = double(all.time[i] - s.start) / double(s.end - s.start);
    const Seen one = seen(i, share);
    Pool& pool = pools_[s.long_one];
    pool[key_of(s.before, s.after)].push_back(one);
    if (s.after != kNone<StackId>) pool[key_of(kNone<StackId>, s.after)].push_back(one);
  }
  for (Pool& pool : pools_)
    for (auto& [key, seen] : pool)
      std::sort(seen.begin(), seen.end(),
                [](const Seen& a, const Seen& b) { return a.share < b.share; });
}

// The samples inside the stretch itself, else those of its like.
const std::vector<CpuTime::Seen>* CpuTime::evidence(ThreadIndex thread, const Stretch& s) {
  const Samples& all = r_.samples;
  const auto begin = all.time.begin() + first_sample_[raw(thread)];
  const auto end = all.time.begin() + first_sample_[raw(thread) + 1];
  const Pool& pool = pools_[s.long_one];
  if (begin == end && pool.empty()) return nullptr;
  own_.clear();
  for (auto at = std::lower_bound(begin, end, s.start); at != end && *at < s.end; ++at) {
    const auto i = static_cast<size_t>(at - all.time.begin());
    if (all.stack[i] == kNone<StackId>) continue;
    const double share = double(*at - s.start) / double(s.end - s.start);
    own_.push_back(seen(i, share));
  }
  if (own_.size() >= 4) return &own_;
  const auto pooled = pool.find(key_of(s.before, s.after));
  if (pooled != pool.end() && pooled->second.size() >= std::max<size_t>(4, 2 * own_.size()))
    return &pooled->second;
  if (!own_.empty()) return &own_;
  // Few of its like were seen: any is better than none, then all that led to the same line.
  if (pooled != pool.end()) return &pooled->second;
  if (!s.long_one || s.after == kNone<StackId>) return nullptr;
  const auto same_end = pool.find(key_of(kNone<StackId>, s.after));
  return same_end != pool.end() ? &same_end->second : nullptr;
}

// What torch or the interpreter was doing, where the stack says it.
std::optional<Cause> CpuTime::told_by_stack(const Seen& seen, ThreadIndex thread) const {
  const auto is = [&](unsigned flags) { return facts_.any(seen.stack, flags); };
  if (is(kImporting)) return Cause::ColdLibrary;
  if (facts_.callee(seen.stack) == Callee::GraphCapture) return Cause::ColdGraph;
  constexpr unsigned kCollecting = trace::kSampleGc | trace::kSampleHoldsGil;
  if ((seen.flags & kCollecting) == kCollecting) return Cause::HostGc;
  if (is(kPinLoop)) return Cause::DataPin;
  if (is(kFetching)) return Cause::DataMain;
  if (is(kLoaderStart)) return Cause::DataWorkerStart;
  if (is(kLoaderQueue)) return Cause::DataTransport;
  if (is(kLoaderNext))  // drawing indices, collating; with workers, sending them what to load
    return workers_.has_workers(r_.threads[raw(thread)].process) ? Cause::DataTransport
                                                                 : Cause::DataMain;
  const Callee callee = facts_.callee(seen.stack);
  if (const std::optional<Cause> owner = owner_of_all(callee)) return owner;
  switch (callee) {
    case Callee::Logging:
      return Cause::HostIo;
    case Callee::Process:
      return Cause::HostProcess;
    default:
      break;
  }
  if (seen.faulting || seen.state == trace::ThreadRunState::DiskWait) return Cause::HostPageFault;
  return {};
}

HostPiece CpuTime::from_sample(const Seen& seen, const Stretch& s, ThreadIndex thread) const {
  HostPiece piece;
  piece.own = true;
  piece.stack = seen.stack;
  if (const std::optional<Cause> told = told_by_stack(seen, thread)) {
    piece.cause = *told;
    // The chains of an import are deeper than what is recorded of a stack.
    if (*told == Cause::ColdLibrary && !facts_.has_user_frame(seen.stack))
      piece.stack = s.after != kNone<StackId> ? s.after : s.before;
    return piece;
  }
  // The copy into memory that was pinned for it.
  if (s.pinning && s.before == seen.stack) {
    piece.cause = Cause::CopyPinCall;
    return piece;
  }
  const StackId line = facts_.user_node(seen.stack);
  const bool launches = line != kNone<StackId> && launching_[raw(line)];
  const bool dispatch = s.long_one ? launches && facts_.leaf_is_torch(seen.stack) : launches;
  const bool plain = dispatch || s.end - s.start < kTooShortToAsk;
  piece.cause = plain ? Cause::LaunchDispatch : Cause::HostPython;
  if (plain && !s.long_one) {
    piece.stack = backward_.effective(thread, s.end, s.after);
    piece.cause = owner_of_all(facts_.callee(piece.stack)).value_or(piece.cause);
  }
  // Asleep in a call that is not hooked: a mutex of the driver or the allocator, a system call.
  if (s.long_one && seen.state == trace::ThreadRunState::Sleeping) piece.cause = Cause::HostLock;
  return piece;
}

// No sample anywhere: the line that comes next is what the thread was getting at.
HostPiece CpuTime::from_lines(const Stretch& s, ThreadIndex thread, TraceTime at) const {
  HostPiece piece;
  piece.own = true;
  piece.stack = s.after != kNone<StackId> ? s.after : s.before;
  if (facts_.any(s.after, kFetching) || facts_.any(s.before, kFetching)) {
    // Between two events of the dataset, or on the way into or out of it.
    const bool inside = facts_.any(s.after, kFetching) && facts_.any(s.before, kFetching);
    piece.cause = inside || s.long_one ? Cause::DataMain : Cause::LaunchDispatch;
    if (!facts_.any(piece.stack, kFetching) && piece.cause == Cause::DataMain)
      piece.stack = s.before;
    return piece;
  }
  if (facts_.any(s.before, kLoaderQueue)) {  // unpacking what was received
    piece.cause = Cause::DataTransport;
    piece.stack = s.before;
    return piece;
  }
  if (!facts_.is_python(piece.stack)) {
    if (piece.stack == kNone<StackId>)
      piece.stack = backward_.effective(thread, at, kNone<StackId>);
    const bool python = r_.processes[raw(r_.threads[raw(thread)].process)].python_version != 0;
    piece.cause = s.long_one && python && piece.stack == kNone<StackId> ? Cause::UnknownUntraced
                                                                        : Cause::LaunchDispatch;
    return piece;
  }
  piece.cause = s.long_one ? Cause::HostPython : Cause::LaunchDispatch;
  return piece;
}

void CpuTime::emit_between_samples(const std::vector<Seen>& seen, const Stretch& s,
                                   ThreadIndex thread, TraceTime start, TraceTime end,
                                   HostPieces& out) const {
  const auto length = double(s.end - s.start);
  // Each sample stands for the time up to the middle between it and the next.
  const double from = double(start - s.start) / length;
  auto at = std::lower_bound(seen.begin(), seen.end(), from,
                             [](const Seen& x, double share) { return x.share < share; });
  if (at != seen.begin()) --at;
  for (TraceTime cursor = start; cursor < end; ++at) {
    TraceTime until = end;
    if (const auto next = std::next(at); next != seen.end())
      until =
          std::min(end, s.start + static_cast<TraceTime>((at->share + next->share) / 2 * length));
    if (until <= cursor) continue;
    HostPiece piece = from_sample(*at, s, thread);
    piece.start = cursor;
    piece.end = until;
    if (at->starved >= kStarvedShare && can_starve(piece.cause)) {
      HostPiece waiting = piece;
      waiting.cause = Cause::HostStarved;
      piece.start = waiting.end =
          cursor + static_cast<TraceTime>(at->starved * double(until - cursor));
      append_piece(out, waiting);
    }
    append_piece(out, piece);
    cursor = until;
  }
}

void CpuTime::explain(ThreadIndex thread, TraceTime start, TraceTime end, uint32_t next,
                      HostPieces& out) {
  if (end <= start) return;
  const Stretch s = stretch(thread, next);
  const std::vector<Seen>* seen = s.end - s.start < kTooShortToAsk ? nullptr : evidence(thread, s);
  if (seen != nullptr) {
    emit_between_samples(*seen, s, thread, start, end, out);
    return;
  }
  HostPiece piece = from_lines(s, thread, end);
  piece.cause = owner_of_all(facts_.callee(piece.stack)).value_or(piece.cause);
  piece.start = start;
  piece.end = end;
  append_piece(out, piece);
}

HostPiece CpuTime::context(ThreadIndex thread, TraceTime start, TraceTime end, uint32_t next) {
  HostPieces pieces;
  explain(thread, start, end, next, pieces);
  HostPiece piece = pieces.empty() ? HostPiece{} : pieces.front();
  piece.start = start;
  piece.end = end;
  return piece;
}

}  // namespace gpustall::collect
