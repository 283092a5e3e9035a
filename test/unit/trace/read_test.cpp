// The reader on whole traces: what the builder wrote is what the Recording holds.
#include "collector/read/read_traces.h"

#include "test/builder/trace_builder.h"
#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::test;
using namespace gpustall::collect;

namespace {

Recording read(const std::vector<std::string>& files) {
  std::vector<TraceBytes> all;
  for (size_t i = 0; i < files.size(); ++i)
    all.push_back({"p" + std::to_string(i) + ".gst", files[i]});
  Result<Recording> recording = read_traces(all);
  INFO(recording.error().message);
  REQUIRE(recording);
  return std::move(*recording);
}

std::string frame_text(const Recording& r, StackId stack) {
  const Frame& f = r.frames[raw(r.stacks[raw(stack)].frame)];
  return std::string(r.text(f.file)) + ":" + std::to_string(f.line) + " " +
         std::string(r.text(f.function));
}

}  // namespace

TEST_CASE("a call and its kernel keep their times, names, stack and correlation") {
  TraceBuilder t;
  t.device().add(trace::Kernel{t.queue(0, 1, 7), 30'000, 9'000, 7, t.string("gemm"), 64, 128, 0});
  t.thread(100).add(trace::Api{.call = static_cast<uint64_t>(trace::Call::LaunchKernel),
                               .start = 20'000,
                               .duration = 2'500,
                               .correlation = 7,
                               .stack = t.stack("train.py:10 main; model.py:300 forward")});
  t.dictionary().add(trace::DeviceClock{25'000, 27'000, 40});
  const Recording r = read({t.bytes()});
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls.call[0] == trace::Call::LaunchKernel);
  CHECK(r.calls.start[0] == 20'000);
  CHECK(r.calls.end[0] == 22'500);
  CHECK(r.calls.correlation[0] == 7);
  CHECK(frame_text(r, r.calls.stack[0]) == "model.py:300 forward");
  CHECK(frame_text(r, r.stacks[raw(r.calls.stack[0])].parent) == "train.py:10 main");
  CHECK(r.threads[raw(r.calls.thread[0])].tid == 100);
  REQUIRE(r.activities.size() == 1);
  CHECK(r.activities.start[0] == 30'000);
  CHECK(r.activities.end[0] == 39'000);
  CHECK(r.activities.correlation[0] == 7);
  CHECK(r.text(r.activities.name[0]) == "gemm");
  CHECK(r.queues[0].stream == 7);
  const Process& p = r.processes[0];
  CHECK(p.device_clock.to_host(30'000) == 28'000);
  CHECK(p.device_clock.error_ns == 40);
  CHECK(p.clean_end);
  CHECK(p.first_ns == 20'000);
  CHECK(p.last_ns == 22'500);
  CHECK(r.damage.empty());
  CHECK(r.not_observed.empty());
}

TEST_CASE("ticks become nanoseconds by the readings of the clock, piece by piece") {
  HeaderFields h;
  h.clock = trace::ClockKind::Tsc;
  h.start_ticks = 1'000'000;
  h.start_monotonic_ns = 5'000'000;
  h.end_ticks = 0;
  TraceBuilder t(h);
  t.dictionary().add(trace::Clock{4'000'000, 6'000'000, 0});  // 3 ticks per ns
  t.add(trace::Clock{6'000'000, 7'000'000, 0});               // then 2
  t.thread(1).add(trace::Range{2'500'000, 300, 0, 0, 0});
  t.add(trace::Range{5'000'000, 2'000'000, 0, 0, 0});  // its end lies beyond the last reading
  const Recording r = read({t.bytes()});
  REQUIRE(r.ranges.size() == 2);
  CHECK(r.ranges.start[0] == 5'500'000);
  CHECK(r.ranges.end[0] == 5'500'100);
  CHECK(r.ranges.start[1] == 6'500'000);
  CHECK(r.ranges.end[1] == 7'400'000);  // at the mean rate, 2.5 ticks per ns
}

TEST_CASE("two processes on one device share it, and their stacks and strings") {
  HeaderFields second;
  second.pid = 200;
  second.start_realtime_ns += 10;
  TraceBuilder a, b(second);
  for (TraceBuilder* t : {&a, &b}) {
    const uint64_t uuid = t->string("GPU-1"), name = t->string("Sim");
    t->dictionary().add(trace::Device{t == &a ? 0u : 3u, name, uuid, 10, 90, 1 << 30});
    t->device().add(
        trace::Kernel{t->queue(t == &a ? 0 : 3, 1, 7), t == &a ? 5'000 : 3'000, 10, 1, 0, 0, 0, 0});
    t->thread(1).add(trace::Api{1, 2'000, 10, 1, t->stack("train.py:1 f"), 0, 0, 0, 0, 0, 0, 0});
  }
  const Recording r = read({b.bytes(), a.bytes()});
  REQUIRE(r.devices.size() == 1);
  CHECK(r.devices[0].name == "Sim");
  CHECK(r.processes[0].pid == 100);
  REQUIRE(r.activities.size() == 2);
  CHECK(r.activities.start[0] == 3'000);  // sorted across processes
  CHECK(r.queues[raw(r.activities.queue[0])].process == ProcessIndex(1));
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls.stack[0] == r.calls.stack[1]);
}

TEST_CASE("a waker is found in its own process, or in another one of the run") {
  HeaderFields second;
  second.pid = 200;
  TraceBuilder a, b(second);
  const auto sem = static_cast<uint64_t>(trace::WaitId::SemWait);
  a.thread(101).add(trace::Range{1'500, 10, 0, 0, 0});
  a.thread(100).add(trace::Wait{sem, 2'000, 500, 0, 0, 0, 101, 100, 0});
  a.add(trace::Wait{sem, 3'000, 500, 0, 0, 0, 201, 0, 0});
  b.thread(201).add(trace::Range{1'500, 10, 0, 0, 0});
  const Recording r = read({a.bytes(), b.bytes()});
  REQUIRE(r.waits.size() == 2);
  CHECK(r.threads[raw(r.waits.waker[0])].tid == 101);
  CHECK(r.threads[raw(r.waits.waker[0])].process == ProcessIndex(0));
  CHECK(r.waits.waker_time[0] == 2'400);
  CHECK(r.threads[raw(r.waits.waker[1])].process == ProcessIndex(1));
}

TEST_CASE("samples of a worker that did not record make a process of their own") {
  TraceBuilder t;
  trace::Sample s;
  s.time = 2'000;
  s.tid = s.pid = 321;
  s.stack = t.stack("data.py:5 load");
  s.state = static_cast<uint64_t>(trace::ThreadRunState::DiskWait);
  t.thread(102).add(s);
  const Recording r = read({t.bytes()});
  REQUIRE(r.processes.size() == 2);
  CHECK(r.processes[1].pid == 321);
  CHECK(r.processes[1].parent_pid == 100);
  REQUIRE(r.samples.size() == 1);
  CHECK(r.threads[raw(r.samples.thread[0])].process == ProcessIndex(1));
  CHECK(r.samples.state[0] == trace::ThreadRunState::DiskWait);
  CHECK(frame_text(r, r.samples.stack[0]) == "data.py:5 load");
}

TEST_CASE("a missing end, losses, and times without observation are told") {
  HeaderFields h;
  h.flags = 0;
  h.losses[static_cast<unsigned>(trace::LossKind::CuptiDropped)] = 5;
  TraceBuilder t(h);
  t.dictionary().add(trace::Loss{static_cast<uint64_t>(trace::LossKind::CuptiDropped), 3});
  t.add(
      trace::Notice{2'000, static_cast<uint64_t>(trace::NoticeKind::CuptiYielded), 0, "profiler"});
  t.add(trace::Notice{2'500, static_cast<uint64_t>(trace::NoticeKind::CuptiResumed), 0, ""});
  t.add(trace::Notice{2'600, static_cast<uint64_t>(trace::NoticeKind::PythonStacksOff), 0, "3.15"});
  t.thread(100).add(trace::Range{2'900, 100, 0, 0, 0});
  const Recording r = read({t.bytes()});
  CHECK_FALSE(r.processes[0].clean_end);
  REQUIRE(r.losses.size() == 1);
  CHECK(r.losses[0].count == 5);
  REQUIRE(r.unobserved.size() == 1);
  CHECK(r.unobserved[0].start == 2'000);
  CHECK(r.unobserved[0].end == 2'500);
  CHECK(r.unobserved[0].text == "profiler");
  REQUIRE(r.not_observed.size() == 2);
  CHECK(r.not_observed[0] == "Python stacks of process 100: 3.15");
  CHECK_THAT(r.not_observed[1], contains("the end of process 100: killed, or still running"));
}

TEST_CASE("records and fields of a newer writer are skipped") {
  TraceBuilder t;
  t.thread(1).add_raw(200, "anything");
  t.add_raw(static_cast<uint8_t>(trace::Tag::ShortWaits),
            std::string_view("\x01\x02\x03\x7f\x7f", 5));
  t.add(trace::Range{2'000, 10, 0, 0, 0});
  const Recording r = read({t.bytes()});
  CHECK(r.ranges.size() == 1);
  CHECK(r.damage.empty());
}

TEST_CASE("activities of several streams come out in the order of their start") {
  TraceBuilder t;
  const uint64_t one = t.queue(0, 1, 7), two = t.queue(0, 1, 8);
  for (int64_t i = 0; i < 1000; ++i) {
    t.device(1).add(trace::Kernel{i % 2 ? one : two, 100'000 + (i ^ 5) * 10, 5, 0, 0, 0, 0, 0});
    t.device(2).add(trace::Memset{two, 100'005 + i * 10, 5, 0, 0, 0});
  }
  const Recording r = read({t.bytes()});
  REQUIRE(r.activities.size() == 2000);
  CHECK(std::is_sorted(r.activities.start.begin(), r.activities.start.end()));
}

TEST_CASE("while the recording window is closed, the device's work is left out, too") {
  const auto notice = [](int64_t at, trace::NoticeKind kind) {
    return trace::Notice{at, static_cast<uint64_t>(kind), 0, ""};
  };
  TraceBuilder t;
  const uint64_t queue = t.queue(0, 1, 7);
  const auto kernel = [&](int64_t at, uint64_t correlation) {
    constexpr int64_t kDevice = 1'699'999'999'999'999'000;  // the builder's real time
    return trace::Kernel{queue, kDevice + at, 5, correlation, 0, 0, 0, 0};
  };
  t.thread(1).add(notice(10'000, trace::NoticeKind::WindowOpened));
  t.add(trace::Api{.call = static_cast<uint64_t>(trace::Call::LaunchKernel),
                   .start = 19'000,
                   .duration = 10,
                   .correlation = 2});
  t.add(notice(20'000, trace::NoticeKind::WindowClosed));
  // Before; inside, with its launch lost; launched inside and run after; after.
  t.device(1).add(kernel(5'000, 1));
  t.add(kernel(15'000, 9));
  t.add(kernel(21'000, 2));
  t.add(kernel(30'000, 3));
  const Recording r = read({t.bytes()});
  REQUIRE(r.activities.size() == 2);
  CHECK(r.activities.correlation == std::vector<uint64_t>{9, 2});
}
