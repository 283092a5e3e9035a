// The order of the comparison: verdict, gate, runs, reasons, what differs, tables, cautions, next.
#include <algorithm>

#include "viewer-cli/render/diff.h"
#include "viewer-cli/render/diff_rows.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

using collect::Comparison;
using collect::DeviceComparison;
using collect::Outcome;

constexpr unsigned kProseWidth = 100;

class Diff {
 public:
  Diff(const Comparison& comparison, const DiffOptions& options, const Terminal& terminal)
      : comparison_(comparison), options_(options), terminal_(terminal) {}

  std::string text() {
    head();
    for (const std::string& run : run_lines(comparison_)) line(run);
    if (!comparison_.reasons.empty()) line("");
    for (const collect::Reason& reason : comparison_.reasons) prose("Reason: " + reason.sentence);
    const auto differences = environment_lines(comparison_, options_.verbose);
    if (!differences.empty()) line("");
    for (const std::string& difference : differences) prose(difference);
    for (const DeviceComparison& device : comparison_.devices) table(device);
    if (!comparison_.cautions.empty()) line("");
    for (const std::string& caution : comparison_.cautions) prose("Note: " + caution);
    next_command();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void prose(const std::string& text) {
    line(wrapped(printable(text), std::min(terminal_.width, kProseWidth), 0));
  }

  void head() {
    const Paint color = comparison_.outcome == Outcome::Slower   ? Paint::Red
                        : comparison_.outcome == Outcome::Faster ? Paint::Green
                                                                 : Paint::Bold;
    line(paint(terminal_, color, wrapped(printable(comparison_.verdict), terminal_.width, 0)));
    if (!options_.gate.empty())
      line(paint(terminal_, Paint::Bold, wrapped(options_.gate, terminal_.width, 0)));
    const std::string warning = simulated_warning(comparison_);
    if (!warning.empty()) line(paint(terminal_, Paint::Yellow, warning));
    line("");
  }

  void table(const DeviceComparison& device) {
    line("");
    const std::string name = device.base_name == device.next_name
                                 ? device.base_name
                                 : device.base_name + " -> " + device.next_name;
    line("Device " + std::to_string(device.ordinal) + " (" + printable(name) + "), " +
         unit_heading(device) + ", largest change first:");
    Table table({{"base", Align::Right, false},
                 {"new", Align::Right, false},
                 {"change", Align::Right, false},
                 {"95 %", Align::Right, false},
                 {"", Align::Left, false},
                 {"cause", Align::Left, false},
                 {"where", Align::Left, false},
                 {"", Align::Left, true}});
    const std::vector<DiffRow> rows = diff_rows(device, options_.by);
    for (const DiffRow& row : rows)
      table.add(
          {row.base, row.next, row.change, row.margin, row.noise, row.id, row.where, row.words});
    const std::vector<std::string> lines = table.lines(terminal_.width);
    line(paint(terminal_, Paint::Dim, lines[0]));
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool total = rows[i].kind == DiffRow::Kind::Total;
      const Paint color = total ? Paint::Bold : Paint::Dim;
      const bool plain = !total && rows[i].noise.empty();
      line(plain ? lines[i + 1] : paint(terminal_, color, lines[i + 1]));
    }
  }

  void next_command() {
    if (options_.next_path.empty() || comparison_.devices.empty()) return;
    line("");
    line("Next:  gpustall report " + options_.next_path);
    line("       gpustall diff " + options_.base_path + " " + options_.next_path +
         (options_.by == DiffBy::Site ? " --by line" : " --all"));
  }

  const Comparison& comparison_;
  const DiffOptions& options_;
  const Terminal& terminal_;
  std::string out_;
};

}  // namespace

std::string render_diff(const Comparison& comparison, const DiffOptions& options,
                        const Terminal& terminal) {
  return Diff(comparison, options, terminal).text();
}

}  // namespace gpustall::cli
