// The same view and rounding as the report, of the device with the most idle time.
#include "viewer-cli/render/live_line.h"

#include "viewer-cli/render/units.h"
#include "viewer-cli/render/view.h"

namespace gpustall::cli {

std::string live_line(const collect::Model& model, bool whole) {
  View worst;
  for (const collect::ModelDevice& device : model.devices) {
    View view;
    if (!make_view(model, device, WindowChoice::Default, view) || view.window->span_ns <= 0)
      continue;
    if (worst.window == nullptr || view.window->idle_ns > worst.window->idle_ns) worst = view;
  }
  if (worst.window == nullptr) return {};
  std::string line = "GPU ";
  if (model.devices.size() > 1) line += std::to_string(worst.device->ordinal) + " ";
  line += "busy " + percent(worst.share(worst.window->busy_ns));
  if (worst.steps > 0)
    line += "  " + duration(static_cast<double>(worst.process->steps->mean_ns)) + "/step";
  const Places places(model);
  const std::vector<Row> rows = idle_rows(worst, {}, places);
  if (!rows.empty() && rows.front().kind != Row::Kind::Total && rows.front().ns > 0) {
    line += "  " + rows.front().id + " " + rows.front().share;
    if (rows.front().where != "-" && !rows.front().where.empty()) line += " " + rows.front().where;
  }
  // What was looked at, warm-up included: the figures are those of the steady steps in it.
  const std::string span = duration(static_cast<double>(worst.device->whole.span_ns));
  return line + (whole ? "  (all " : "  (last ") + span + ")";
}

}  // namespace gpustall::cli
