// `gpustall gaps` on a hand-built recording: exact numbers, selection, order.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden.h"
#include "viewer-cli/render/gaps.h"

using namespace gpustall;
using namespace gpustall::cli;
using namespace gpustall::test;
using collect::Cause;

namespace {

struct Sample {
  collect::Recording recording;
  collect::Analysis analysis;

  Sample() {
    using namespace collect;
    recording.strings = {"", "/p/train.py", "step", "gemm_kernel", "gemm\x1b\xff"};
    recording.devices.resize(2);
    recording.devices[1].ordinal = 1;
    recording.activities.kind = {ActivityKind::Kernel, ActivityKind::Memcpy};
    recording.activities.name = {StringId{3}, StringId{0}};
    analysis.timelines = {{DeviceIndex{0}, 1000, 9000, 0, 0, 0, 0},
                          {DeviceIndex{1}, 500, 900, 0, 0, 0, 0}};
    analysis.sites = {{StringId{1}, StringId{2}, 7}};
    add_gap(0, 2000, 3234567891, 0);
    add_slice(2000, 1002000, Cause::SyncItem, SiteId{0}, StringId{4});
    add_slice(1002000, 3234567891, Cause::UnknownUntraced, kNone<SiteId>, StringId{0});
    add_gap(1, 600, 700, 1);
    add_slice(600, 700, Cause::LaunchDispatch, SiteId{0}, StringId{0});
    analysis.gaps.first_slice.push_back(static_cast<uint32_t>(analysis.slices.size()));
    analysis.slices.others.push_back(
        {.also = uint64_t{1} << static_cast<unsigned>(Cause::DataMain)});
    analysis.slices.other[0] = 0;
  }

  void add_gap(uint32_t device, int64_t start, int64_t end, uint32_t closing) {
    auto& gaps = analysis.gaps;
    gaps.device.push_back(collect::DeviceIndex{device});
    gaps.start.push_back(start);
    gaps.end.push_back(end);
    gaps.closing.push_back(closing);
    gaps.first_slice.push_back(static_cast<uint32_t>(analysis.slices.size()));
  }

  void add_slice(int64_t start, int64_t end, Cause cause, collect::SiteId site,
                 collect::StringId object) {
    auto& slices = analysis.slices;
    slices.gap.push_back(static_cast<uint32_t>(analysis.gaps.size() - 1));
    slices.start.push_back(start);
    slices.end.push_back(end);
    slices.cause.push_back(cause);
    slices.site.push_back(site);
    slices.object.push_back(object);
    slices.stack.push_back(collect::kNone<collect::StackId>);
    slices.group.push_back(0);
    slices.push_other({});
  }
};

}  // namespace

TEST_CASE("gaps as text are exact and printable") {
  const Sample sample;
  const GapWriter writer(sample.recording, sample.analysis);
  check_golden("gaps.txt", writer.text(0, false) + writer.text(1, true));
}

TEST_CASE("a site without a file is its function") {
  Sample sample;
  sample.analysis.sites[0].file = collect::StringId{0};
  const std::string text = GapWriter(sample.recording, sample.analysis).text(0, false);
  CHECK_THAT(text, contains("sync.item           step  ("));
  CHECK(text.find(":7") == std::string::npos);
}

TEST_CASE("a gap of many slices is summed, and every nanosecond is in the sums") {
  Sample sample;
  auto& gaps = sample.analysis.gaps;
  gaps.first_slice.pop_back();
  sample.add_gap(0, 0, 2000, 0);
  for (int64_t at = 0; at < 2000; at += 100) {
    const Cause cause = at % 200 == 0 ? Cause::HostPython : Cause::HostRead;
    sample.add_slice(at, at + 100, cause, collect::SiteId{0}, collect::StringId{0});
  }
  gaps.first_slice.push_back(static_cast<uint32_t>(sample.analysis.slices.size()));
  const GapWriter writer(sample.recording, sample.analysis);
  CHECK_THAT(writer.text(2, false),
             contains("1000 ns  host.python         train.py:7 step  in 10 slices\n"));
  const std::string all = writer.text(2, true);
  CHECK(std::count(all.begin(), all.end(), '\n') == 21);
}

TEST_CASE("gaps as JSON lines can be parsed and tile") {
  const Sample sample;
  const GapWriter writer(sample.recording, sample.analysis);
  for (size_t gap = 0; gap < 2; ++gap) {
    const std::string line = writer.json(gap);
    CHECK(line.find('\n') == line.size() - 1);
    const auto json = nlohmann::json::parse(line);
    int64_t at = json["start_ns"];
    for (const auto& slice : json["slices"]) {
      CHECK(slice["start_ns"] == at);
      at = slice["end_ns"];
    }
    CHECK(at == json["end_ns"]);
  }
  const auto first = nlohmann::json::parse(writer.json(0));
  CHECK(first["slices"][0]["cause"] == "sync.item");
  CHECK(first["slices"][0]["also"][0] == "data.main");
  CHECK(first["slices"][0]["site"]["line"] == 7);
  CHECK(first["slices"][1]["site"].is_null());
}

TEST_CASE("gaps are chosen by cause, device and length") {
  const Sample sample;
  auto chosen = [&](GapOptions options) {
    return chosen_gaps(sample.recording, sample.analysis, options);
  };
  CHECK(chosen({}) == std::vector<size_t>{0, 1});
  CHECK(chosen({Cause::LaunchDispatch, {}, 0}) == std::vector<size_t>{1});
  CHECK(chosen({{}, 1u, 0}) == std::vector<size_t>{1});
  CHECK(chosen({{}, {}, 1}) == std::vector<size_t>{0});
  CHECK(chosen({Cause::HostGc, {}, 5}).empty());
}
