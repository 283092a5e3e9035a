// The comparison as a page: verdict, both steps as bars on one scale, the table of changes, how
// both sides' steps are distributed, what else differs. Needs no script at all.
#include <algorithm>
#include <map>

#include "viewer-cli/render/diff_rows.h"
#include "viewer-cli/render/html.h"
#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/histogram.h"
#include "viewer-cli/render/html/page.h"
#include "viewer-cli/render/html/palette.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Change;
using collect::ChangeRow;
using collect::Comparison;
using collect::DeviceComparison;

std::map<collect::Cause, int64_t> sums_of(const Comparison& comparison) {
  std::map<collect::Cause, int64_t> sums;
  for (const DeviceComparison& device : comparison.devices)
    for (const ChangeRow& row : device.cause_rows)
      if (row.kind == ChangeRow::Kind::Cause)
        sums[row.cause] += static_cast<int64_t>(std::max(row.change.base, row.change.next));
  return sums;
}

class DiffPage {
 public:
  DiffPage(const Comparison& comparison, const DiffOptions& options)
      : comparison_(comparison), options_(options), palette_(sums_of(comparison)) {}

  std::string content() const {
    std::string out = "<main>\n<header><p class=\"run\"><b>gpustall</b> " +
                      escaped(options_.base_path) + " &rarr; " + escaped(options_.next_path) +
                      "</p>" + headline(comparison_.verdict);
    if (!options_.gate.empty()) out += paragraph(options_.gate, "lead");
    out += paragraph(simulated_warning(comparison_), "warning") + "</header>\n";
    std::string facts;
    for (const std::string& run : run_lines(comparison_)) facts += paragraph(run);
    for (const collect::Reason& reason : comparison_.reasons)
      facts += paragraph("Reason: " + reason.sentence);
    for (const std::string& difference : environment_lines(comparison_, options_.verbose))
      facts += paragraph(difference);
    for (const DeviceComparison& device : comparison_.devices) out += one_device(device);
    out += section("runs", "What was compared", facts);
    std::string cautions;
    for (const std::string& caution : comparison_.cautions)
      cautions += paragraph("Note: " + caution);
    return out + section("cautions", "What this does not know", cautions) + "</main>";
  }

 private:
  std::string one_device(const DeviceComparison& device) const {
    const std::string id = std::to_string(device.ordinal);
    const std::string name = device.base_name == device.next_name
                                 ? device.base_name
                                 : device.base_name + " -> " + device.next_name;
    return "<article>" +
           paragraph("Device " + id + " (" + printable(name) + "), " + unit_heading(device),
                     "device") +
           section("step-" + id,
                   device.unit == collect::Unit::Step ? "Where a step goes" : "Where a second goes",
                   bar(device, "base", &Change::base) + bar(device, "new", &Change::next) + key()) +
           section("changes-" + id, "What changed, largest first", table(device)) +
           section("spread-" + id, "How long steps take",
                   two_histograms({"base", joined(device.base_steps_ns)},
                                  {"new", joined(device.next_steps_ns)})) +
           "</article>\n";
  }

  static std::vector<int64_t> joined(const std::vector<std::vector<int64_t>>& runs) {
    std::vector<int64_t> all;
    for (const auto& steps : runs) all.insert(all.end(), steps.begin(), steps.end());
    return all;
  }

  // Both sides on one scale: the shorter bar is the faster step.
  std::string bar(const DeviceComparison& device, const char* side, double Change::*value) const {
    const double longest = std::max({device.span.base, device.span.next, 1.0});
    std::vector<double> idle(palette_.size());
    double compute = 0, copies = 0;
    for (const ChangeRow& row : device.cause_rows) {
      const size_t series =
          row.kind == ChangeRow::Kind::Cause ? palette_.of(row.cause) : palette_.other();
      idle[series] += row.change.*value;
    }
    for (const ChangeRow& row : device.busy_rows)
      (row.kind == ChangeRow::Kind::Compute ? compute : copies) += row.change.*value;
    std::string parts;
    const auto add = [&](const std::string& style, const std::string& name, double ns) {
      if (ns <= 0) return;
      parts += "<i class=\"" + style + "\" style=\"width:" + std::to_string(ns / longest * 100) +
               "%\" title=\"" + escaped(name + " " + duration(ns)) + "\"></i>";
    };
    add("busy strong", "computing", compute);
    add("busy", "only copying", copies);
    for (size_t s = 0; s < idle.size(); ++s)
      add(palette_.series()[s].style, palette_.series()[s].id, idle[s]);
    return std::string("<div class=\"side\"><span>") + side + "<b>" +
           escaped(duration(device.span.*value)) + "</b></span><div class=\"whole\">" + parts +
           "</div></div>";
  }

  std::string key() const {
    std::string out =
        "<p class=\"note key\"><span><i class=\"swatch busy strong\"></i>computing</span>"
        "<span><i class=\"swatch busy\"></i>only copying</span>";
    for (const Series& series : palette_.series())
      out += "<span><i class=\"swatch " + series.style + "\"></i>" + escaped(series.id) + "</span>";
    return out + "</p>";
  }

  std::string table(const DeviceComparison& device) const {
    std::string out =
        "<table class=\"causes changes\"><thead><tr><th class=\"n\">base</th><th class=\"n\">new"
        "</th><th class=\"n\">change</th><th class=\"n\">95 %</th><th></th><th>cause</th>"
        "<th>where</th><th class=\"words\"></th></tr></thead><tbody>";
    for (const DiffRow& row : diff_rows(device, options_.by)) {
      const bool total = row.kind == DiffRow::Kind::Total;
      const char* style = total ? "total" : row.noise.empty() ? "plain" : "noise";
      out += std::string("<tr class=\"") + style + "\">";
      for (const std::string* cell : {&row.base, &row.next, &row.change, &row.margin})
        out += "<td class=\"n\">" + typeset(*cell) + "</td>";
      out += "<td class=\"id\">" + escaped(row.noise) + "</td><td class=\"id\">" + escaped(row.id) +
             "</td><td class=\"where\">" + escaped(row.where) + "</td><td class=\"words\">" +
             escaped(row.words) + "</td></tr>";
    }
    return out + "</tbody></table>";
  }

  const Comparison& comparison_;
  const DiffOptions& options_;
  const Palette palette_;
};

}  // namespace

std::string render_diff_html(const Comparison& comparison, const DiffOptions& options,
                             const std::string& version) {
  const std::string foot = "<footer><p>" + escaped(version) + "</p></footer>";
  return whole_page(
      {printable(comparison.verdict), DiffPage(comparison, options).content() + foot, ""});
}

}  // namespace gpustall::cli
