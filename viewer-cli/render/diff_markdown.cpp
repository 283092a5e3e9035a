// The comparison as GitHub Markdown, for comments on pull requests.
#include "viewer-cli/render/diff.h"
#include "viewer-cli/render/diff_rows.h"
#include "viewer-cli/render/markdown_cells.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

std::string list(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "- " + cell(printable(sentence)) + "\n";
  return text.empty() ? text : text + "\n";
}

std::string bold(const std::string& text) {
  return text.empty() ? text : "**" + text + "**";
}

std::string table(const collect::DeviceComparison& device, DiffBy by) {
  std::string text = "Device " + std::to_string(device.ordinal) + ", " + unit_heading(device) +
                     ":\n\n| base | new | change | 95 % | | cause | where | |\n" +
                     "|--:|--:|--:|--:|:--|:--|:--|:--|\n";
  for (const DiffRow& row : diff_rows(device, by)) {
    const bool total = row.kind == DiffRow::Kind::Total;
    text += "| " + row.base + " | " + row.next + " | " +
            (row.noise.empty() ? bold(row.change) : row.change) + " | " + row.margin + " | " +
            row.noise + " | " + (total ? bold(row.id) : cell(row.id)) + " | " + code(row.where) +
            " | " + cell(row.words) + " |\n";
  }
  return text + "\n";
}

}  // namespace

std::string render_diff_markdown(const collect::Comparison& comparison,
                                 const DiffOptions& options) {
  std::string text = bold(cell(printable(comparison.verdict))) + "\n\n";
  if (!options.gate.empty()) text += cell(options.gate) + "\n\n";
  if (const std::string warning = simulated_warning(comparison); !warning.empty())
    text += "> " + warning + "\n\n";
  std::vector<std::string> facts = run_lines(comparison);
  for (const collect::Reason& reason : comparison.reasons)
    facts.push_back("Reason: " + reason.sentence);
  for (std::string& difference : environment_lines(comparison, options.verbose))
    facts.push_back(std::move(difference));
  text += list(facts);
  for (const collect::DeviceComparison& device : comparison.devices)
    text += table(device, options.by);
  return text + list(comparison.cautions);
}

}  // namespace gpustall::cli
