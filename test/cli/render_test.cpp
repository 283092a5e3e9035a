// The report as text and Markdown, compared with golden files at 80 and 120 columns.
#include <algorithm>
#include <regex>

#include "golden.h"
#include "models.h"
#include "viewer-cli/render/causes.h"
#include "viewer-cli/render/live_line.h"
#include "viewer-cli/render/report.h"

using namespace gpustall;
using namespace gpustall::cli;
using namespace gpustall::test;

namespace {

Terminal columns(unsigned width) {
  return Terminal{false, false, width};
}

std::string report(const collect::Model& model, ReportOptions options, unsigned width = 80) {
  options.path = "run";
  return render_report(model, options, columns(width));
}

std::string without_color(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

}  // namespace

TEST_CASE("a report at 80 columns") {
  check_golden("stalled-80.txt", report(stalled_model(), {}));
}

TEST_CASE("a report at 120 columns") {
  check_golden("stalled-120.txt", report(stalled_model(), {}, 120));
}

TEST_CASE("a report with every cause and its stack") {
  ReportOptions options;
  options.top = 0;
  options.advice = 20;
  options.stacks = true;
  check_golden("stalled-all.txt", report(stalled_model(), options, 120));
}

TEST_CASE("the whole recording is per second") {
  ReportOptions options;
  options.window = WindowChoice::Whole;
  check_golden("stalled-whole.txt", report(stalled_model(), options));
}

TEST_CASE("the warm-up by itself") {
  ReportOptions options;
  options.window = WindowChoice::Warmup;
  check_golden("stalled-warmup.txt", report(stalled_model(), options));
}

TEST_CASE(
    "a finding says what its line costs in all, and the states of that line are not told again") {
  collect::Model model = stalled_model();
  collect::Window& window = *model.devices[0].steady;
  collect::CauseRow starved = window.causes[1];  // data.worker_cpu at train.py:88
  starved.cause = collect::Cause::HostStarved;
  starved.object.clear();
  starved.ns = 100'000'000;
  window.causes.insert(window.causes.begin() + 2, starved);
  window.idle_ns += starved.ns;
  window.span_ns += starved.ns;
  const std::string text = report(model, {}, 120);
  CHECK_THAT(text, contains("train.py:88 costs"));
  CHECK_THAT(text, contains("in all: data.worker_cpu"));
  CHECK(text.find("host.starved: runnable") == std::string::npos);
  ReportOptions all;
  all.top = 0;
  all.advice = 20;
  CHECK_THAT(report(model, all, 120), contains("host.starved: runnable"));
}

TEST_CASE("what a repair gains nothing by comes after what may gain") {
  collect::Model model = stalled_model();
  model.devices[0].steady->causes[1].gain = collect::Gain{0, 0, 0.5, 0};
  const std::string text = report(model, {}, 120);
  CHECK(text.find("sync.print: ") < text.find("data.worker_cpu: "));
}

TEST_CASE("a healthy run has no advice") {
  check_golden("healthy.txt", report(healthy_model(), {}));
}

TEST_CASE("a run without GPU work says what was not observed") {
  check_golden("empty.txt", report(empty_model(), {}));
}

TEST_CASE("a report as Markdown") {
  check_golden("stalled.md", render_markdown(stalled_model(), {}));
}

TEST_CASE("the verdict at the end of a run") {
  check_golden("verdict.txt", render_verdict(stalled_model(), columns(80)));
}

TEST_CASE("the line of a live run has the report's figures") {
  CHECK(live_line(stalled_model(), true) ==
        "GPU busy 50.0 %  20.0 ms/step  sync.item 20.0 % train.py:104  (all 1.24 s)");
  CHECK(live_line(healthy_model(), false) ==
        "GPU 0 busy 97.0 %  device.spacing 3.0 %  (last 10.0 s)");
  CHECK(live_line(empty_model(), true).empty());
}

TEST_CASE("one device of several") {
  ReportOptions options;
  options.device = 1;
  const std::string text = report(healthy_model(), options);
  CHECK_THAT(text, contains("device 1 (NVIDIA H100)"));
  CHECK(text.find("device 0") == std::string::npos);
  options.device = 7;
  CHECK_THAT(report(healthy_model(), options), contains("No device 7"));
}

TEST_CASE("colour changes nothing but colour") {
  ReportOptions options;
  options.path = "run";
  const Terminal color{true, true, 80};
  const std::string painted = render_report(stalled_model(), options, color);
  CHECK(painted != report(stalled_model(), options));
  CHECK(without_color(painted) == report(stalled_model(), options));
}

TEST_CASE("causes that do not add up are told") {
  collect::Model model = stalled_model();
  CHECK(report(model, {}).find("FAULT") == std::string::npos);
  model.devices[0].steady->causes[0].ns += 1;
  CHECK_THAT(report(model, {}), contains("FAULT: the causes add up to 370000001 ns"));
}

TEST_CASE("a place is never cut, however narrow the line") {
  collect::Model model = stalled_model();
  const std::string file = "a/" + std::string(90, 'x') + ".py";
  model.devices[0].steady->causes[0].site->file = file;
  CHECK_THAT(report(model, {}, 60), contains(file + ":104"));
}

TEST_CASE("unknown is shown even when there is none") {
  collect::Model model = stalled_model();
  auto& causes = model.devices[0].steady->causes;
  causes.erase(std::remove_if(causes.begin(), causes.end(),
                              [](const auto& row) {
                                return family_of(row.cause) == collect::CauseFamily::Unknown;
                              }),
               causes.end());
  CHECK_THAT(report(model, {}), contains("0.00   0.0 %  [unknown]"));
}

TEST_CASE("control characters from a recording do not reach the terminal") {
  collect::Model model = stalled_model();
  model.verdict = "evil \x1b[2J verdict";
  auto& row = model.devices[0].steady->causes[0];
  row.site->text = "\x1b]0;title\x07";
  row.object = "\x9b\x1b[31m";
  row.site->file = "/x/\x1b[1m.py";
  row.stack = {"\x1b[5m:1 f"};
  ReportOptions options;
  options.stacks = true;
  CHECK(report(model, options).find('\x1b') == std::string::npos);
  CHECK(render_markdown(model, options).find('\x1b') == std::string::npos);
}

TEST_CASE("every cause is explained with its remedy") {
  for (const auto& cause : collect::kCauses) {
    CHECK_THAT(render_causes(cause.id, columns(200)), contains(std::string(cause.id) + "  "));
  }
  CHECK(render_causes("no.such", columns(80)).empty());
  CHECK_THAT(render_causes("sync", columns(200)), contains("sync.nonzero"));
}
