#include "collector/import/lost_work.h"

#include <algorithm>
#include <string>
#include <vector>

namespace gpustall::collect {
namespace {

constexpr uint64_t kMany = 10;  // so many launches and no kernel at all are no edge of a trace

// Correlation ids of the work of one process.
class WorkIds {
 public:
  void add(uint64_t id) { ids_.push_back(id); }
  void prepare() {
    if (!std::is_sorted(ids_.begin(), ids_.end())) std::sort(ids_.begin(), ids_.end());
  }
  bool has(uint64_t id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

 private:
  std::vector<uint64_t> ids_;
};

// Launch calls in the order of time. One that lies in another of its thread (a driver's in a
// runtime's) is the same launch. The first and the last that have their work are the bounds: beyond
// them the trace was starting or ending.
class Launches {
 public:
  void call(TraceTime start, TraceTime end, bool has_work, bool capturing, size_t thread) {
    if (open_.size() <= thread) open_.resize(thread + 1);
    Open& open = open_[thread];
    if (start >= open.end) {
      close(open);
      open = {end, has_work, capturing};
    }
    open.end = std::max(open.end, end);
    open.has_work |= has_work;
  }
  void finish() {
    for (Open& open : open_) close(open);
    if (found_ == 0 && waiting_ >= kMany) lost_ = waiting_;
  }
  uint64_t lost() const { return lost_; }
  uint64_t all() const { return lost_ + found_; }

 private:
  struct Open {
    TraceTime end = 0;
    bool has_work = false, capturing = true;  // captured: it runs when the graph is launched
  };

  void close(const Open& open) {
    if (open.has_work) {
      lost_ += found_ > 0 ? waiting_ : 0;
      waiting_ = 0;
      ++found_;
    } else if (!open.capturing) {
      ++waiting_;
    }
  }

  std::vector<Open> open_;  // by thread
  uint64_t found_ = 0, lost_ = 0, waiting_ = 0;
};

}  // namespace

void note_lost_work(Recording& recording) {
  const Calls& calls = recording.calls;
  const size_t processes = recording.processes.size();
  std::vector<WorkIds> work(processes);
  for (size_t i = 0; i < recording.activities.size(); ++i)
    work[raw(recording.queues[raw(recording.activities.queue[i])].process)].add(
        recording.activities.correlation[i]);
  for (WorkIds& ids : work) ids.prepare();
  std::vector<Launches> launches(processes);
  std::vector<int> captures(processes);
  for (size_t i = 0; i < calls.size(); ++i) {
    const size_t thread = raw(calls.thread[i]);
    const size_t process = raw(recording.threads[thread].process);
    const bool begins = calls.call[i] == trace::Call::StreamBeginCapture;
    const bool ends = calls.call[i] == trace::Call::StreamEndCapture;
    captures[process] = std::max(0, captures[process] + int{begins} - int{ends});
    if (trace::class_of(calls.call[i]) != trace::CallClass::Launch || calls.result[i] != 0)
      continue;
    launches[process].call(calls.start[i], calls.end[i], work[process].has(calls.correlation[i]),
                           captures[process] > 0, thread);
  }
  for (size_t p = 0; p < processes; ++p) {
    launches[p].finish();
    if (launches[p].lost() > 0)
      recording.damage.push_back(
          std::to_string(launches[p].lost()) + " of " + std::to_string(launches[p].all()) +
          " launches have no device record (pid " + std::to_string(recording.processes[p].pid) +
          "): the profiler lost them, and the device was busier than is shown");
  }
}

}  // namespace gpustall::collect
