// Pages without a browser: figures, escaping, size, what is left where sources are missing.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "../cli/models.h"
#include "samples.h"
#include "test/catch.h"
#include "viewer-cli/render/html.h"
#include "viewer-cli/render/html/lengths.h"
#include "viewer-cli/render/report.h"
#include "viewer-cli/render/table.h"

using namespace gpustall;
using namespace gpustall::test;

namespace {

constexpr size_t kMostBytes = 1'500'000;

std::string page_of(const Model& model, cli::ReportOptions options = {}) {
  return cli::render_html(model, {options, {}, "gpustall"});
}

Model loop_model(size_t steps, size_t launches) {
  const Recording r = training_loop(steps, launches);
  return build_model(r, analyze(r));
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Words of a page as a reader has them, in the characters of the text report, between single
// spaces.
std::string words_of(std::string page) {
  page = page.substr(page.find("<body>"));
  page = page.substr(0, page.find("<script"));
  std::string text;
  bool tag = false;
  for (const char byte : page) {
    if (byte == '<') text += ' ';
    if (byte == '<' || byte == '>')
      tag = byte == '<';
    else if (!tag)
      text += byte;
  }
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"&lt;", "<"},
                                                        {"&gt;", ">"},
                                                        {"&quot;", "\""},
                                                        {"&#39;", "'"},
                                                        {"&amp;", "&"},
                                                        {"\xe2\x86\x92", "->"},
                                                        {"\xe2\x80\x93", ".."},
                                                        {"\xc2\xb1", "+-"},
                                                        {"\n", " "}})
    replace_all(text, from, to);
  text = std::regex_replace(text, std::regex(" +;"), ";");  // an element of its own in headings
  return std::regex_replace(text, std::regex(" +"), " ");
}

size_t count_of(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

nlohmann::json data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const size_t start = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
}

// Every line of the text report stands in the page with its figures.
void check_same_figures(const Model& model, const cli::ReportOptions& options) {
  const std::string page = words_of(page_of(model, options));
  const std::string report = cli::render_report(model, options, cli::Terminal{false, false, 2000});
  std::istringstream lines(report);
  size_t checked = 0;
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, std::regex("^ +| +$"), "");
    line = std::regex_replace(line, std::regex(" +"), " ");
    line = std::regex_replace(line, std::regex("^([0-9]+) ([a-z]+[.][a-z_]+: )"), "$2");
    if (!line.empty() && line.back() == ':') line.pop_back();  // of a heading
    if (line.empty() || line.find("(--all)") != std::string::npos) continue;
    // Titles and gains share a line where there is room; prose of the terminal is cut at 100
    // columns.
    const size_t gain = line.find(" ms/step if fixed");
    if (gain != std::string::npos && line.find(": ") != std::string::npos) {
      const std::smatch none;
      const std::regex split("(.*) ([0-9.]+ -> [0-9.]+ ms/step if fixed)");
      std::smatch match;
      REQUIRE(std::regex_match(line, match, split));
      CHECK_THAT(page, contains(match[1]));
      CHECK_THAT(page, contains(match[2]));
    } else {
      CHECK_THAT(page, contains(line));
    }
    ++checked;
  }
  CHECK(checked > 10);
}

}  // namespace

TEST_CASE("the page has the figures of the text report") {
  check_same_figures(stalled_model(), {});
  check_same_figures(loop_model(60, 12), {});
  cli::ReportOptions everything;
  everything.top = 0;
  everything.advice = 100;
  check_same_figures(loop_model(60, 12), everything);
  cli::ReportOptions whole;
  whole.window = cli::WindowChoice::Whole;
  check_same_figures(loop_model(60, 12), whole);
  check_same_figures(healthy_model(), {});
}

TEST_CASE("the times below the verdict are of its own repair and device, or not there") {
  const auto lead = [](const Model& model, cli::ReportOptions options = {}) {
    std::smatch found;
    const std::string page = page_of(model, options);
    return std::regex_search(page, found, std::regex("<p class=\"lead\">([^<]*)</p>"))
               ? found.str(1)
               : "";
  };
  Model model = stalled_model();  // of 20 ms; its first row is the main cause
  std::vector<CauseRow>& rows = model.devices[0].steady->causes;
  for (CauseRow& row : rows) row.gain.reset();
  rows[0].gain = Gain{10, 15, 20, 3'000'000};
  CHECK(lead(model) == "20.00 \u2192 16.00\u201318.00 ms/step if fixed");
  rows[1].gain = Gain{30, 35, 40, 7'000'000};
  CHECK(lead(model) == "20.00 \u2192 12.00\u201314.00 ms/step if fixed");
  model.devices.push_back(model.devices[0]);
  model.devices[1].ordinal = 1;
  model.devices[1].steady->causes[1].gain.reset();
  cli::ReportOptions second;
  second.device = 1;
  CHECK(lead(model, second) == "20.00 \u2192 16.00\u201318.00 ms/step if fixed");
  for (CauseRow& row : model.devices[0].steady->causes) row.gain.reset();  // they moved
  second.device = 0;
  CHECK(lead(model, second).empty());
}

TEST_CASE("the page of a comparison has the figures of its text") {
  const Model base[] = {loop_model(60, 12)}, next[] = {loop_model(60, 20)};
  const Comparison comparison = compare(base, next);
  const cli::DiffOptions options{cli::DiffBy::Site, true, "a gate", "before", "after"};
  const std::string page = words_of(cli::render_diff_html(comparison, options, "gpustall"));
  const std::string text = cli::render_diff(comparison, options, cli::Terminal{false, false, 2000});
  std::istringstream lines(text);
  size_t checked = 0;
  for (std::string line; std::getline(lines, line) && line.rfind("Next:", 0) != 0;) {
    line = std::regex_replace(line, std::regex("^ +|, largest change first:$"), "");
    line = std::regex_replace(line, std::regex(" +"), " ");
    if (line.empty()) continue;
    CHECK_THAT(page, contains(line));
    ++checked;
  }
  CHECK(checked > 12);
}

TEST_CASE("a comparison of hostile names is as safe as a report") {
  const Model sides[] = {hostile_model()};
  const Comparison comparison = compare(sides, sides);
  const std::string page = cli::render_diff_html(
      comparison, {cli::DiffBy::Site, true, kHostile, kHostile, kHostile}, "gpustall");
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "<img") == 0);
  CHECK(count_of(page, "\" onmouseover") == 0);
  CHECK(count_of(page, "&lt;/script&gt;") > 5);
}

TEST_CASE("no text of a recording becomes markup") {
  const Model model = hostile_model();
  const std::string page = page_of(model);
  CHECK(count_of(page, "<script") == 2);  // the data, the script
  CHECK(count_of(page, "</script") == 2);
  CHECK(count_of(page, "<img") == 0);
  CHECK(count_of(page, "<!--") == 0);
  CHECK(count_of(page, "\" onmouseover") == 0);
  CHECK(page.find('\x1b') == std::string::npos);
  CHECK(cli::printable(std::regex_replace(page, std::regex("\n"), "")) ==
        std::regex_replace(page, std::regex("\n"), ""));  // UTF-8 throughout
  CHECK(count_of(page, "&lt;/script&gt;") > 20);          // it was there to be escaped
}

TEST_CASE("the data in the page is JSON with the device's own sums") {
  const Model model = loop_model(300, 12);
  const auto data = data_of(page_of(model));
  const auto sum = [](const nlohmann::json& rows) {
    int64_t ns = 0;
    for (const auto& row : rows)
      for (const auto& value : row) ns += value.get<int64_t>();
    return ns;
  };
  const ModelDevice& device = model.devices[0];
  const auto& drawn = data["devices"][0];
  CHECK(sum(drawn["time"]["idle"]) == device.whole.idle_ns);
  CHECK(sum(nlohmann::json::array({drawn["time"]["busy"]})) == device.whole.busy_ns);
  int64_t span = 0;
  for (const int64_t ns : device.step_span_ns) span += ns;
  CHECK(sum(drawn["steps"]["idle"]) + sum(nlohmann::json::array({drawn["steps"]["busy"]})) == span);
}

template <typename AnyModel>
auto& trainer(AnyModel& model) {
  return *std::find_if(model.processes.begin(), model.processes.end(),
                       [](const ModelProcess& process) { return process.steps.has_value(); });
}

TEST_CASE("rows of the table have their time in every bin of steps") {
  for (const size_t steps : {60, 1700}) {  // one step a bin, several
    const Model model = loop_model(steps, 12);
    const auto data = data_of(page_of(model));
    const auto& device = data["devices"][0];
    const auto& rows = device["rows"];
    const size_t warmup = trainer(model).steps->warmup;
    const uint64_t per_bin = device["steps"]["per_bin"];
    CHECK(per_bin == (steps + 499) / 500);
    CHECK(rows["first"] == (warmup + per_bin - 1) / per_bin);
    CHECK(rows["end"] == device["steps"]["busy"].size());
    const std::vector<CauseRow>& causes = model.devices[0].steady->causes;
    for (size_t row = 0; row < 3; ++row) {
      std::vector<int64_t> expected(device["steps"]["busy"].size());
      for (size_t i = 0; i < causes[row].per_step.size(); ++i)
        expected[(i + warmup) / per_bin] += causes[row].per_step[i];
      CHECK(rows["ns"][row].get<std::vector<int64_t>>() == expected);
    }
  }
}

TEST_CASE("a saved model whose steps contradict each other has no table that follows") {
  Model model = loop_model(60, 12);
  trainer(model).steps->warmup = 1'000'000;
  CHECK(data_of(page_of(model))["devices"][0]["rows"].is_null());
}

TEST_CASE("the page holds the report and each finding as Markdown") {
  const Model model = loop_model(60, 12);
  const auto data = data_of(page_of(model));
  cli::ReportOptions options;
  options.advice = 6;
  CHECK(data["markdown"] == cli::render_markdown(model, options));
  REQUIRE(data["devices"][0]["findings"].size() > 1);
  for (const std::string finding : data["devices"][0]["findings"])
    CHECK_THAT(data["markdown"].get<std::string>(), contains("1. " + finding + "\n"));
}

TEST_CASE("a million gaps make a page of the same size") {
  const Recording r = training_loop(kManySteps, 100);
  const Analysis a = analyze(r);
  REQUIRE(a.gaps.size() >= kManySteps * 99);
  const Model model = build_model(r, a);
  const std::string page = page_of(model);
  CHECK(page.size() < kMostBytes);
  // Below some hundred steps the page still grows with each.
  const std::string few = page_of(loop_model(std::max<uint32_t>(500, kManySteps / 10), 100));
  CHECK(page.size() < few.size() * 3 / 2);
}

TEST_CASE("the sentence about lengths names one gap as one") {
  cli::Lengths lengths;
  lengths.start_ns = {100, 200, 500};
  lengths.gaps = {3, 1};
  lengths.idle_ns = {{10, 90}};
  CHECK(cli::lengths_sentence(lengths) == "4 gaps; the longest makes up 90.0 % of the idle time.");
  lengths.gaps = {3, 2};
  CHECK(cli::lengths_sentence(lengths) ==
        "5 gaps; the 2 of 200 ns and longer make up 90.0 % of the idle time.");
}

TEST_CASE("many devices share the space of one page") {
  Model model = loop_model(700, 12);
  const ModelDevice one = model.devices[0];
  for (uint32_t ordinal = 1; ordinal < 16; ++ordinal) {
    model.devices.push_back(one);
    model.devices.back().ordinal = ordinal;
  }
  CHECK(page_of(model).size() < kMostBytes);
}

TEST_CASE("a model of an older gpustall has a page without pictures over time") {
  Model model = loop_model(60, 12);
  for (ModelDevice& device : model.devices) device.overview.reset();
  const std::string page = page_of(model);
  CHECK_THAT(words_of(page), contains("Saved by an older gpustall"));
  CHECK(page.find("<figure class=\"chart time\"") == std::string::npos);
  CHECK(page.find("<figure class=\"chart steps\"") != std::string::npos);
  check_same_figures(model, {});
}

TEST_CASE("a timeline that contradicts its span is not drawn") {
  Model model = loop_model(60, 12);
  for (const int64_t span : {int64_t{0}, int64_t{-5}, INT64_MAX}) {
    model.devices[0].whole.span_ns = span;
    CHECK(page_of(model).find("<figure class=\"chart time\"") == std::string::npos);
  }
}

TEST_CASE("source lines stand in the page, escaped") {
  const std::string with = page_of(stalled_model());
  CHECK_THAT(with, contains("total += loss.item()"));
  const std::string excerpt = cli::render_html(
      stalled_model(), {{},
                        [](const ModelSite& site) {
                          return std::vector<cli::SourceLine>{{site.line, "a < b && c"}};
                        },
                        ""});
  CHECK_THAT(excerpt, contains("a &lt; b &amp;&amp; c"));
}

TEST_CASE("a run without GPU work has a page that says so") {
  const std::string page = words_of(page_of(empty_model()));
  CHECK_THAT(page, contains("No GPU work was recorded."));
  CHECK_THAT(page, contains("CUPTI refused the subscription"));
}

TEST_CASE("the page fetches nothing and says so to the browser") {
  const std::string page = page_of(loop_model(60, 12));
  CHECK_THAT(page, contains("default-src 'none'"));
  for (const char* what : {"http:", "https:", " src=", "url(", "@import"}) {
    INFO(what);
    CHECK(page.find(what) == std::string::npos);
  }
}
