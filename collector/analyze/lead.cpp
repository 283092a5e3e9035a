#include "collector/analyze/lead.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr uint32_t kQueueLaunches = 1024;  // what a stream's queue holds before launch calls block

}  // namespace

uint32_t SyncGroups::key_of(const Stall& stall) {
  const auto [at, made] =
      keys_.try_emplace(identity(stall.cause, stall.site), static_cast<uint32_t>(parent_.size()));
  if (made) {
    parent_.push_back(at->second);
    size_.push_back(1);
  }
  return at->second;
}

uint32_t SyncGroups::root(uint32_t key) {
  while (parent_[key] != key) key = parent_[key] = parent_[parent_[key]];
  return key;
}

void SyncGroups::join(uint32_t a, uint32_t b) {
  a = root(a);
  b = root(b);
  if (a == b) return;
  parent_[b] = a;
  size_[a] += size_[b];
}

uint32_t SyncGroups::group_of(uint32_t key) {
  const uint32_t top = root(key);
  if (size_[top] < 2) return 0;
  return numbers_.try_emplace(top, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
}

uint32_t SyncGroups::group_of(Cause cause, SiteId site) {
  const auto at = keys_.find(identity(cause, site));
  return at == keys_.end() ? 0 : group_of(at->second);
}

const std::vector<uint32_t>& LeadLedger::advance(TraceTime host) {
  outside_.clear();
  for (; next_ < in_.events.size() && in_.events[next_].end <= host; ++next_) {
    if (in_.events[next_].stall != kNoIndex) {
      wait_ended(in_.events[next_].stall);
      continue;
    }
    drop();
    outside_.push_back(in_.events[next_].wait);
  }
  return outside_;
}

void LeadLedger::Lead::add(int64_t given, uint32_t stall, int64_t stall_ns) {
  if (ns == 0 || stall_ns >= owner_ns) owner = stall, owner_ns = stall_ns;
  ns += given;
}

// A wait at another line: what is left of the lead could only be used if that were removed too.
void LeadLedger::pass_on(uint32_t key) {
  if (own_.ns > 0) joint_.add(own_.ns, own_.owner, own_.owner_ns);
  own_ = {};
  if (joint_.ns == 0) {
    joint_keys_.clear();
    return;
  }
  for (uint32_t k : {key_, key})
    if (std::find(joint_keys_.begin(), joint_keys_.end(), k) == joint_keys_.end())
      joint_keys_.push_back(k);
}

void LeadLedger::wait_ended(uint32_t index) {
  const Stall& s = in_.stalls.all[index];
  const uint32_t key = groups_.key_of(s);
  if (last_ != kNoIndex && holds_ && !launched_between(in_.stalls.all[last_], s))
    groups_.join(key_, key);
  if (holds_ && !groups_.together(key_, key)) pass_on(key);
  const int64_t given = given_up(s);
  own_.add(given, index, given);
  holds_ = true;
  key_ = key;
  last_ = index;
  const int64_t bound = queue_bound(in_.clock.to_device(s.end));
  own_.ns = std::min(own_.ns, bound);
  joint_.ns = std::min(joint_.ns, bound - own_.ns);
}

int64_t LeadLedger::given_up(const Stall& s) const {
  const TraceTime start = in_.clock.to_device(s.start), end = in_.clock.to_device(s.end);
  int64_t busy = busy_.between(start, end);
  if (s.own_copy != kNoIndex) {
    const Activities& a = in_.recording.activities;
    const TraceTime from = std::max(start, a.start[s.own_copy]);
    busy -= std::max<int64_t>(0, std::min(end, a.end[s.own_copy]) - from);
  }
  return std::max<int64_t>(0, busy);
}

int64_t LeadLedger::queue_bound(TraceTime device_time) const {
  const auto& starts = in_.recording.activities.start;
  const auto begin = starts.begin() + in_.timelines.first_activity[in_.device];
  const auto end = starts.begin() + in_.timelines.first_activity[in_.device + 1];
  const auto now = std::upper_bound(begin, end, device_time);
  const auto back = std::min<ptrdiff_t>(kQueueLaunches, now - begin);
  return back == 0 ? 0 : busy_.between(*(now - back), device_time);
}

bool LeadLedger::launched_between(const Stall& before, const Stall& after) const {
  const Calls& c = in_.recording.calls;
  if (before.thread == after.thread) {
    for (uint32_t i = before.last_call + 1; i < after.first_call; ++i)
      if (launches_work(c.call[i])) return true;
    return false;
  }
  // Another thread of the chain: look on both.
  for (uint32_t i = before.last_call + 1; i < c.size() && c.thread[i] == before.thread; ++i) {
    if (c.start[i] >= after.start) break;
    if (launches_work(c.call[i])) return true;
  }
  for (uint32_t i = after.first_call; i-- > 0 && c.thread[i] == after.thread;) {
    if (c.start[i] <= before.end) break;
    if (launches_work(c.call[i])) return true;
  }
  return false;
}

LeadLedger::Share LeadLedger::take(int64_t ns) {
  if (own_.ns > 0) {
    const int64_t taken = std::min(ns, own_.ns);
    own_.ns -= taken;
    return {taken, own_.owner};
  }
  if (joint_.ns == 0) return {0, kNoIndex};
  for (uint32_t key : joint_keys_) groups_.join(joint_keys_.front(), key);
  const int64_t taken = std::min(ns, joint_.ns);
  joint_.ns -= taken;
  return {taken, joint_.owner};
}

}  // namespace gpustall::collect
