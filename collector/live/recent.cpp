#include "collector/live/recent.h"

#include <algorithm>
#include <set>

#include "collector/columns.h"
#include "collector/read/read_traces.h"

namespace gpustall::collect {
namespace {

using CutThreads = std::set<std::pair<uint32_t, uint32_t>>;  // pid, tid

// From when on every thread that was cut is there: the latest of their first events.
TraceTime complete_since(const Recording& r, const CutThreads& cut) {
  std::vector<TraceTime> first(r.threads.size(), INT64_MAX);
  const auto take = [&](const auto& table) {
    for (size_t i = 0; i < table.size(); ++i) {
      TraceTime& known = first[raw(table.thread[i])];
      known = std::min(known, table.start[i]);
    }
  };
  take(r.calls);
  take(r.waits);
  TraceTime since = INT64_MIN;
  for (size_t t = 0; t < r.threads.size(); ++t) {
    const uint32_t pid = r.processes[raw(r.threads[t].process)].pid;
    if (first[t] != INT64_MAX && cut.count({pid, r.threads[t].tid}) != 0)
      since = std::max(since, first[t]);
  }
  return since;
}

void drop_activities_before(Recording& r, TraceTime since) {
  std::vector<bool> keep(r.activities.size());
  for (size_t i = 0; i < keep.size(); ++i) {
    const Queue& queue = r.queues[raw(r.activities.queue[i])];
    keep[i] = r.processes[raw(queue.process)].device_clock.to_host(r.activities.start[i]) >= since;
  }
  each_column(r.activities, [&](auto& column) {
    size_t kept = 0;
    for (size_t i = 0; i < keep.size(); ++i)
      if (keep[i]) column[kept++] = column[i];
    column.resize(kept);
  });
}

}  // namespace

bool RecentReader::update() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    std::unique_ptr<TailFile>* known = nullptr;
    if (entry.path().extension() == ".gst") known = &files_[entry.path()];
    if (known != nullptr && *known == nullptr) *known = TailFile::open(entry.path(), chunks_kept_);
  }
  bool news = false;
  for (const auto& [path, file] : files_)
    if (file != nullptr && file->update()) news = true;
  return news;
}

std::optional<Recent> RecentReader::look() {
  CutThreads cut;
  std::vector<std::string> images;
  std::vector<TraceBytes> traces;
  images.reserve(files_.size());
  for (const auto& [path, file] : files_) {
    if (file == nullptr) continue;
    for (const uint32_t tid : file->cut_threads()) cut.emplace(file->pid(), tid);
    traces.push_back({path.filename().string(), images.emplace_back(file->image())});
  }
  if (traces.empty()) return {};
  Result<Recording> recording = read_traces(traces, {}, {.symbol_files = &symbols_});
  symbols_.close();
  if (!recording) return {};
  Recent recent{std::move(*recording), cut.empty()};
  if (!cut.empty()) drop_activities_before(recent.recording, complete_since(recent.recording, cut));
  recent.recording.name = directory_.string();
  if (recent.recording.activities.size() == 0) return {};
  return recent;
}

}  // namespace gpustall::collect
