// The order of the page: verdict with its gain, where a step goes, what to do, the run over time,
// idle time by stack, workers, longest gaps, and at the end what the figures stand on.
#include <algorithm>

#include "viewer-cli/render/html.h"
#include "viewer-cli/render/html/charts.h"
#include "viewer-cli/render/html/data.h"
#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/page.h"
#include "viewer-cli/render/report.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

using collect::Model;
using collect::ModelDevice;

constexpr size_t kFindings = 6;
// Of one device; several share what one would have, down to a tenth of it.
constexpr size_t kMostBins = 500, kMostGaps = 200;
constexpr double kNarrowestBox = 0.002;  // 2 px of a thousand
constexpr size_t kSmallestShare = 10;

class HtmlReport {
 public:
  HtmlReport(const Model& model, const HtmlOptions& options)
      : model_(model), options_(options), places_(model), palette_(model) {
    shared_by_ = std::clamp<size_t>(model.devices.size(), 1, kSmallestShare);
    options_.report.advice = std::max(options_.report.advice, kFindings);
  }

  std::string page() {
    std::string devices;
    size_t shown = 0;
    for (const ModelDevice& device : model_.devices) {
      if (options_.report.device && device.ordinal != *options_.report.device) continue;
      View view;
      if (!make_view(model_, device, options_.report.window, view)) continue;
      devices += one_device(view, shown++);
    }
    std::string content = "<main>\n" + head() + legend(shown) + devices;
    if (shown == 0) {
      View none;
      const ModelDevice no_device;
      none.device = &no_device;
      content += section("ledger", "Ledger", sentences(ledger_lines(model_, none)));
    }
    content += section("environment", "Environment", environment()) + foot() + "</main>";
    return whole_page({printable(verdict().sentence), content,
                       page_data(palette_, data_, render_markdown(model_, options_.report))});
  }

 private:
  collect::Verdict verdict() const {
    return verdict_for(model_, options_.report.window, options_.report.device);
  }

  // The gain of the verdict again, as times of a step: of its own repair and device, no other's.
  std::string lead(const collect::Verdict& judged) const {
    View view;
    if (judged.repair == nullptr ||
        !make_view(model_, *judged.device, options_.report.window, view))
      return {};
    const std::string gain = repair_gain(view, *judged.repair);
    return gain.empty() ? gain : "<p class=\"lead\">" + typeset(gain) + "</p>";
  }

  std::string head() {
    const collect::Verdict judged = verdict();
    std::string out = "<header><p class=\"run\"><b>gpustall</b> " + escaped(model_.name) +
                      "<button type=\"button\" class=\"copy\" data-copy=\"all\" hidden>Copy as "
                      "Markdown</button></p>" +
                      headline(judged.sentence) + lead(judged);
    return out + paragraph(basis_warning(model_), "warning") + "</header>\n";
  }

  std::string legend(size_t shown) const {
    if (shown == 0) return {};
    std::string out =
        "<nav class=\"legend\" aria-label=\"Causes; pick one to see it alone\">"
        "<span class=\"key\"><i class=\"swatch busy strong\"></i>busy</span>";
    for (size_t s = 0; s < palette_.size(); ++s) {
      const Series& series = palette_.series()[s];
      out += "<button type=\"button\" aria-pressed=\"false\" data-pick=\"" + std::to_string(s) +
             "\" title=\"" + escaped(series.title) + "\"><i class=\"swatch " + series.style +
             "\"></i>" + escaped(series.id) + "</button>";
    }
    return out + "</nav>\n";
  }

  static std::string sentences(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += paragraph(line);
    return out;
  }

  std::string one_device(const View& view, size_t number) {
    DeviceData data;
    data.steps = step_bins(*view.device, palette_, kMostBins / shared_by_);
    data.time = time_bins(*view.device, palette_, kMostBins / shared_by_);
    data.flame = flame_boxes(*view.device, palette_, places_,
                             kNarrowestBox * static_cast<double>(shared_by_));
    const size_t most_gaps = kMostGaps / shared_by_;
    if (view.device->overview) {
      for (const collect::LongGap& gap : view.device->overview->longest)
        if (data.gaps.size() < most_gaps) data.gaps.push_back({gap.start_ns, gap.ns, gap.step});
    }
    data.lengths = lengths_of(*view.device, palette_);
    data.rows = binned_rows(view, idle_rows(view, options_.report, places_), data.steps);
    for (const Finding& finding : findings(view, options_.report, places_))
      data.findings.push_back(finding_markdown(finding));
    const std::string id = std::to_string(number);
    std::string out = "<article data-device=\"" + id + "\">\n" +
                      paragraph(device_line(view), "device") + summary(view, id) +
                      over_time(view, data, id);
    if (!data.flame.empty()) {
      out +=
          section("stacks-" + id, "Idle time by stack",
                  "<p class=\"note\">As wide as the idle time below a call, the whole recording. "
                  "Pick a call to widen it.</p>" +
                      flame_figure(data.flame, palette_));
    }
    out += section("workers-" + id, "Data loading",
                   sentences(loader_lines(model_, view)) + workers_table(view, places_));
    if (data.lengths.size() > 0)
      out += section("lengths-" + id, "How long the gaps are",
                     "<p class=\"note\">Idle time by the length of its gap, the whole recording. " +
                         escaped(lengths_sentence(data.lengths)) + "</p>" +
                         lengths_figure(data.lengths, palette_));
    out += section("gaps-" + id, "Longest gaps",
                   gaps_list(view, palette_, places_, "gaps-" + id, most_gaps));
    std::string ledger;
    if (!view.device->overview)
      ledger = paragraph("Saved by an older gpustall: no pictures over time, by stack or by gap.");
    out += section("ledger-" + id, "Ledger",
                   ledger + paragraph(warmup_line(view)) + sentences(ledger_lines(model_, view)));
    data_.push_back(std::move(data));
    return out + "</article>\n";
  }

  std::string summary(const View& view, const std::string& id) {
    std::string out =
        section("where-" + id, view.steps > 0 ? "Where a step goes" : "Where the time goes",
                budget_bar(view, palette_) + sentences(time_lines(view)) +
                    idle_table(view, options_.report, places_, palette_) +
                    busy_table(view, options_.report, places_) + sentences(slow_lines(view)));
    const std::vector<Finding> found = findings(view, options_.report, places_);
    if (found.empty()) return out;
    const std::string together = found.size() > 1 ? together_line(view) : "";
    return out + section("fix-" + id, "What to do",
                         findings_list(found, places_, palette_, options_.excerpts) +
                             paragraph(together, "together"));
  }

  std::string over_time(const View& view, const DeviceData& data, const std::string& id) {
    std::string out;
    if (data.steps.size() > 0) {
      out += section("steps-" + id, "Every step",
                     steps_figure(data.steps, palette_, view) + distribution_figure(view));
    }
    if (data.time.size() > 0) {
      out += section("time-" + id, "Over time",
                     "<p class=\"note\">Upwards: the share of time in which the GPU was busy. "
                     "Downwards: what it waited for.</p>" +
                         timeline_figure(data.time, palette_));
    }
    return out;
  }

  std::string environment() const {
    if (model_.environment.empty()) return {};
    std::string out = "<dl>";
    for (const auto& [key, value] : model_.environment) {
      out += "<div><dt>" + escaped(key) + "</dt><dd>" + escaped(value) + "</dd></div>";
    }
    return out + "</dl>";
  }

  std::string foot() const {
    return "<footer><p class=\"keys\">Keys: Tab to a picture, arrows to read it, Shift and "
           "arrows to select a part (or drag); Enter widens a call or opens a gap; Esc shows all "
           "again.</p><p>" +
           escaped(options_.version) + "</p></footer>\n";
  }

  const Model& model_;
  HtmlOptions options_;
  const Places places_;
  const Palette palette_;
  size_t shared_by_ = 1;
  std::vector<DeviceData> data_;
};

}  // namespace

std::string render_html(const Model& model, const HtmlOptions& options) {
  return HtmlReport(model, options).page();
}

}  // namespace gpustall::cli
