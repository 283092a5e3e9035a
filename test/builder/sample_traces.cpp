#include "test/builder/sample_traces.h"

namespace gpustall::test {

TraceBuilder host_trace() {
  TraceBuilder host({}, 4096);
  host.thread(100).add(trace::Api{1, 20'000, 2'500, 7, host.stack("train.py:10 main; m.py:3 f"), 7,
                                  64, 5, 1, 1, 2, 1});
  host.add(trace::NativeStack{1, std::string_view("\x80\x20\x10", 3)});
  host.add(trace::Object{1, 2, 77, host.string("pipe:[77]")});
  host.add(trace::Wait{20, 26'000, 100, 1, -1, 1, 101, 5, 1});
  host.add(trace::ShortWaits{1, 9, 300}).add(trace::Range{30'000, 10, 1, 2, 0});
  host.add(trace::Mark{31'000, 1, 2}).add(trace::Gc{32'000, 10, 2});
  host.add(trace::Fork{33'000, 10, 321, 1}).new_chunk().add(trace::Gc{34'000, 10, 2});
  return host;
}

TraceBuilder device_trace() {
  TraceBuilder device({}, 4096);
  const uint64_t queue = device.device(9).queue(0, 1, 7);
  device.add(trace::Kernel{queue, 30'000, 9'000, 7, device.string("gemm"), 64, 128, 1});
  device.add(trace::Memcpy{queue, 40'000, 10, 8, 1, 4'096, 1, 3, 0});
  device.add(trace::Memset{queue, 41'000, 10, 9, 16, 0})
      .add(trace::GraphRun{queue, 42'000, 5, 10, 3});
  device.add(trace::Overhead{3 << 16, 43'000, 5, 0, 100});
  device.add(trace::SyncActivity{queue, 44'000, 5, 11, 1, 2});
  device.dictionary().add(trace::DeviceClock{25'000, 27'000, 40});
  device.add(trace::Device{0, 1, 1, 10, 90, 1 << 20});
  return device;
}

TraceBuilder clocks_trace() {
  HeaderFields tsc;
  tsc.clock = trace::ClockKind::Tsc;
  tsc.flags = 0;
  tsc.losses[0] = 3;
  TraceBuilder clocks(tsc, 4096);
  clocks.dictionary().add(trace::Clock{50'000, 20'000, 7}).add(trace::Clock{90'000, 40'000, 9});
  clocks.add(trace::Info{clocks.string("argv"), clocks.string("python")});
  clocks.add(trace::Module{1, 0x1000, 0x1000, 0, clocks.string("/lib/x.so"), 0});
  clocks.add(trace::Notice{60'000, 1, 0, "profiler"}).add(trace::Loss{0, 2});
  clocks.add(trace::OwnCost{70'000, 10, 2, 300}).add(trace::Counter{71'000, 1, -5});
  clocks.thread(5).add(
      trace::Sample{60'000, 101, clocks.stack("a.py:1 f"), 2, 5, 6, 7, 321, 1, 8, 9});
  clocks.add(trace::Thread{2'000, 101, 5, 1, clocks.string("worker")});
  return clocks;
}

}  // namespace gpustall::test
