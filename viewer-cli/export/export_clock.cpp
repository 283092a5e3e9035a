#include "viewer-cli/export/export_clock.h"

#include <algorithm>
#include <limits>

namespace gpustall::cli {

namespace {

using collect::ClockMap;
using collect::ProcessIndex;
using collect::Recording;
using collect::TraceTime;

constexpr uint32_t kNoProcess = 0xffffffffu;
constexpr int kGenerations = 8;

// By process: its activities.
std::vector<uint64_t> work_of(const Recording& r) {
  std::vector<uint64_t> work(r.processes.size());
  for (const collect::QueueIndex queue : r.activities.queue)
    ++work[raw(r.queues[raw(queue)].process)];
  return work;
}

// By device: the process that did most on it.
std::vector<uint32_t> main_processes(const Recording& r, const std::vector<uint64_t>& work) {
  std::vector<uint32_t> main(r.devices.size(), kNoProcess);
  for (const collect::Queue& queue : r.queues) {
    uint32_t& best = main[raw(queue.device)];
    if (best == kNoProcess || work[raw(queue.process)] > work[best]) best = raw(queue.process);
  }
  return main;
}

// A worker has no device clock: the nearest ancestor with work on a device has.
uint32_t working_ancestor(const Recording& r, const std::vector<uint64_t>& work, uint32_t process) {
  for (int i = 0; i < kGenerations && work[process] == 0; ++i) {
    const auto parent = std::find_if(r.processes.begin(), r.processes.end(), [&](const auto& p) {
      return p.pid == r.processes[process].parent_pid && p.host == r.processes[process].host;
    });
    if (parent == r.processes.end()) return kNoProcess;
    process = static_cast<uint32_t>(parent - r.processes.begin());
  }
  return work[process] > 0 ? process : kNoProcess;
}

}  // namespace

ExportClock::ExportClock(const Recording& recording, const collect::Analysis& analysis) {
  find_sources(recording, analysis);
  find_ends(recording);
}

void ExportClock::find_sources(const Recording& r, const collect::Analysis& analysis) {
  const std::vector<uint64_t> work = work_of(r);
  const std::vector<uint32_t> main = main_processes(r, work);
  const auto most = std::max_element(work.begin(), work.end());
  const uint32_t reference =
      work.empty() || *most == 0 ? kNoProcess : static_cast<uint32_t>(most - work.begin());
  std::vector<ClockMap> clocks;
  for (const collect::Process& process : r.processes) clocks.emplace_back(process.device_clock);
  std::vector<int64_t> shift(r.processes.size());
  for (auto line = analysis.timelines.rbegin(); line != analysis.timelines.rend(); ++line) {
    const uint32_t p = main[raw(line->device)];
    if (p == reference || p == kNoProcess) continue;
    const TraceTime middle = line->first + line->span_ns() / 2;
    shift[p] = clocks[reference].to_device(clocks[p].to_host(middle)) - middle;
  }
  for (const collect::Queue& queue : r.queues) {  // others on a device follow its main process
    const uint32_t owner = main[raw(queue.device)];
    if (std::find(main.begin(), main.end(), raw(queue.process)) == main.end())
      shift[raw(queue.process)] = shift[owner];
  }
  for (const uint32_t owner : main) of_device_.push_back(owner == kNoProcess ? 0 : shift[owner]);
  for (uint32_t p = 0; p < r.processes.size(); ++p) {
    uint32_t source = working_ancestor(r, work, p);
    if (source == kNoProcess) source = reference == kNoProcess ? p : reference;
    of_process_.push_back({clocks[source], shift[source]});
  }
}

void ExportClock::find_ends(const Recording& r) {
  TraceTime first = std::numeric_limits<TraceTime>::max(), last = 0;
  bool any = false;
  const auto seen = [&](TraceTime start, TraceTime end) {
    first = std::min(first, start);
    last = any ? std::max(last, end) : end;
    any = true;
  };
  const auto on_host = [&](const auto& table, const auto& starts, const auto& ends) {
    for (size_t i = 0; i < table.size(); ++i) {
      const ProcessIndex process = r.threads[raw(table.thread[i])].process;
      seen(host(process, starts[i]), host(process, ends[i]));
    }
  };
  for (size_t i = 0; i < r.activities.size(); ++i)
    seen(device(r.device_of(i), r.activities.start[i]),
         device(r.device_of(i), r.activities.end[i]));
  on_host(r.calls, r.calls.start, r.calls.end);
  on_host(r.waits, r.waits.start, r.waits.end);
  on_host(r.ranges, r.ranges.start, r.ranges.end);
  on_host(r.samples, r.samples.time, r.samples.time);
  if (!any) return;
  base_ = first - 1000;  // no event at 0: readers take a row without time for one without a record
  last_ = last - base_;
}

}  // namespace gpustall::cli
