// What each loader worker did while the GPU waited for data.
#include <algorithm>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/parts.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Cause;
using collect::WorkerState;

constexpr size_t kStatesNamed = 3;

// Colours of their own: all these causes are of one family.
const char* style_of(const std::optional<Cause>& cause) {
  if (!cause) return "f-other l1";
  switch (*cause) {
    case Cause::DataWorkerCpu:
      return "f-data l1";
    case Cause::DataWorkerRead:
      return "f-copy l1";
    case Cause::DataWorkerStarved:
      return "f-sync l1";
    case Cause::DataWorkerWait:
      return "f-launch l1";
    case Cause::DataWorkerStart:
      return "f-cold l1";
    case Cause::DataTransport:
      return "f-host l1";
    default:
      return "f-other l1";
  }
}

std::string words_of(const WorkerState& state, const Places& places) {
  std::string words(state.cause ? text_of(*state.cause).title : "other");
  if (!state.frame.empty()) words += " (" + places.frame(state.frame) + ")";
  return words;
}

std::string worker_row(const collect::WorkerTime& worker, const Places& places) {
  std::string out = "<tr><td class=\"n\">pid " + std::to_string(worker.pid) + "</td>";
  if (worker.doing.empty()) return out + "<td>not observed</td><td></td></tr>";
  int64_t all = 0;
  for (const WorkerState& state : worker.doing) all += state.ns;
  std::string strip, words;
  for (size_t i = 0; i < worker.doing.size(); ++i) {
    const WorkerState& state = worker.doing[i];
    const std::string share =
        percent(all > 0 ? static_cast<double>(state.ns) / static_cast<double>(all) : 0);
    strip += std::string("<i class=\"") + style_of(state.cause) +
             "\" style=\"flex:" + std::to_string(state.ns) + " 0 0\" title=\"" +
             escaped(share + " " + words_of(state, places)) + "\"></i>";
    if (i < kStatesNamed) {
      words += std::string("<div><i class=\"swatch ") + style_of(state.cause) + "\"></i>" +
               escaped(share + " " + words_of(state, places)) + "</div>";
    }
  }
  return out + "<td class=\"bar\"><div class=\"strip\">" + strip + "</div></td><td>" + words +
         "</td></tr>";
}

}  // namespace

std::string workers_table(const View& view, const Places& places) {
  std::string rows;
  for (const collect::LoaderSummary& loader : view.model->loaders) {
    const auto& pids = view.device->pids;
    if (std::find(pids.begin(), pids.end(), loader.pid) == pids.end()) continue;
    for (const collect::WorkerTime& worker : loader.meanwhile) rows += worker_row(worker, places);
  }
  if (rows.empty()) return {};
  return "<table class=\"workers\"><thead><tr><th>worker</th><th>its main thread, while the GPU "
         "waited "
         "for data</th><th></th></tr></thead><tbody>" +
         rows + "</tbody></table>";
}

}  // namespace gpustall::cli
