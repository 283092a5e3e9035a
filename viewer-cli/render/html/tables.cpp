// The rows of the text report as tables with a bar in each row.
#include <algorithm>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/parts.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

constexpr double kNamedSegment = 0.08;  // narrower ones have no room for a name

std::string swatch(const std::string& style) {
  return "<i class=\"swatch " + style + "\"></i>";
}

std::string segment(const std::string& style, const std::string& series, int64_t ns,
                    const std::string& title) {
  return "<i class=\"" + style + "\" data-s=\"" + series + "\" style=\"flex:" + std::to_string(ns) +
         " 0 0\" title=\"" + escaped(title) + "\"></i>";
}

std::string style_of(const Row& row, const Palette& palette) {
  if (row.cause != nullptr) return palette.style_of(row.cause->cause).style;
  return row.kind == Row::Kind::Unknown ? palette.series().back().style : "f-other l1";
}

std::string series_of(const Row& row, const Palette& palette) {
  if (row.cause != nullptr) return std::to_string(palette.of(row.cause->cause));
  return row.kind == Row::Kind::Unknown ? std::to_string(palette.size() - 1) : "";
}

std::string cells(const Row& row) {
  return "<td class=\"n\">" + escaped(row.time) + "</td><td class=\"n\">" + escaped(row.share) +
         "</td>";
}

std::string head(const View& view) {
  return std::string("<thead><tr><th class=\"n\">") + view.heading() +
         "</th><th class=\"n\">share</th><th class=\"bar\"></th><th>cause</th><th>where</th>"
         "<th class=\"words\"></th></tr></thead>";
}

std::string row_html(const Row& row, const std::string& attributes, const std::string& bar,
                     const std::string& id) {
  return "<tr" + attributes + ">" + cells(row) + "<td class=\"bar\">" + bar +
         "</td><td class=\"id\">" + id + "</td><td class=\"where\">" + escaped(row.where) +
         "</td><td class=\"words\">" + escaped(row.words) + "</td></tr>";
}

}  // namespace

std::string budget_bar(const View& view, const Palette& palette) {
  const collect::Window& window = *view.window;
  if (window.span_ns <= 0) return {};
  std::vector<int64_t> idle(palette.size());
  for (const collect::CauseRow& row : window.causes) idle[palette.of(row.cause)] += row.ns;
  std::string bar, names;
  const auto add = [&](const std::string& style, const std::string& series, int64_t ns,
                       const std::string& name) {
    if (ns <= 0) return;
    const std::string share = percent(view.share(ns));
    bar +=
        segment(style, series, ns,
                name + ": " + duration(view.per_unit(ns)) + " per " + view.unit() + ", " + share);
    names +=
        "<span style=\"flex:" + std::to_string(ns) + " 0 0\">" +
        (view.share(ns) < kNamedSegment ? std::string{}
                                        : escaped(name) + "<br><b>" + escaped(share) + "</b>") +
        "</span>";
  };
  add("busy strong", "busy", window.compute_ns, "computing");
  add("busy", "busy", window.exposed_copy_ns + window.exposed_collective_ns, "only copying");
  for (size_t s = 0; s < palette.size(); ++s) {
    add(palette.series()[s].style, std::to_string(s), idle[s], palette.series()[s].id);
  }
  return "<div class=\"budget\" aria-hidden=\"true\"><div class=\"bar\">" + bar +
         "</div><div class=\"names\">" + names + "</div></div>";
}

std::string idle_table(const View& view, const ReportOptions& options, const Places& places,
                       const Palette& palette) {
  const std::vector<Row> rows = idle_rows(view, options, places);
  int64_t largest = 1;
  for (const Row& row : rows)
    if (row.kind != Row::Kind::Total) largest = std::max(largest, row.ns);
  std::string out = "<table class=\"causes\">" + head(view) + "<tbody>";
  for (const Row& row : rows) {
    if (row.kind == Row::Kind::Total) {
      out += row_html(row, " class=\"total\"", "", escaped(row.id));
      continue;
    }
    const std::string style = style_of(row, palette);
    const double width = 100.0 * static_cast<double>(row.ns) / static_cast<double>(largest);
    out +=
        row_html(row, " data-s=\"" + series_of(row, palette) + "\"",
                 "<i class=\"" + style + "\" style=\"width:" + std::to_string(width) + "%\"></i>",
                 swatch(style) + escaped(row.id));
  }
  return out + "</tbody></table>";
}

std::string busy_table(const View& view, const ReportOptions& options, const Places& places) {
  const int64_t exposed = view.window->exposed_copy_ns + view.window->exposed_collective_ns;
  const bool worth = view.share(exposed) >= options.min_share || options.top == 0;
  if (exposed == 0 || !worth || view.window->busy_causes.empty()) return {};
  std::string out =
      "<h3>The GPU is busy, but computes nothing meanwhile</h3><table class=\"causes\">" +
      head(view) + "<tbody>";
  for (const Row& row : busy_rows(view, options, places)) {
    out +=
        row_html(row, row.kind == Row::Kind::Total ? " class=\"total\"" : "", "", escaped(row.id));
  }
  return out + "</tbody></table>";
}

}  // namespace gpustall::cli
