// The order of the report: verdict, basis, times, table, findings, loader, ledger, next command.
#include "viewer-cli/render/report.h"

#include <algorithm>

#include "viewer-cli/render/sections.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Model;

constexpr size_t kSitesShown = 3;      // of one finding
constexpr unsigned kProseWidth = 100;  // longer lines of prose are hard to read

class Report {
 public:
  Report(const Model& model, const ReportOptions& options, const Terminal& terminal)
      : model_(model), options_(options), terminal_(terminal), places_(model) {}

  std::string text() {
    head();
    size_t shown = 0;
    for (const collect::ModelDevice& device : model_.devices) {
      if (options_.device && device.ordinal != *options_.device) continue;
      View view;
      if (!make_view(model_, device, options_.window, view)) continue;
      one_device(view);
      ++shown;
    }
    if (shown == 0) without_device();
    if (options_.verbose) environment();
    next_command();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void prose(const std::string& text, unsigned indent = 0) {
    if (text.empty()) return;
    const unsigned width = std::min(terminal_.width, kProseWidth);
    line(std::string(indent, ' ') + wrapped(text, width, indent));
  }

  void head() {
    const collect::Verdict judged = verdict_for(model_, options_.window, options_.device);
    const bool good = judged.code == "healthy";
    const std::string verdict = wrapped(printable(judged.sentence), terminal_.width, 0);
    if (!verdict.empty()) line(paint(terminal_, good ? Paint::Green : Paint::Bold, verdict));
    const std::string warning = basis_warning(model_);
    if (!warning.empty()) line(paint(terminal_, Paint::Yellow, warning));
  }

  void table(const std::vector<Row>& rows, const View& view) {
    Table table({{view.heading(), Align::Right, false},
                 {"share", Align::Right, false},
                 {"cause", Align::Left, false},
                 {"where", Align::Left, false},
                 {"", Align::Left, true}});
    for (const Row& row : rows) table.add({row.time, row.share, row.id, row.where, row.words});
    const std::vector<std::string> lines = table.lines(terminal_.width);
    line(paint(terminal_, Paint::Dim, lines[0]));
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool total = rows[i].kind == Row::Kind::Total;
      line(total ? paint(terminal_, Paint::Bold, lines[i + 1]) : lines[i + 1]);
    }
  }

  void finding(const Finding& finding, size_t number) {
    line("");
    const std::string title = std::to_string(number) + "  " + finding.title;
    const size_t space = display_width(title) + finding.gain.size() + 2;
    if (space <= terminal_.width) {
      line(paint(terminal_, Paint::Bold, title) + std::string(2, ' ') + finding.gain);
    } else {
      line(paint(terminal_, Paint::Bold, title));
      line("   " + finding.gain);
    }
    sites(finding);
    prose(finding.remedy, 3);
    for (const std::string& note : finding.notes) prose(note, 3);
    for (const std::string& frame : finding.stack) line("     " + frame);
  }

  void sites(const Finding& finding) {
    size_t width = 0;
    for (const Finding::Site& site : finding.sites) {
      width = std::max(width, display_width(site.where));
    }
    const size_t shown = options_.top == 0 ? finding.sites.size() : kSitesShown;
    for (size_t i = 0; i < finding.sites.size() && i < shown; ++i) {
      const Finding::Site& site = finding.sites[i];
      if (site.where == "-") continue;
      const std::string where =
          "   " + site.where + std::string(width - display_width(site.where) + 2, ' ');
      const size_t taken = display_width(where);
      const size_t room = terminal_.width > taken + 10 ? terminal_.width - taken : 10;
      std::string text = where + cut(site.source, room);
      text.erase(text.find_last_not_of(' ') + 1);
      line(paint(terminal_, Paint::Cyan, text));
    }
    if (finding.sites.size() > shown) {
      line("   and " + std::to_string(finding.sites.size() - shown) + " more places (--all)");
    }
  }

  void one_device(const View& view) {
    line("");
    prose(device_line(view));
    for (const std::string& sentence : time_lines(view)) prose(sentence);
    line("");
    table(idle_rows(view, options_, places_), view);
    busy(view);
    slow(view);
    size_t number = 0;
    for (const Finding& found : findings(view, options_, places_)) finding(found, ++number);
    line("");
    if (number > 1) prose(together_line(view));
    for (const std::string& sentence : loader_lines(model_, view)) prose(sentence);
    prose(warmup_line(view));
    for (const std::string& sentence : ledger_lines(model_, view)) prose(sentence);
  }

  void busy(const View& view) {
    const int64_t exposed = view.window->exposed_copy_ns + view.window->exposed_collective_ns;
    const bool worth = view.share(exposed) >= options_.min_share || options_.top == 0;
    if (exposed == 0 || !worth || view.window->busy_causes.empty()) return;
    line("");
    line("The GPU is busy, but computes nothing meanwhile:");
    table(busy_rows(view, options_, places_), view);
  }

  void slow(const View& view) {
    const std::vector<std::string> sentences = slow_lines(view);
    if (!sentences.empty()) line("");
    for (const std::string& sentence : sentences) prose(sentence);
  }

  void without_device() {
    line("");
    if (options_.device) {
      prose("No device " + std::to_string(*options_.device) + " in this window of the recording.");
    } else if (!model_.devices.empty()) {
      prose("No such window in this recording: it has no steps.");
    }
    View none;
    const collect::ModelDevice no_device;
    none.device = &no_device;
    for (const std::string& sentence : ledger_lines(model_, none)) prose(sentence);
  }

  void environment() {
    line("");
    line("Environment");
    for (const auto& [key, value] : model_.environment) {
      prose(printable(key) + " = " + printable(value), 2);
    }
  }

  void next_command() {
    if (options_.path.empty() || model_.devices.empty()) return;
    line("");
    line("Next:  gpustall gaps " + options_.path + " --longest 20");
    if (options_.top != 0) line("       gpustall report " + options_.path + " --all --stack");
  }

  const Model& model_;
  const ReportOptions& options_;
  const Terminal& terminal_;
  const Places places_;
  std::string out_;
};

}  // namespace

std::string render_report(const Model& model, const ReportOptions& options,
                          const Terminal& terminal) {
  return Report(model, options, terminal).text();
}

std::string render_verdict(const Model& model, const Terminal& terminal) {
  std::string text = paint(terminal, Paint::Bold, printable(model.verdict)) + "\n";
  if (model.devices.empty() || model.verdict_code == "healthy") return text;
  View view;
  make_view(model, model.devices.front(), WindowChoice::Default, view);
  const Places places(model);
  ReportOptions options;
  const std::vector<Finding> found = findings(view, options, places);
  if (found.empty()) return text;
  const std::string& where = found[0].sites[0].where;
  text += found[0].title + (where == "-" ? "" : ", " + where) + ": " + found[0].gain + "\n";
  return text + found[0].remedy + "\n";
}

}  // namespace gpustall::cli
