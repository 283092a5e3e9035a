#include "test/builder/loop_trace.h"

#include "libinterpose/trace/names.h"

namespace gpustall::test {

namespace {

constexpr int64_t kUs = 1000;
constexpr uint32_t kPid = 4711;

}  // namespace

TraceBuilder loop_trace(unsigned steps, const std::string& folder) {
  const std::string main = folder + "/train.py:";
  const std::string forward = main + "10 main; " + folder + "/model.py:3 forward";
  const std::string adam = main +
                           "30 main; /x/site-packages/torch/optim/optimizer.py:400 wrapper; "
                           "/x/site-packages/torch/optim/adam.py:200 step";
  HeaderFields header;
  header.pid = kPid;
  header.flags = trace::kSimulated;
  header.end_ticks = 0;
  header.start_realtime_ns = header.start_monotonic_ns;  // one clock for host and device
  TraceBuilder t(header);
  int64_t now = 1'000 * kUs;
  uint64_t correlation = 0;
  for (unsigned step = 0; step < steps; ++step) {
    for (int i = 0; i < 10; ++i) {
      now += 100 * kUs;
      ++correlation;
      t.thread(kPid).add(trace::Api{.call = static_cast<uint64_t>(trace::Call::LaunchKernel),
                                    .start = now - 5 * kUs,
                                    .duration = 5 * kUs,
                                    .correlation = correlation,
                                    .stack = t.stack(i < 8 ? forward : adam),
                                    .stream = 7});
      t.device(9).add(trace::Kernel{.queue = t.queue(0, 1, 7),
                                    .start = now + 4 * kUs,
                                    .duration = 30 * kUs,
                                    .correlation = correlation,
                                    .name = t.string("gemm")});
    }
    t.thread(kPid).add(trace::Wait{.wait = static_cast<uint64_t>(trace::WaitId::Nanosleep),
                                   .start = now + 10 * kUs,
                                   .duration = 480 * kUs,
                                   .stack = t.stack(main + "40 main")});
    now += 500 * kUs;
  }
  return t;
}

}  // namespace gpustall::test
