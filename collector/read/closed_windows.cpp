#include "collector/read/closed_windows.h"

#include <algorithm>
#include <unordered_set>

#include "collector/columns.h"

namespace gpustall::collect {
namespace {

uint64_t key_of(uint32_t process, uint64_t correlation) {
  return uint64_t{process} << 40 ^ correlation;
}

class Windows {
 public:
  explicit Windows(const Recording& recording) : r_(recording), calls_(r_.processes.size()) {
    for (ThreadIndex thread : r_.calls.thread) ++calls_[process_of(thread)];
  }
  bool has_no_calls(uint32_t process) const { return calls_[process] == 0; }

  void find_launched() {
    for (size_t i = 0; i < r_.calls.size(); ++i)
      launched_.insert(key_of(process_of(r_.calls.thread[i]), r_.calls.correlation[i]));
  }

  bool is_out(size_t activity) const {
    const Activities& a = r_.activities;
    const uint32_t process = raw(r_.queues[raw(a.queue[activity])].process);
    if (launched_.count(key_of(process, a.correlation[activity])) != 0) return false;
    const TraceTime start = r_.processes[process].device_clock.to_host(a.start[activity]);
    return std::any_of(r_.unobserved.begin(), r_.unobserved.end(), [&](const Unobserved& u) {
      return raw(u.process) == process && u.what == trace::NoticeKind::WindowClosed &&
             u.start <= start && start < u.end;
    });
  }

 private:
  uint32_t process_of(ThreadIndex thread) const { return raw(r_.threads[raw(thread)].process); }

  const Recording& r_;
  std::vector<uint64_t> calls_;  // by process
  std::unordered_set<uint64_t> launched_;
};

}  // namespace

void leave_out_closed_windows(Recording& r) {
  std::vector<bool> works(r.processes.size());
  for (size_t i = 0; i < r.activities.size(); ++i)
    works[raw(r.queues[raw(r.activities.queue[i])].process)] = true;
  Windows windows(r);
  const bool any = std::any_of(r.unobserved.begin(), r.unobserved.end(), [](const Unobserved& u) {
    return u.what == trace::NoticeKind::WindowClosed;
  });
  for (uint32_t p = 0; p < works.size(); ++p)
    if (works[p] && windows.has_no_calls(p))
      r.not_observed.push_back("any CUDA call of process " + std::to_string(r.processes[p].pid) +
                               ": lost, or its recording window (--delay, --range) never opened");
  if (!any) return;
  windows.find_launched();
  std::vector<bool> out(r.activities.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = windows.is_out(i);
  each_column(r.activities, [&](auto& column) {
    size_t kept = 0;
    for (size_t i = 0; i < out.size(); ++i)
      if (!out[i]) column[kept++] = column[i];
    column.resize(kept);
  });
}

}  // namespace gpustall::collect
