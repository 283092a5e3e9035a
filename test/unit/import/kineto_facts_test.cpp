// What is known of real torch.profiler traces: spans and busy times to the nanosecond, published
// tables, first causes.
#include <algorithm>
#include <map>

#include "collector/analysis.h"
#include "collector/load.h"
#include "test/catch.h"
#include "test/unit/import/real_traces.h"

using namespace gpustall;
using namespace gpustall::collect;
using gpustall::test::real_trace;

namespace {

struct Fact {
  const char* file;
  uint32_t device;
  int64_t span, busy;
};
constexpr Fact kFacts[] = {
    {"kineto-v100-resnet50-workers0.pt.trace.json.gz", 0, 996477000, 603558000},
    {"kineto-rtx2080ti-linear.json.gz", 0, 1008570000, 370983000},
    {"kineto-h100-bert-small.json.gz", 0, 3907825, 309437},
    {"kineto-mi300-vit.json.gz", 2, 6868849, 1716301},
    {"kineto-a100-alexnet-coldstart.json.gz", 0, 12920244000, 66141000},
    {"kineto-event-sync.json.gz", 0, 263000, 51000},
    {"kineto-mi250-minitoy.json.gz", 2, 8911887, 149042},
};

Recording loaded(const std::filesystem::path& path) {
  Result<Recording> recording = load(path);
  if (!recording) FAIL(recording.error().message);
  return std::move(*recording);
}

// Idle time by family of causes, all devices.
int64_t idle_of(const Analysis& a, CauseFamily family) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.slices.size(); ++i)
    if (family_of(a.slices.cause[i]) == family) sum += a.slices.end[i] - a.slices.start[i];
  return sum;
}
int64_t idle_of(const Analysis& a, Cause cause) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.slices.size(); ++i)
    if (a.slices.cause[i] == cause) sum += a.slices.end[i] - a.slices.start[i];
  return sum;
}

struct Interval {
  TraceTime start, end;
};
// What each class covers that none before it does, clipped to the window; the last is the rest.
std::vector<int64_t> covered(const std::vector<std::vector<Interval>>& classes, Interval window) {
  struct Edge {
    TraceTime at;
    size_t cls;
    int step;
  };
  std::vector<Edge> edges;
  for (size_t c = 0; c < classes.size(); ++c)
    for (Interval i : classes[c]) {
      edges.push_back({std::clamp(i.start, window.start, window.end), c, +1});
      edges.push_back({std::clamp(i.end, window.start, window.end), c, -1});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::vector<int> open(classes.size());
  std::vector<int64_t> sums(classes.size() + 1);
  TraceTime cursor = window.start;
  for (const Edge& e : edges) {
    size_t c = 0;
    while (c < open.size() && open[c] == 0) ++c;
    sums[c] += e.at - cursor;
    cursor = e.at;
    open[e.cls] += e.step;
  }
  sums.back() += window.end - cursor;
  return sums;
}

}  // namespace

TEST_CASE("span, busy and idle of real traces are exact to the nanosecond") {
  for (const Fact& fact : kFacts) {
    const auto path = real_trace(fact.file);
    GPUSTALL_NEEDS_TRACE(path);
    INFO(fact.file);
    const Recording r = loaded(path);
    CHECK(r.basis == Basis::Kineto);
    CHECK(r.damage.empty());
    const Analysis a = analyze(r);
    REQUIRE(a.timelines.size() == 1);
    CHECK(r.devices[raw(a.timelines[0].device)].ordinal == fact.device);
    CHECK(a.timelines[0].span_ns() == fact.span);
    CHECK(a.timelines[0].busy_ns == fact.busy);
    CHECK(a.timelines[0].idle_ns() == fact.span - fact.busy);
    int64_t slices = 0;
    for (size_t i = 0; i < a.slices.size(); ++i) slices += a.slices.end[i] - a.slices.start[i];
    CHECK(slices == fact.span - fact.busy);
    CHECK(a.unlinked_activities == 0);
  }
}

TEST_CASE("the published breakdown of the 2021 trace comes out to the microsecond") {
  const auto path = real_trace("kineto-v100-resnet50-workers0.pt.trace.json.gz");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  CHECK(std::count(r.activities.kind.begin(), r.activities.kind.end(), ActivityKind::Kernel) ==
        8772);
  CHECK(r.queues.size() == 1);
  CHECK(r.queues[0].stream == 7);
  std::vector<std::vector<Interval>> classes(6);
  Interval window{INT64_MAX, 0};
  const Activities& act = r.activities;
  for (size_t i = 0; i < act.size(); ++i) {
    classes[static_cast<size_t>(act.kind[i])].push_back({act.start[i], act.end[i]});
    window.end = std::max(window.end, act.end[i]);
  }
  for (size_t i = 0; i < r.calls.size(); ++i)
    classes[3].push_back({r.calls.start[i], r.calls.end[i]});
  for (size_t i = 0; i < r.ranges.size(); ++i) {
    const std::string_view name = r.text(r.ranges.name[i]);
    const Interval at{r.ranges.start[i], r.ranges.end[i]};
    if (name.starts_with("ProfilerStep#"))
      window.start = std::min(window.start, at.start);
    else
      classes[name.starts_with("enumerate(DataLoader)") ? 4 : 5].push_back(at);
  }
  CHECK(window.end - window.start == 1'065'553'000);
  const std::vector<int64_t> published{591'532'000, 11'492'000, 534'000,  17'445'000,
                                       355'571'000, 82'045'000, 6'934'000};
  CHECK(covered(classes, window) == published);
}

TEST_CASE("kernels of real traces are counted, and how long they take") {
  struct Kernels {
    const char* file;
    size_t count;
    double median_us;
  };
  for (const Kernels& known : {Kernels{"kineto-rtx2080ti-linear.json.gz", 8716, 14},
                               Kernels{"kineto-h100-bert-small.json.gz", 60, 0}}) {
    const auto path = real_trace(known.file);
    GPUSTALL_NEEDS_TRACE(path);
    const Recording r = loaded(path);
    std::vector<int64_t> durations;
    for (size_t i = 0; i < r.activities.size(); ++i)
      if (r.activities.kind[i] == ActivityKind::Kernel)
        durations.push_back(r.activities.end[i] - r.activities.start[i]);
    REQUIRE(durations.size() == known.count);
    std::sort(durations.begin(), durations.end());
    if (known.median_us > 0)
      CHECK(double(durations[durations.size() / 2]) / 1e3 == Approx(known.median_us).margin(0.5));
  }
}

TEST_CASE("work that was queued is no host's fault, and no synchronisation's") {
  const auto path = real_trace("kineto-mi300-vit.json.gz");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  std::map<uint64_t, TraceTime> launched;
  for (size_t i = 0; i < r.calls.size(); ++i)
    launched.try_emplace(r.calls.correlation[i], r.calls.end[i]);
  // About 16 us of each kernel's start: its call has returned, the device is idle.
  int64_t queued = 0;
  TraceTime busy_until = r.activities.start[0];
  for (size_t i = 0; i < r.activities.size(); ++i) {
    const auto call = launched.find(r.activities.correlation[i]);
    REQUIRE(call != launched.end());
    queued += std::max<int64_t>(0, r.activities.start[i] - std::max(busy_until, call->second));
    busy_until = std::max(busy_until, r.activities.end[i]);
  }
  CHECK(queued == Approx(2'062'000).margin(1'000));
  // All of it is hidden when the host launches in time: the host's lateness is counted one latency
  // earlier, and what the device adds to that is next to nothing.
  const Analysis a = analyze(r);
  CHECK(idle_of(a, CauseFamily::Sync) == 0);
  CHECK(idle_of(a, CauseFamily::Launch) > 4'900'000);
  CHECK(idle_of(a, CauseFamily::Device) < 50'000);
}

TEST_CASE("the ten seconds before the first convolution are first uses") {
  const auto path = real_trace("kineto-a100-alexnet-coldstart.json.gz");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  const Analysis a = analyze(r);
  const auto longest = [&] {
    size_t best = 0;
    for (size_t g = 0; g < a.gaps.size(); ++g)
      if (a.gaps.end[g] - a.gaps.start[g] > a.gaps.end[best] - a.gaps.start[best]) best = g;
    return best;
  }();
  CHECK(a.gaps.end[longest] - a.gaps.start[longest] == 10'033'725'000);
  int64_t library = 0, module = 0;
  for (size_t i = 0; i < a.slices.size(); ++i) {
    if (a.slices.start[i] < a.gaps.start[longest] || a.slices.end[i] > a.gaps.end[longest])
      continue;
    const int64_t ns = a.slices.end[i] - a.slices.start[i];
    if (a.slices.cause[i] == Cause::ColdLibrary) library += ns;
    if (a.slices.cause[i] == Cause::ColdModule) module += ns;
  }
  CHECK(library == Approx(6.53e9).margin(0.01e9));  // cudaFree: everything is loaded
  CHECK(module == Approx(3.06e9).margin(0.01e9));   // the first launch
}

TEST_CASE("eight ranks in one archive are eight processes on eight devices") {
  const auto path = real_trace("kineto-v100x8-dlrm.tar.gz");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  CHECK(r.damage.empty());
  REQUIRE(r.processes.size() == 8);
  const Analysis a = analyze(r);
  REQUIRE(a.timelines.size() == 8);
  std::map<uint32_t, size_t> streams;
  for (const Queue& queue : r.queues) ++streams[raw(queue.process)];
  for (const auto& [process, count] : streams) CHECK(count == 4);
  for (const DeviceTimeline& t : a.timelines) {
    const uint32_t ordinal = r.devices[raw(t.device)].ordinal;
    const auto us = [](int64_t ns) { return ns / 1000; };
    if (ordinal == 0) CHECK(us(t.span_ns()) == 13'009);
    if (ordinal == 0) CHECK(us(t.busy_ns) == 6'590);
    if (ordinal == 7) CHECK(us(t.span_ns()) == 10'967);
    if (ordinal == 7) CHECK(us(t.busy_ns) == 2'659);
    if (ordinal == 1)
      CHECK(double(t.busy_ns) / double(t.span_ns()) == Approx(0.6572).margin(0.00005));
  }
}

TEST_CASE("the first causes of real traces are what is known of them") {
  struct Known {
    const char* file;
    CauseFamily first;
    double least;  // share of the idle time
  };
  for (const Known& known :
       {Known{"kineto-v100-resnet50-workers0.pt.trace.json.gz", CauseFamily::Data, 0.65},
        Known{"kineto-rtx2080ti-linear.json.gz", CauseFamily::Launch, 0.9},
        Known{"kineto-a100-alexnet-coldstart.json.gz", CauseFamily::Cold, 0.7}}) {
    const auto path = real_trace(known.file);
    GPUSTALL_NEEDS_TRACE(path);
    INFO(known.file);
    const Recording r = loaded(path);
    const Analysis a = analyze(r);
    CHECK(double(idle_of(a, known.first)) >= known.least * double(a.timelines[0].idle_ns()));
    // None of the three waits for work that it could have kept away from.
    CHECK(double(idle_of(a, CauseFamily::Sync)) < 0.02 * double(a.timelines[0].idle_ns()));
  }
}

TEST_CASE("loading on the training process has its share and the line of the loop") {
  const auto path = real_trace("kineto-v100-resnet50-workers0.pt.trace.json.gz");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  const Analysis a = analyze(r);
  int64_t loop = 0;
  for (size_t i = 0; i < a.slices.size(); ++i) {
    if (a.slices.cause[i] != Cause::DataMain || a.slices.site[i] == kNone<SiteId>) continue;
    const Site& site = a.sites[raw(a.slices.site[i])];
    if (r.text(site.file) == "resnet50_profiler_api.py" && site.line == 42)
      loop += a.slices.end[i] - a.slices.start[i];
  }
  // 355.6 ms of ranges in the window; the first lies before the device's first work, and the device
  // works at the beginning of the others.
  CHECK(loop > 270'000'000);
  CHECK(idle_of(a, Cause::DataMain) < 355'571'000);
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].count() == 6);
  CHECK(a.steps[0].basis == "ProfilerStep");
}

TEST_CASE("traces without GPU work are refused in one clear sentence") {
  for (const char* file :
       {"kineto-negative-cpu-only.json.gz", "kineto-negative-no-gpu-events.json.gz"}) {
    const auto path = real_trace(file);
    GPUSTALL_NEEDS_TRACE(path);
    const Result<Recording> r = load(path);
    REQUIRE_FALSE(static_cast<bool>(r));
    CHECK_THAT(r.error().message, test::contains("no GPU activity"));
    CHECK_THAT(r.error().message, test::contains("activities=[CPU, CUDA]"));
  }
}
