// The sums behind the pictures: exact, bounded, and the same after saving.
#include <algorithm>
#include <numeric>

#include "samples.h"
#include "test/catch.h"
#include "test/sim/host_sim.h"
#include "test/sim/random_program.h"

using namespace gpustall;
using namespace gpustall::test;

namespace {

template <typename List, typename Ns>
int64_t sum(const List& list, Ns ns) {
  return std::accumulate(list.begin(), list.end(), int64_t{0},
                         [&](int64_t so_far, const auto& item) { return so_far + ns(item); });
}

int64_t whole(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

void check_sums(const Model& model) {
  for (const ModelDevice& device : model.devices) {
    REQUIRE(device.overview);
    const Overview& o = *device.overview;
    CHECK(whole(o.busy_ns) == device.whole.busy_ns);
    CHECK(sum(o.idle, [](const IdleSeries& s) { return whole(s.ns); }) == device.whole.idle_ns);
    CHECK(sum(o.tree, [](const IdleNode& node) {
            return sum(node.own_ns, [](const auto& own) { return own.second; });
          }) == device.whole.idle_ns);
    for (size_t i = 0; i < o.busy_ns.size(); ++i) {
      const int64_t idle = sum(o.idle, [i](const IdleSeries& s) { return s.ns[i]; });
      const int64_t length =
          std::min(o.interval_ns, device.whole.span_ns - static_cast<int64_t>(i) * o.interval_ns);
      REQUIRE(o.busy_ns[i] >= 0);
      REQUIRE(o.busy_ns[i] + idle == length);
    }
    for (const IdleSeries& series : o.idle) {  // by cause, as the table has it
      const int64_t rows = sum(device.whole.causes, [&](const CauseRow& row) {
        return row.cause == series.cause ? row.ns : 0;
      });
      CHECK(whole(series.ns) == rows);
    }
    CHECK(sum(o.lengths.idle, [](const IdleSeries& s) { return whole(s.ns); }) ==
          device.whole.idle_ns);
    for (const LongGap& gap : o.longest)
      CHECK(sum(gap.parts, [](const GapPart& p) { return p.ns; }) + gap.rest_ns == gap.ns);
  }
}

}  // namespace

TEST_CASE("every idle nanosecond is in one interval and in one stack") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const Recording r = sim::run(sim::random_program(seed)).recording;
    check_sums(build_model(r, analyze(r)));
  }
  const Recording r = training_loop(60, 12);
  check_sums(build_model(r, analyze(r)));
}

TEST_CASE("the longest gaps are the longest, longest first") {
  const Recording r = training_loop(60, 12);
  const Analysis a = analyze(r);
  std::vector<int64_t> lengths;
  for (size_t g = 0; g < a.gaps.size(); ++g) lengths.push_back(a.gaps.end[g] - a.gaps.start[g]);
  std::sort(lengths.rbegin(), lengths.rend());
  const Model model = build_model(r, a);
  const std::vector<LongGap>& longest = model.devices[0].overview->longest;
  REQUIRE(longest.size() == std::min<size_t>(200, lengths.size()));
  for (size_t i = 0; i < longest.size(); ++i) CHECK(longest[i].ns == lengths[i]);
}

TEST_CASE("gaps are counted by their length, with what they are made of") {
  const Recording r = training_loop(60, 12);
  const Analysis a = analyze(r);
  const Model model = build_model(r, a);
  const GapLengths& lengths = model.devices[0].overview->lengths;
  CHECK(gap_length_start(0) == 1);
  CHECK(gap_length_start(10) == 2000);
  CHECK(gap_length_start(kGapLengthClasses - 1) == 1'000'000'000'000);
  std::vector<uint64_t> gaps(lengths.gaps.size());
  std::vector<int64_t> idle(gaps.size());
  for (size_t g = 0; g < a.gaps.size(); ++g) {
    const int64_t ns = a.gaps.end[g] - a.gaps.start[g];
    size_t at = gaps.size() - 1;
    while (gap_length_start(at) > ns) --at;
    ++gaps[at];
    idle[at] += ns;
  }
  CHECK(lengths.gaps == gaps);
  CHECK(gaps.back() > 0);
  for (size_t i = 0; i < gaps.size(); ++i)
    CHECK(sum(lengths.idle, [i](const IdleSeries& s) { return s.ns[i]; }) == idle[i]);
}

TEST_CASE("a long gap has the stack of its largest part") {
  const Recording r = training_loop(60, 12);
  const Model model = build_model(r, analyze(r));
  const Overview& o = *model.devices[0].overview;
  std::string text;
  for (const uint32_t frame : o.longest[0].stack) text += o.frames[frame] + "; ";
  CHECK(text ==
        "/x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; "
        "/x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; /home/u/data.py:41 decode; ");
}

TEST_CASE("each worker's states fill the time that was waited") {
  const Recording r = training_loop(60, 12);
  const Model model = build_model(r, analyze(r));
  REQUIRE(model.loaders.size() == 1);
  REQUIRE(model.loaders[0].meanwhile.size() == 1);
  const WorkerTime& worker = model.loaders[0].meanwhile[0];
  CHECK(worker.pid == 101);
  int64_t waited = 0;
  for (const CauseRow& row : model.devices[0].whole.causes)
    if (family_of(row.cause) == CauseFamily::Data) waited += row.ns;
  REQUIRE(waited > 0);
  CHECK(sum(worker.doing, [](const WorkerState& s) { return s.ns; }) == waited);
  CHECK(worker.doing[0].cause == Cause::DataWorkerCpu);
  CHECK(worker.doing[0].frame == "/home/u/data.py:41 decode");
}

TEST_CASE("a saved overview is read as it was written") {
  const Recording r = training_loop(60, 12);
  const Model model = build_model(r, analyze(r));
  const std::string text = to_json(model);
  const Result<Model> again = from_json(text);
  REQUIRE(again);
  CHECK(to_json(*again) == text);
  check_sums(*again);
}

TEST_CASE("an overview that points nowhere is refused") {
  const Recording r = training_loop(20, 12);
  std::string text = to_json(build_model(r, analyze(r)));
  const std::string good = "\"parent\": 0";
  text.replace(text.rfind(good), good.size(), "\"parent\": 9999999");
  const Result<Model> model = from_json(text);
  REQUIRE(!model);
  CHECK_THAT(model.error().message, contains("overview"));
}
