// The report as GitHub Markdown, for issues and pull requests: one table, the findings as a list.
#include <string>

#include "viewer-cli/render/markdown_cells.h"
#include "viewer-cli/render/report.h"
#include "viewer-cli/render/sections.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

std::string table(const std::vector<Row>& rows, const View& view) {
  std::string text =
      std::string("| ") + view.heading() + " | share | cause | where | |\n|--:|--:|:--|:--|:--|\n";
  for (const Row& row : rows) {
    text += "| " + row.time + " | " + row.share + " | " + cell(row.id) + " | " + code(row.where) +
            " | " + cell(row.words) + " |\n";
  }
  return text + "\n";
}

}  // namespace

std::string finding_markdown(const Finding& finding) {
  std::string text = "**" + finding.title + "**: " + finding.gain + ". " + finding.remedy;
  for (const Finding::Site& site : finding.sites)
    text += " " + code(site.where) + " " + code(site.source);
  return text;
}

namespace {

std::string device_section(const View& view, const ReportOptions& options, const Places& places) {
  std::string text = device_line(view) + "\n\n";
  for (const std::string& sentence : time_lines(view)) text += sentence + "\n";
  text += "\n" + table(idle_rows(view, options, places), view);
  if (!view.window->busy_causes.empty()) {
    text += "Busy, but computing nothing:\n\n" + table(busy_rows(view, options, places), view);
  }
  for (const std::string& sentence : slow_lines(view)) text += sentence + "\n\n";
  for (const Finding& finding : findings(view, options, places)) {
    text += "1. " + finding_markdown(finding) + "\n";
  }
  text += "\n";
  for (const std::string& sentence : loader_lines(*view.model, view)) text += sentence + "\n";
  if (const std::string warmup = warmup_line(view); !warmup.empty()) text += warmup + "\n";
  for (const std::string& sentence : ledger_lines(*view.model, view)) text += sentence + "\n";
  return text;
}

}  // namespace

std::string render_markdown(const collect::Model& model, const ReportOptions& options) {
  const Places places(model);
  const collect::Verdict verdict = verdict_for(model, options.window, options.device);
  std::string text = "**" + printable(verdict.sentence) + "**\n\n";
  if (const std::string warning = basis_warning(model); !warning.empty())
    text += "> " + warning + "\n\n";
  for (const collect::ModelDevice& device : model.devices) {
    if (options.device && device.ordinal != *options.device) continue;
    View view;
    if (make_view(model, device, options.window, view)) {
      text += device_section(view, options, places);
    }
  }
  return text;
}

}  // namespace gpustall::cli
