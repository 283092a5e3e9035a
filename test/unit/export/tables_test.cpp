// Tables whose sums are the whole, and flame graphs whose widths are idle nanoseconds.
#include <simdjson.h>

#include <map>
#include <sstream>

#include "test/builder/recording_text.h"
#include "test/catch.h"
#include "test/unit/export/exported.h"

using namespace gpustall;        // NOLINT
using namespace gpustall::test;  // NOLINT

namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

// RFC 4180, as far as we write it.
Rows parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& field = lines.back().back();
    if (quoted) {
      if (text[i] != '"')
        field += text[i];
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        quoted = false;
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == ',') {
      lines.back().emplace_back();
    } else if (text[i] == '\n') {
      lines.emplace_back(1);
    } else {
      field += text[i];
    }
  }
  lines.pop_back();
  Rows rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    REQUIRE(lines[i].size() == lines[0].size());
    rows.emplace_back();
    for (size_t c = 0; c < lines[0].size(); ++c) rows.back()[lines[0][c]] = lines[i][c];
  }
  return rows;
}

int64_t sum(const Rows& rows, const std::string& column, const std::string& kind = {}) {
  int64_t total = 0;
  for (const auto& row : rows)
    if (kind.empty() || row.at("kind") == kind) total += std::stoll(row.at(column));
  return total;
}

}  // namespace

TEST_CASE("the rows of causes add up to the wall time, in all and in each bin") {
  const Exported run(training_run());
  const Rows rows = parse_csv(run.table(cli::Table::Causes));
  const collect::DeviceTimeline& line = run.analysis.timelines[0];
  CHECK(sum(rows, "ns") == line.span_ns());
  CHECK(sum(rows, "ns", "idle") == line.idle_ns());
  CHECK(sum(rows, "ns", "busy") == line.busy_ns);
  std::map<std::string, int64_t> left;
  std::map<std::string, std::string> end;
  for (const auto& row : rows) {
    left.try_emplace(row.at("start_ns"),
                     std::stoll(row.at("end_ns")) - std::stoll(row.at("start_ns")));
    left[row.at("start_ns")] -= std::stoll(row.at("ns"));
  }
  for (const auto& [start, ns] : left) CHECK(ns == 0);
  CHECK(left.size() >= run.analysis.steps[0].count());
}

TEST_CASE("long runs have bins of several steps, and the sums stay") {
  RecordingBuilder b;
  const auto main = b.thread("main");
  const auto gpu = b.queue(0, 7);
  for (int step = 0; step < 4'100; ++step) {
    const TraceTime at = step * 100'000;
    b.range(main, "ProfilerStep#" + std::to_string(step), {at, at + 99'000},
            collect::RangeKind::UserAnnotation);
    for (int k = 0; k < 2; ++k)
      b.launch(main, {at + k * 20'000, at + k * 20'000 + 3'000}, gpu, "k",
               {at + k * 20'000 + 5'000, at + k * 20'000 + 9'000});
  }
  const Exported run(b.build());
  REQUIRE(run.analysis.steps.size() == 1);
  REQUIRE(run.analysis.steps[0].count() > 4'000);
  const Rows rows = parse_csv(run.table(cli::Table::Causes));
  CHECK(sum(rows, "ns") == run.analysis.timelines[0].span_ns());
  CHECK(std::any_of(rows.begin(), rows.end(),
                    [](const auto& row) { return row.at("step_first") != row.at("step_last"); }));
}

TEST_CASE("gaps, slices and steps add up to the idle and the busy time") {
  const Exported run(training_run());
  const collect::DeviceTimeline& line = run.analysis.timelines[0];
  CHECK(sum(parse_csv(run.table(cli::Table::Gaps)), "idle_ns") == line.idle_ns());
  CHECK(sum(parse_csv(run.table(cli::Table::Slices)), "idle_ns") == line.idle_ns());
  const Rows steps = parse_csv(run.table(cli::Table::Steps));
  CHECK(steps.size() == run.analysis.steps[0].count());
  CHECK(sum(steps, "idle_ns") + sum(steps, "busy_ns") == sum(steps, "span_ns"));
}

TEST_CASE("JSON lines say the same as CSV") {
  const Exported run(training_run());
  simdjson::dom::parser parser;
  for (const cli::Table table :
       {cli::Table::Causes, cli::Table::Gaps, cli::Table::Slices, cli::Table::Steps}) {
    const Rows rows = parse_csv(run.table(table));
    std::istringstream lines(run.table(table, cli::TableFormat::JsonLines));
    size_t n = 0;
    for (std::string line; std::getline(lines, line); ++n) {
      REQUIRE(n < rows.size());
      const simdjson::padded_string padded(line);
      simdjson::dom::object object;
      REQUIRE(parser.parse(padded).get(object) == simdjson::SUCCESS);
      for (const auto& [column, text] : rows[n]) {
        const simdjson::dom::element value = object[column];
        if (value.is_string())
          CHECK(std::string(std::string_view(value)) == text);
        else
          CHECK((value.is_null() ? std::string() : std::to_string(int64_t(value))) == text);
      }
    }
    CHECK(n == rows.size());
  }
}

TEST_CASE("CSV quotes what would break it") {
  RecordingBuilder b;
  const auto main = b.thread("main");
  const auto gpu = b.queue(0, 7);
  b.launch(main, {0, 1'000}, gpu, "a", {2'000, 3'000});
  b.launch(main, {5'000, 6'000}, gpu, "odd, \"name\"\r\nof two lines", {8'000, 9'000});
  const Rows rows = parse_csv(Exported(b.build()).table(cli::Table::Gaps));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("before") == "odd, \"name\"\r\nof two lines");
}

TEST_CASE("a recording without gaps has tables with a header only") {
  RecordingBuilder b;
  b.launch(b.thread("main"), {0, 1'000}, b.queue(0, 7), "a", {2'000, 3'000});
  const std::string text = Exported(b.build()).table(cli::Table::Gaps);
  CHECK(text.starts_with("schema,host,rank,device,gpu_uuid,gap,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("the widths of flame graphs are the idle nanoseconds") {
  const Exported run(training_run());
  const int64_t idle = run.analysis.timelines[0].idle_ns();
  int64_t collapsed = 0;
  std::istringstream lines(run.collapsed());
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.starts_with("GPU 0"));
    collapsed += std::stoll(line.substr(line.rfind(' ') + 1));
  }
  CHECK(collapsed == idle);

  simdjson::dom::parser parser;
  const simdjson::padded_string padded(run.speedscope());
  const simdjson::dom::element file = parser.parse(padded);
  const size_t frames = simdjson::dom::array(file["shared"]["frames"]).size();
  for (const simdjson::dom::element profile : simdjson::dom::array(file["profiles"])) {
    int64_t weights = 0;
    for (const simdjson::dom::element weight : simdjson::dom::array(profile["weights"]))
      weights += int64_t(weight);
    CHECK(weights == idle);
    CHECK(int64_t(profile["endValue"]) == idle);
    CHECK(simdjson::dom::array(profile["samples"]).size() ==
          simdjson::dom::array(profile["weights"]).size());
    for (const simdjson::dom::element sample : simdjson::dom::array(profile["samples"]))
      for (const simdjson::dom::element frame : simdjson::dom::array(sample))
        CHECK(uint64_t(frame) < frames);
  }
}
