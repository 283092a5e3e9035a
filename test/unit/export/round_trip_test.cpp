// A timeline that gpustall wrote is a recording again: same busy, idle, causes, steps.
#include <map>

#include "collector/import/import.h"
#include "collector/load.h"
#include "test/builder/recording_text.h"
#include "test/catch.h"
#include "test/unit/analysis/invariants.h"
#include "test/unit/export/exported.h"
#include "test/unit/import/real_traces.h"

using namespace gpustall;        // NOLINT
using namespace gpustall::test;  // NOLINT

namespace {

// (device's place, cause, file:line function) -> ns.
std::map<std::tuple<size_t, std::string, std::string>, int64_t> causes_of(const Exported& run,
                                                                          bool busy) {
  std::map<std::tuple<size_t, std::string, std::string>, int64_t> sums;
  for (size_t d = 0; d < run.model.devices.size(); ++d) {
    const collect::Window& w = run.model.devices[d].whole;
    for (const collect::CauseRow& row : busy ? w.busy_causes : w.causes) {
      std::string site;
      if (row.site)
        site = cli::without_user_names(row.site->file) + ":" + std::to_string(row.site->line) +
               " " + row.site->function;
      sums[{d, std::string(text_of(row.cause).id), site}] += row.ns;
    }
  }
  return sums;
}

void check_round_trip(const Exported& run) {
  auto imported = collect::import_kineto_bytes(run.chrome(), "export.json");
  REQUIRE(imported);
  CHECK(imported->damage.empty());
  CHECK(imported->stated != nullptr);
  CHECK(imported->basis == run.recording.basis);
  const Exported again(std::move(*imported));
  check_invariants(again.recording, again.analysis);
  REQUIRE(again.analysis.timelines.size() == run.analysis.timelines.size());
  for (size_t d = 0; d < run.analysis.timelines.size(); ++d) {
    CHECK(again.analysis.timelines[d].span_ns() == run.analysis.timelines[d].span_ns());
    CHECK(again.analysis.timelines[d].busy_ns == run.analysis.timelines[d].busy_ns);
    CHECK(again.analysis.timelines[d].exposed_copy_ns == run.analysis.timelines[d].exposed_copy_ns);
    CHECK(again.analysis.timelines[d].exposed_collective_ns ==
          run.analysis.timelines[d].exposed_collective_ns);
  }
  CHECK(causes_of(again, false) == causes_of(run, false));
  CHECK(causes_of(again, true) == causes_of(run, true));
  REQUIRE(again.analysis.steps.size() == run.analysis.steps.size());
  for (size_t i = 0; i < run.analysis.steps.size(); ++i) {
    CHECK(again.analysis.steps[i].warmup == run.analysis.steps[i].warmup);
    CHECK(again.analysis.steps[i].basis == run.analysis.steps[i].basis);
    CHECK(again.analysis.steps[i].count() == run.analysis.steps[i].count());
  }
  for (size_t d = 0; d < run.model.devices.size(); ++d) {
    CHECK(again.model.devices[d].step_busy_ns == run.model.devices[d].step_busy_ns);
    CHECK(again.model.devices[d].uuid == run.model.devices[d].uuid);
    CHECK(again.model.devices[d].pids == run.model.devices[d].pids);
  }
}

}  // namespace

TEST_CASE("an export of a run is read back exactly") {
  const Exported run(training_run());
  REQUIRE(run.analysis.steps.size() == 1);
  check_round_trip(run);
}

TEST_CASE("an export of several ranks is read back exactly") {
  RecordingBuilder b;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    collect::Process& p = b.process(200 + rank);
    p.rank = static_cast<int32_t>(rank);
    p.host = rank == 2 ? "b" : "a";
    b.device_clock(0, 1'000'000 * (rank + 1));
    const auto thread = b.thread("main " + std::to_string(rank));
    const auto gpu = b.queue(rank, 7);
    for (int i = 0; i < 40; ++i)
      b.launch(thread,
               {1'000'000 * (rank + 1) + i * 9'000, 1'000'000 * (rank + 1) + i * 9'000 + 4'000},
               gpu, "k", {i * 9'000 + 5'000, i * 9'000 + 6'000 + rank}, "t.py:4 f");
  }
  check_round_trip(Exported(b.build()));
}

TEST_CASE("a part of a recording is no recording") {
  const Exported run(training_run());
  cli::TimelineWish wish;
  wish.window = *cli::parse_window("steps:3:5");
  wish.window_text = "steps:3:5";
  const auto imported = collect::import_kineto_bytes(run.chrome(wish), "part.json");
  REQUIRE_FALSE(imported);
  CHECK(imported.error().message.find("shows a part of a recording") != std::string::npos);
}

TEST_CASE("causes that do not fit the events of their export are found anew, and that is told") {
  std::string text = Exported(training_run()).chrome();
  const size_t cause = text.find("\"cat\":\"gpustall_cause\"");
  const size_t length = text.find("\"dur\":", cause) + 6;
  text[length] = text[length] == '1' ? '2' : '1';
  auto imported = collect::import_kineto_bytes(text, "damaged.json");
  REQUIRE(imported);
  CHECK(imported->stated == nullptr);
  REQUIRE_FALSE(imported->damage.empty());
  CHECK(imported->damage.front().find("do not fit") != std::string::npos);
  checked_analysis(*imported);
}

TEST_CASE("torch's dialect is read with the same busy and idle time") {
  const Exported run(training_run());
  auto imported = collect::import_kineto_bytes(run.torch(), "torch.json");
  REQUIRE(imported);
  CHECK(imported->stated == nullptr);
  const collect::Analysis again = checked_analysis(*imported);
  CHECK(again.timelines[0].busy_ns == run.analysis.timelines[0].busy_ns);
  CHECK(again.timelines[0].idle_ns() == run.analysis.timelines[0].idle_ns());
  CHECK(again.timelines[0].exposed_copy_ns == run.analysis.timelines[0].exposed_copy_ns);
}

TEST_CASE("an export cut anywhere or with flipped bytes is survived") {
  const std::string text = Exported(training_run()).chrome();
  for (size_t at = 0; at < text.size(); at += text.size() / 60 + 1) {
    if (auto cut = collect::import_kineto_bytes(std::string_view(text).substr(0, at), "cut.json"))
      checked_analysis(*cut);
    std::string flipped = text;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x15);
    if (auto damaged = collect::import_kineto_bytes(flipped, "flipped.json"))
      checked_analysis(*damaged);
  }
}

TEST_CASE("real traces of others are exported and read back exactly") {
  for (const char* name :
       {"kineto-rtx2080ti-linear.json.gz", "kineto-h100-bert-small.json.gz",
        "kineto-mi300-vit.json.gz", "kineto-a100-alexnet-coldstart.json.gz",
        "kineto-v100x8-dlrm.tar.gz", "kineto-mi250-minitoy.json.gz", "nsys-h100x2-fsdp.sqlite",
        "nsys-a100-cloverleaf.sqlite", "nsys-invalid-utf8.sqlite"}) {
    const auto path = real_trace(name);
    if (!std::filesystem::exists(path)) {
      WARN("SKIPPED: no trace " << path.string() << "; set GPUSTALL_TRACES");
      continue;
    }
    INFO(name);
    auto recording = collect::load(path);
    REQUIRE(recording);
    check_round_trip(Exported(std::move(*recording)));
  }
}
