// Timelines as viewers take them, and what they leave out.
#include <simdjson.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "collector/load.h"
#include "test/builder/recording_text.h"
#include "test/catch.h"
#include "test/unit/export/exported.h"
#include "test/unit/export/trace_rules.h"
#include "test/unit/import/real_traces.h"
#include "viewer-cli/command.h"

using namespace gpustall;        // NOLINT
using namespace gpustall::test;  // NOLINT

namespace {

cli::TimelineWish wish_for(const std::string& window) {
  cli::TimelineWish wish;
  wish.window = *cli::parse_window(window);
  wish.window_text = window;
  return wish;
}

void check_rules(const std::string& text) {
  for (const std::string& broken : broken_rules(text)) FAIL_CHECK(broken);
}

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// Nanoseconds of all slices of a category.
int64_t sum_of(const std::string& text, std::string_view category) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  int64_t sum = 0;
  for (auto event : parser.parse(padded)["traceEvents"]) {
    std::string_view cat;
    double us = 0;
    if (event["cat"].get(cat) == simdjson::SUCCESS && cat == category &&
        event["dur"].get(us) == simdjson::SUCCESS)
      sum += std::llround(us * 1000);
  }
  return sum;
}

}  // namespace

TEST_CASE("a timeline keeps the viewers' rules and shows every kind of row") {
  const Exported run(training_run());
  const std::string text = run.chrome();
  check_rules(text);
  for (const char* part :
       {"\"cat\":\"kernel\"", "\"cat\":\"gpu_memcpy\"", "\"cat\":\"cuda_runtime\"",
        "\"cat\":\"wait\"", "\"cat\":\"user_annotation\"", "\"cat\":\"python_stack\"",
        "\"cat\":\"gpustall_cause\"", "\"cat\":\"gpustall_exposed\"", "\"cat\":\"gpustall_step\"",
        "\"name\":\"culprit\"", "\"name\":\"launch\"", "\"queue depth\"", "loader worker",
        "\"name\":\"stream 13, lane 2\"", "\"cname\":", "Memcpy HtoD (Pageable -> Device)"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(count(text, "\"cat\":\"kernel\"") == 600);
  CHECK(sum_of(text, "gpustall_cause") == run.analysis.timelines[0].idle_ns());
}

TEST_CASE("no user's name and no variable of the environment goes into an export") {
  collect::Recording recording = training_run();
  recording.name = "/home/alice/runs/x";
  recording.processes[0].info = {{"env.SECRET", "hidden"},
                                 {"argv", "/home/alice/train.py --token hidden"},
                                 {"cwd", "/home/alice"}};
  const Exported run(std::move(recording));
  for (const std::string& text :
       {run.chrome(), run.torch(), run.collapsed(), run.speedscope(), run.table(cli::Table::Slices),
        run.table(cli::Table::Causes, cli::TableFormat::JsonLines)}) {
    CHECK(text.find("alice") == std::string::npos);
    CHECK(text.find("hidden") == std::string::npos);
  }
  CHECK(run.chrome().find("/home/~/train.py") != std::string::npos);
  CHECK(cli::without_user_names("/mnt/home/bob/a.py:/Users/eve") == "/mnt/home/~/a.py:/Users/~");
}

TEST_CASE("any bytes in names make valid JSON") {
  RecordingBuilder b;
  const auto main = b.thread("\x01\xff\"\\");
  const auto gpu = b.queue(0, 7);
  TraceTime at = 1'000;
  for (const char* name : {"\"a\"b\\c\n\t\x01\x7f", "\xc3\x28", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xe2\x82", "\xf0\x9f\x98\x80", "<script>&'"}) {
    b.launch(main, {at, at + 1'000}, gpu, name, {at + 2'000, at + 4'000},
             "f" + std::string(name).substr(0, 2) + ":3 g");
    b.range(main, name, {at, at + 1'500});
    at += 10'000;
  }
  const Exported run(b.build());
  check_rules(run.chrome());
  check_rules(run.torch());
  simdjson::dom::parser parser;
  const simdjson::padded_string speedscope(run.speedscope());
  CHECK(parser.parse(speedscope).error() == simdjson::SUCCESS);
  std::istringstream lines(run.table(cli::Table::Slices, cli::TableFormat::JsonLines));
  for (std::string line; std::getline(lines, line);)
    CHECK(parser.parse(simdjson::padded_string(line)).error() == simdjson::SUCCESS);
  CHECK(cli::valid_utf8("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
  CHECK(cli::valid_utf8("a\xff") == "a\xef\xbf\xbd");
}

TEST_CASE("times are decimal text, exact far from zero and below it") {
  std::string text;
  for (const int64_t ns : {int64_t{0}, int64_t{1}, int64_t{999}, int64_t{-1}, int64_t{-1500},
                           int64_t{1'796'109'005'911'890'392}, INT64_MAX, INT64_MIN}) {
    cli::append_us(text, ns);
    text += ' ';
  }
  CHECK(text ==
        "0.000 0.001 0.999 -0.001 -1.500 1796109005911890.392 9223372036854775.807 "
        "-9223372036854775.808 ");
}

TEST_CASE("a device's own times are kept to the nanosecond while its clock drifts") {
  RecordingBuilder b;
  const auto main = b.thread("main");
  const auto gpu = b.queue(0, 7);
  b.device_clock(0, 1'000'000'000);
  b.device_clock(1'000'000'000, 2'000'777'777);  // 778 ppm apart
  for (int i = 0; i < 50; ++i) {
    const TraceTime at = 1'000 + i * 19'999'333;
    b.launch(main, {1'000'000'000 + at, 1'000'003'000 + at}, gpu, "k",
             {at + 7'001, at + 8'008 + i});
  }
  const Exported run(b.build());
  const std::string text = run.chrome();
  check_rules(text);
  CHECK(sum_of(text, "kernel") == run.analysis.timelines[0].busy_ns);
  CHECK(sum_of(text, "gpustall_cause") == run.analysis.timelines[0].idle_ns());
}

TEST_CASE("ranks and hosts with the same numbers stay apart") {
  RecordingBuilder b;
  for (const char* host : {"a", "b"}) {
    collect::Process& p = b.process(1);
    p.host = host;
    const auto thread = b.thread(std::string("main ") + host);
    b.thread_at(thread).tid = 1;
    const auto gpu = b.queue(0, 7);
    for (int i = 0; i < 20; ++i)
      b.launch(thread, {i * 1'000, i * 1'000 + 500}, gpu, "k", {i * 1'000 + 600, i * 1'000 + 900});
  }
  check_rules(Exported(b.build()).chrome());
}

TEST_CASE("windows show what overlaps them") {
  const Exported run(training_run());
  const std::string steps = run.chrome(wish_for("steps:3:5"));
  check_rules(steps);
  for (int step = 1; step <= 19; ++step) {
    const bool shown =
        steps.find("\"name\":\"step " + std::to_string(step) + "\"") != std::string::npos;
    if (step >= 3 && step <= 5) CHECK(shown);
    if (step < 2 || step > 6) CHECK_FALSE(shown);  // the host is ahead: neighbours overlap
  }
  CHECK(steps.find("\"complete\":false") != std::string::npos);
  const size_t kernels = count(steps, "\"cat\":\"kernel\"");
  CHECK(kernels >= 90);
  CHECK(kernels <= 150);

  const std::string worst = run.chrome(wish_for("worst:2"));
  check_rules(worst);
  CHECK(count(worst, "\"cat\":\"kernel\"") < 100);
  const std::string time = run.chrome(wish_for("0.1s:150ms"));
  check_rules(time);
  CHECK(count(time, "\"cat\":\"kernel\"") > 10);
  CHECK_THROWS_AS(run.chrome(wish_for("steps:500:600")), cli::Failure);
  CHECK_THROWS_AS(run.chrome(wish_for("100s:200s")), cli::Failure);
  for (const char* nonsense : {"", "5", "2s:1s", "steps:2", "steps:5:3", "worst:0", "worst:x",
                               "1..2:3", ":", "1s:2parsec", "99999999999999999999s:2s"})
    CHECK_FALSE(cli::parse_window(nonsense).has_value());
  const auto exact = cli::parse_window("1.000000001s:2us");
  CHECK_FALSE(exact.has_value());
  CHECK(cli::parse_window("1.000000001s:2s")->from == 1'000'000'001);
}

TEST_CASE("a size cap is kept, keeps causes and steps, and says what is left out") {
  const Exported run(training_run());
  const size_t whole = run.chrome().size();
  for (const size_t limit : {whole / 2, whole / 4}) {
    cli::TimelineWish wish;
    wish.max_bytes = limit;
    const std::string text = run.chrome(wish);
    check_rules(text);
    CHECK(text.size() <= limit);
    CHECK(text.find("left out:") != std::string::npos);
    CHECK(text.find("\"complete\":false") != std::string::npos);
    CHECK(std::regex_search(
        text, std::regex("gaps shorter than ([0-9]|[0-9.]{3,4}) [mu]?s are drawn in groups")));
    // Every idle nanosecond is still there: in causes, or in groups of short gaps.
    int64_t idle = sum_of(text, "gpustall_cause");
    for (size_t at = text.find("\"gaps\":"); at != std::string::npos;
         at = text.find("\"gaps\":", at + 1))
      idle += std::stoll(text.substr(text.find("\"idle_ns\":", at) + 10, 20));
    CHECK(idle == run.analysis.timelines[0].idle_ns());
    CHECK(count(text, "\"cat\":\"kernel\"") < 600);
  }
  cli::TimelineWish none;
  none.max_bytes = 100;
  CHECK_THROWS_AS(run.chrome(none), cli::Failure);
}

TEST_CASE("torch's dialect has what HTA needs") {
  const Exported run(training_run());
  const std::string text = run.torch();
  CHECK(text.find("\"distributedInfo\":{\"rank\":0}") != std::string::npos);
  CHECK(text.find("gpustall") == std::string::npos);
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  std::map<int64_t, int> launches;
  size_t kernels = 0, linked = 0;
  for (auto event : parser.parse(padded)["traceEvents"]) {
    std::string_view phase = event["ph"], cat;
    if (phase != "X") continue;
    REQUIRE(event["cat"].get(cat) == simdjson::SUCCESS);
    double ts = 0, dur = 0;
    CHECK(event["ts"].get(ts) == simdjson::SUCCESS);
    CHECK(event["dur"].get(dur) == simdjson::SUCCESS);
    int64_t stream = -1, correlation = -1;
    const bool on_stream = event["args"]["stream"].get(stream) == simdjson::SUCCESS;
    const bool on_device = cat == "kernel" || cat == "gpu_memcpy" || cat == "gpu_memset";
    CHECK(on_stream == on_device);  // HTA takes every row with a stream for work of the device
    if (cat == "cuda_runtime" && event["args"]["correlation"].get(correlation) == simdjson::SUCCESS)
      ++launches[correlation];
  }
  for (auto event : parser.parse(padded)["traceEvents"]) {
    std::string_view cat;
    int64_t correlation = -1;
    if (event["cat"].get(cat) != simdjson::SUCCESS || cat != "kernel") continue;
    ++kernels;
    linked += event["args"]["correlation"].get(correlation) == simdjson::SUCCESS &&
              launches.count(correlation) != 0;
  }
  CHECK(kernels == 600);
  CHECK(linked == kernels);
}

TEST_CASE("real traces of others make timelines that keep the rules") {
  for (const char* name :
       {"kineto-rtx2080ti-linear.json.gz", "kineto-h100-bert-small.json.gz",
        "kineto-mi300-vit.json.gz", "kineto-v100x8-dlrm.tar.gz", "kineto-event-sync.json.gz",
        "nsys-h100x2-fsdp.sqlite", "nsys-a100-cloverleaf.sqlite", "nsys-invalid-utf8.sqlite"}) {
    const auto path = real_trace(name);
    if (!std::filesystem::exists(path)) {
      WARN("SKIPPED: no trace " << path.string() << "; set GPUSTALL_TRACES");
      continue;
    }
    INFO(name);
    auto recording = collect::load(path);
    REQUIRE(recording);
    const Exported run(std::move(*recording));
    check_rules(run.chrome());
    cli::TimelineWish small;
    small.max_bytes = 400'000;
    check_rules(run.chrome(small));
  }
}
