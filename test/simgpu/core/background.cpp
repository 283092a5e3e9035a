// Two workers: copies are done as soon as possible, host functions exactly when they are due.
#include "background.h"

#include <algorithm>
#include <vector>

#include "worker.h"

namespace simgpu {
namespace {

constexpr size_t kImmediateBytes = 32
                                   << 10;  // copied by the calling thread: less than a launch takes

struct PendingCopy {
  Effect effect;
  bool begun = false, superseded = false;  // under the lock
};

struct Background {
  Worker copies, host_calls;
  FutexLock lock;
  std::vector<PendingCopy*> pending;  // in order of submission
  std::atomic<size_t> pending_count{0};
};

Background& background() {
  static Background* const kBackground = new Background;  // never freed: the threads outlive main
  return *kBackground;
}

struct Bytes {
  const char *begin, *end;
  bool overlaps(const Bytes& other) const { return begin < other.end && other.begin < end; }
  bool covers(const Bytes& other) const { return begin <= other.begin && other.end <= end; }
};

Bytes target_of(const Effect& effect) {
  const char* begin = static_cast<const char*>(effect.to);
  return {begin, begin + effect.to_pitch * (effect.rows - 1) + effect.row_bytes};
}

Bytes source_of(const Effect& effect) {
  const char* begin = static_cast<const char*>(effect.from);
  if (!begin) return {nullptr, nullptr};
  return {begin, begin + effect.from_pitch * (effect.rows - 1) + effect.row_bytes};
}

bool touches(const PendingCopy& copy, const Bytes& written, const Bytes& read) {
  const Bytes target = target_of(copy.effect);
  return written.overlaps(target) || read.overlaps(target) ||
         written.overlaps(source_of(copy.effect));
}

// Copies are done in order, so that the wait for any of them is a wait for all.
void wait_for_conflicts(const Bytes& written, const Bytes& read) {
  Background& all = background();
  if (all.pending_count.load(std::memory_order_acquire) == 0) return;
  bool found = false;
  {
    LockGuard guard(all.lock);
    for (const PendingCopy* copy : all.pending) found = found || touches(*copy, written, read);
  }
  if (found) all.copies.wait(kNeverDue);
}

void run_copy(void* argument) {
  PendingCopy* copy = static_cast<PendingCopy*>(argument);
  Background& all = background();
  bool wanted;
  {
    LockGuard guard(all.lock);
    copy->begun = true;
    wanted = !copy->superseded;
  }
  if (wanted) copy->effect.apply();
  {
    LockGuard guard(all.lock);
    std::erase(all.pending, copy);
  }
  all.pending_count.fetch_sub(1, std::memory_order_release);
  delete copy;
}

// An older copy into the same place is not worth doing any more, unless something in between reads
// it. Keeps the backlog short when the program copies faster than this machine.
void supersede(std::vector<PendingCopy*>& pending, const Effect& newer) {
  const Bytes target = target_of(newer);
  for (auto copy = pending.rbegin(); copy != pending.rend(); ++copy) {
    if (source_of((*copy)->effect).overlaps(target)) return;
    if (!(*copy)->begun && target.covers(target_of((*copy)->effect))) (*copy)->superseded = true;
  }
}

void copy_in_background(const Effect& effect, int64_t due_ns) {
  PendingCopy* copy = new PendingCopy{effect};
  Background& all = background();
  {
    LockGuard guard(all.lock);
    if (!source_of(effect).overlaps(target_of(effect))) supersede(all.pending, effect);
    all.pending.push_back(copy);
  }
  all.pending_count.fetch_add(1);
  all.copies.push({0, due_ns, run_copy, copy});
}

}  // namespace

void call_in_background(int64_t when_ns, void (*call)(void*), void* user) {
  background().host_calls.push({when_ns, when_ns, call, user});
}

void apply_effect(const Effect& effect, Manner manner) {
  if (effect.kind == Effect::Kind::None) return;
  const bool large = effect.row_bytes * effect.rows > kImmediateBytes;
  if (manner.background && effect.kind == Effect::Kind::Copy && large) {
    copy_in_background(effect, manner.due_ns);
    return;
  }
  wait_for_conflicts(target_of(effect), source_of(effect));
  effect.apply();
}

bool background_done(int64_t until_ns) {
  return background().copies.done(until_ns) && background().host_calls.done(until_ns);
}

void wait_for_background(int64_t until_ns) {
  background().copies.wait(until_ns);
  background().host_calls.wait(until_ns);
}

void wait_for_copies_of(const void* base, size_t bytes) {
  const char* begin = static_cast<const char*>(base);
  const Bytes range{begin, begin + bytes};
  wait_for_conflicts(range, range);
}

}  // namespace simgpu
