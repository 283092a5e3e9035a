#include "collector/analyze/stalls.h"

#include "collector/analyze/stall_cause.h"

namespace gpustall::collect {
namespace {

constexpr uint32_t kBetween = 4;  // bookkeeping calls between a copy and its synchronisation

bool waits_for_device(trace::CallClass cls) {
  return cls == trace::CallClass::Sync || cls == trace::CallClass::EventSync;
}

bool is_bookkeeping(trace::CallClass cls) {
  return cls == trace::CallClass::EventRecord || cls == trace::CallClass::Query ||
         cls == trace::CallClass::Other;
}

class Finder {
 public:
  explicit Finder(const StallInput& input) : in_(input), causes_(input) { find_blocking(); }

  Stalls run() {
    const Calls& c = in_.recording.calls;
    out_.of_call.assign(c.size(), kNoIndex);
    for (uint32_t i = 0; i < c.size(); ++i) {
      if (out_.of_call[i] != kNoIndex) continue;  // the end of a pair
      const trace::CallClass cls = trace::class_of(c.call[i]);
      if (waits_for_device(cls) || c.call[i] == trace::Call::Free)
        add(kNoIndex, i, i);
      else if (cls == trace::CallClass::Copy)
        copy(i);
      else if (cls == trace::CallClass::Launch && launches_block(i))
        add(kNoIndex, i, i);
    }
    causes_.settle_uploads(out_);
    return std::move(out_);
  }

 private:
  void copy(uint32_t i) {
    const uint32_t sync = synchronisation_after(i);
    if (sync != kNoIndex)
      add(i, i, sync);
    else if (blocks(i))
      add(i, i, i);
  }

  bool launches_block(uint32_t call) const {
    const Recording& r = in_.recording;
    return blocking_[raw(r.threads[raw(r.calls.thread[call])].process)];
  }
  void find_blocking() {
    for (const Process& process : in_.recording.processes) {
      const auto at = process.info.find("env.CUDA_LAUNCH_BLOCKING");
      blocking_.push_back(at != process.info.end() && !at->second.empty() && at->second != "0");
    }
  }

  // The synchronisation of the same line right behind the copy; only what reaches the host or
  // leaves pageable memory is waited for by the framework itself.
  uint32_t synchronisation_after(uint32_t copy) const {
    const Calls& c = in_.recording.calls;
    for (uint32_t i = copy + 1; i < c.size() && i <= copy + kBetween; ++i) {
      if (c.thread[i] != c.thread[copy] || c.stack[i] != c.stack[copy]) break;
      const trace::CallClass cls = trace::class_of(c.call[i]);
      if (waits_for_device(cls)) return i;
      if (!is_bookkeeping(cls)) break;
    }
    return kNoIndex;
  }

  // A copy call blocks if it comes back only when its copy is done.
  bool blocks(uint32_t call) const {
    const Calls& c = in_.recording.calls;
    const uint32_t activity = in_.links.activity_of[call];
    if (c.call[call] == trace::Call::Memcpy || c.call[call] == trace::Call::Memcpy2D) return true;
    if (activity == kNoIndex) return false;
    const Activities& a = in_.recording.activities;
    const bool pageable = a.src_kind[activity] == kPageable || a.dst_kind[activity] == kPageable;
    const ProcessIndex process = in_.recording.threads[raw(c.thread[call])].process;
    const ClockMap& clock = in_.clocks[raw(process)];
    return pageable && clock.to_host(a.end[activity]) <= c.end[call] + clock.error_ns();
  }

  void add(uint32_t copy, uint32_t first, uint32_t last) {
    const Calls& c = in_.recording.calls;
    Stall s;
    s.thread = c.thread[first];
    s.start = c.start[first];
    s.end = c.end[last];
    s.stack = in_.backward.effective(s.thread, s.start, c.stack[first]);
    s.site = in_.facts.site(s.stack);
    s.cause = causes_.of(copy, last);
    s.own_copy = copy == kNoIndex ? kNoIndex : in_.links.activity_of[copy];
    s.first_call = first;
    s.last_call = last;
    for (uint32_t i = first; i <= last; ++i)
      out_.of_call[i] = static_cast<uint32_t>(out_.all.size());
    out_.all.push_back(s);
  }

  const StallInput& in_;
  StallCauses causes_;
  std::vector<bool> blocking_;  // by process: CUDA_LAUNCH_BLOCKING is set
  Stalls out_;
};

}  // namespace

Stalls find_stalls(const StallInput& input) {
  return Finder(input).run();
}

}  // namespace gpustall::collect
