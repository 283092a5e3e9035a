// One round: every launching thread, then, while the round's share of CPU time lasts, the holder of
// the GIL, the other Python threads and the workers in turn. A round that costs more than its share
// delays the next; finding the interpreter of a new worker, which costs once, is left out of that.
#include "libinterpose/stacks/sampler.h"

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
#include "libinterpose/helper.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/stacks/proc_thread.h"
#include "libinterpose/stacks/thread_part.h"
#include "libinterpose/stacks/workers.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {
namespace {

constexpr unsigned kMaxThreads = 64;
constexpr int64_t kDiscoverNs = 1000000000;
constexpr unsigned kForcedTurn = 4;  // rounds after which the others have their turn in any case
constexpr int64_t kRoundsSaved = 4;  // what is not spent is kept for so many rounds

int64_t share_of(int64_t ns) noexcept {
  return static_cast<int64_t>(kSamplerShare * static_cast<double>(ns));
}

struct SampledThread {
  uint32_t tid;
  ThreadTimes times;
  GuardedThread walked;
};

// In memory that fork wipes: a child starts with an empty one.
struct Sampler {
  MemoryView view;
  Workers workers;
  SampledThread threads[kMaxThreads];
  unsigned turn, other_turn;
  int64_t period_ns, next_discovery_ns;
  int64_t last_ns, balance_ns;  // of CPU time: earned until then, and not yet spent
  bool walks_off, refusal_said;
  uint64_t cpu_ns;      // of all rounds
  uint64_t gil_holder;  // PyThreadState of this round
  bool collecting;
};
Sampler* g_sampler = nullptr;

constexpr unsigned kNewChildren = 64;
std::atomic<uint32_t> g_new_children[kNewChildren];
std::atomic<uint32_t> g_new_child_at{0};

// A thread launches work from Python if its calls are not few against the busiest one's. Others are
// the rest of Python's threads, autograd's among them, which have a state but no frames.
struct Rank {
  uint64_t most_calls = 0;
  unsigned others = 0;

  static uint64_t calls(ThreadState& t) {
    if (t.tid.load(std::memory_order_relaxed) == 0 || t.inert) return 0;
    return __atomic_load_n(&part_of<StacksPart>(t, ThreadPart::Stacks).calls, __ATOMIC_RELAXED);
  }
  static uint64_t tstate(ThreadState& t) {
    return __atomic_load_n(&part_of<StacksPart>(t, ThreadPart::Stacks).tstate, __ATOMIC_RELAXED);
  }
  // A wait or a call of CUDA is recorded with its stack when it ends.
  static bool is_in_event(ThreadState& t) { return t.in_event.load(std::memory_order_relaxed); }
  bool launches(ThreadState& t) const { return calls(t) * 16 >= most_calls && calls(t) != 0; }
  bool is_other(ThreadState& t) const {
    return t.tid.load(std::memory_order_relaxed) != 0 && tstate(t) != 0 && !launches(t);
  }
};

SampledThread* slot_of(Sampler& s, uint32_t tid) noexcept {
  SampledThread* free = nullptr;
  for (SampledThread& t : s.threads) {
    if (t.tid == tid) return &t;
    if (t.tid == 0 && free == nullptr) free = &t;
  }
  if (free != nullptr) {
    free->tid = tid;
    free->times = {};
    free->walked.count = 0;
  }
  return free;
}

void forget_ended_threads(Sampler& s) noexcept {
  for (SampledThread& slot : s.threads) {
    const ThreadState* t = first_thread();
    while (t != nullptr && t->tid.load(std::memory_order_relaxed) != slot.tid) t = t->next;
    if (t == nullptr) slot.tid = 0;
  }
}

// The stack's id from a walk that held together.
uint32_t intern(HookGuard& guard, Sampler& s, const PythonLayout& l,
                GuardedThread& walked) noexcept {
  StackArea* area = stack_area(guard.thread());
  if (area == nullptr) return 0;
  uint32_t node = walked.cut ? truncated_root(guard) : 0;
  for (unsigned i = walked.count; i-- > 0;) {
    const uint32_t child =
        area->nodes.child(guard, l, s.view, node, walked.frames[i].frame, area->text);
    if (child == 0) break;
    node = child;
  }
  return node;
}

void write_sample(HookGuard& guard, uint32_t pid, uint32_t tid, uint32_t stack,
                  const ThreadTimes& times, uint64_t flags, int64_t at) noexcept {
  trace::Sample sample;
  sample.time = at;
  sample.tid = tid;
  sample.stack = stack;
  set_times(sample, times);
  sample.pid = pid;
  sample.flags = flags;
  emit(guard, sample);
}

void stop_walks(HookGuard& guard, Sampler& s, int error) noexcept {
  s.walks_off = true;
  notice(guard, trace::NoticeKind::SamplerOff, error,
         "Python stacks are not sampled: the kernel refuses process_vm_readv and /proc/self/mem");
}

void sample_thread(HookGuard& guard, Sampler& s, const PythonLayout* l,
                   ThreadState& thread) noexcept {
  const uint32_t tid = thread.tid.load(std::memory_order_relaxed);
  SampledThread* slot = tid == 0 ? nullptr : slot_of(s, tid);
  if (slot == nullptr) return;
  if (!read_thread_times(sys::pid(), tid, slot->times)) {
    slot->tid = 0;
    return;
  }
  const int64_t now = now_ticks();
  slot->walked.tstate = Rank::tstate(thread);
  slot->walked.pthread = thread.pthread;
  uint32_t stack = 0;
  if (l != nullptr && !s.walks_off) {
    GuardedMemory memory;
    memory.open(static_cast<pid_t>(sys::pid()));
    if (walk_guarded(*l, memory, s.view, slot->walked))
      stack = intern(guard, s, *l, slot->walked);
    else
      count_loss(trace::LossKind::SampleMissed);
    if (memory.refusal() != 0) stop_walks(guard, s, memory.refusal());
    memory.close();
  }
  const uint64_t flags = (slot->walked.tstate == s.gil_holder ? trace::kSampleHoldsGil : 0u) |
                         (s.collecting ? trace::kSampleGc : 0u);
  write_sample(guard, 0, tid, stack, slot->times, flags, now);
}

// False when there is no worker that can be read now.
bool sample_worker(HookGuard& guard, Sampler& s, const PythonLayout& l, int64_t now_ns) noexcept {
  Worker* w = s.workers.next(l, s.view, now_ns);
  if (w == nullptr) return false;
  if (!read_thread_times(w->pid, w->pid, w->times) || w->times.ended) {
    w->pid = 0;
    return true;
  }
  const int64_t now = now_ticks();
  GuardedMemory memory;
  memory.open(static_cast<pid_t>(w->pid));
  const bool good = walk_guarded(w->layout, memory, s.view, w->main);
  const uint32_t stack = good ? intern(guard, s, w->layout, w->main) : 0;
  int32_t collecting = 0;
  if (l.interp_collecting != 0) read_at(memory, w->interpreter + l.interp_collecting, collecting);
  memory.close();
  if (!good) count_loss(trace::LossKind::SampleMissed);
  Workers::walked(*w, good);
  write_sample(guard, w->pid, w->pid, stack, w->times, collecting != 0 ? trace::kSampleGc : 0u,
               now);
  return true;
}

// Who holds the GIL, and whether the collector runs, in this process.
void read_interpreter(Sampler& s, const PythonLayout& l) noexcept {
  GuardedMemory memory;
  memory.open(static_cast<pid_t>(sys::pid()));
  uintptr_t interpreter = 0, holder = 0, gil = 0;
  int32_t collecting = 0, locked = 1;
  read_at(memory, l.runtime + l.runtime_head, interpreter);
  if (l.interp_collecting != 0) read_at(memory, interpreter + l.interp_collecting, collecting);
  if (l.runtime_current != 0)
    read_at(memory, l.runtime + l.runtime_current, holder);
  else if (l.interp_gil != 0 && read_at(memory, interpreter + l.interp_gil, gil) &&
           read_at(memory, gil + kGilLocked, locked))
    read_at(memory, gil + kGilHolder, holder);
  memory.close();
  s.gil_holder = locked == 1 && holder != 0 ? holder : 1;  // 1: nobody's address
  s.collecting = collecting != 0;
}

int64_t own_cpu_ns() noexcept {
  return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void sample_others(HookGuard& guard, Sampler& s, const PythonLayout* l, const Rank& rank,
                   int64_t cpu_limit, int64_t now_ns) noexcept {
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next)
    if (rank.is_other(*t) && Rank::tstate(*t) == s.gil_holder) sample_thread(guard, s, l, *t);
  if (++s.turn % kForcedTurn != 0 && own_cpu_ns() > cpu_limit) return;
  // One of the other threads each round, so that none is forgotten, then workers.
  unsigned index = 0;
  const unsigned chosen = rank.others == 0 ? 0 : s.other_turn++ % rank.others;
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next)
    if (rank.is_other(*t) && !Rank::is_in_event(*t) && index++ == chosen &&
        Rank::tstate(*t) != s.gil_holder)
      sample_thread(guard, s, l, *t);
  if (l == nullptr) return;
  for (unsigned i = 0; i < Workers::kMax && (i == 0 || own_cpu_ns() < cpu_limit); ++i)
    if (!sample_worker(guard, s, *l, now_ns)) break;
  if (s.workers.refusal() == 0 || s.refusal_said) return;
  s.refusal_said = true;
  notice(guard, trace::NoticeKind::SamplerOff, s.workers.refusal(),
         "a worker process is not sampled: the kernel forbids to read it (Yama, or other rights)");
}

void find_workers(Sampler& s, int64_t now_ns) noexcept {
  for (auto& child : g_new_children)
    if (child.load(std::memory_order_relaxed) != 0) s.workers.add(child.exchange(0));
  if (now_ns < s.next_discovery_ns) return;
  s.next_discovery_ns = now_ns + kDiscoverNs;
  find_python();  // in case it came after the start of recording
  forget_ended_threads(s);
  s.workers.discover();
}

// The sampler earns its share of the time that passes, for some rounds at most, and what it spends
// has to come in before the next round.
bool may_spend(Sampler& s, int64_t now_ns) noexcept {
  const int64_t most = s.period_ns * kRoundsSaved;
  const int64_t passed = now_ns - s.last_ns < most ? now_ns - s.last_ns : most;
  s.last_ns = now_ns;
  s.balance_ns += share_of(passed);
  if (s.balance_ns > share_of(most)) s.balance_ns = share_of(most);
  return s.balance_ns > 0;
}

void round(HookGuard& guard, Round kind) noexcept {
  Sampler* s = g_sampler;
  const int64_t now_ns = read_clock_ns(CLOCK_MONOTONIC);
  if (s == nullptr || kind == Round::Last || !is_recording() || !may_spend(*s, now_ns)) return;
  const int64_t begin = own_cpu_ns(), probed = s->workers.probe_cpu_ns();
  find_workers(*s, now_ns);
  const PythonLayout* l = g_settings.python_stacks ? python_layout() : nullptr;
  s->gil_holder = 1;
  if (l != nullptr && !s->walks_off) read_interpreter(*s, *l);
  Rank rank;
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next)
    if (Rank::calls(*t) > rank.most_calls) rank.most_calls = Rank::calls(*t);
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next) {
    if (rank.launches(*t) && !Rank::is_in_event(*t)) sample_thread(guard, *s, l, *t);
    if (rank.is_other(*t) && !Rank::is_in_event(*t)) ++rank.others;
  }
  sample_others(guard, *s, l, rank, begin + share_of(s->period_ns), now_ns);
  const int64_t spent = own_cpu_ns() - begin;
  s->cpu_ns += static_cast<uint64_t>(spent);
  s->balance_ns -= spent - (s->workers.probe_cpu_ns() - probed);
}

}  // namespace

void start_sampler(HookGuard& guard) noexcept {
  if (g_settings.sample_hz == 0) return;
  if (g_sampler == nullptr) g_sampler = static_cast<Sampler*>(map_wiped(sizeof(Sampler)));
  if (g_sampler == nullptr) return;
  g_sampler->period_ns = 1000000000 / int64_t{g_settings.sample_hz};
  if (!add_periodic(round, g_sampler->period_ns))
    notice(guard, trace::NoticeKind::SamplerOff, 0,
           "the helper thread has no room for the sampler");
}

uint64_t stacks::sampler_cpu_ns() noexcept {
  return g_sampler == nullptr ? 0 : g_sampler->cpu_ns;
}

void forget_sampler() noexcept {
  for (auto& child : g_new_children) child.store(0, std::memory_order_relaxed);
}

void stacks::child_started(uint32_t pid) noexcept {
  g_new_children[g_new_child_at.fetch_add(1, std::memory_order_relaxed) % kNewChildren].store(
      pid, std::memory_order_relaxed);
}

}  // namespace gpustall::interpose
