// How fast a timeline is written, and how much memory that takes beyond the recording:
// export_bench [MILLION_EVENTS]. The text goes nowhere, so that no disk is measured.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "viewer-cli/export/timeline.h"

using namespace gpustall;  // NOLINT

namespace {

class NoSink : public cli::TextSink {
 public:
  void write(std::string_view text) override { bytes += text.size(); }
  uint64_t bytes = 0;
};

// kB of /proc/self/status: VmRSS, or VmHWM, the peak since it was last reset.
double memory_kb(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == what) {
      double kb = 0;
      status >> kb;
      return kb;
    }
  return 0;
}
void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

// A launch-bound loop: a call and a kernel per launch, a wait now and then.
collect::Recording launches(uint64_t events) {
  collect::Recording r;
  r.processes.resize(1);
  r.processes[0].pid = 100;
  r.threads.resize(1);
  r.threads[0].tid = 100;
  r.devices.resize(1);
  r.queues.push_back({collect::ProcessIndex{0}, collect::DeviceIndex{0}, 1, 7});
  r.strings = {"", "train.py", "step",
               "void at::native::vectorized_elementwise_kernel<4, FillFunctor<float>>(int)"};
  for (int32_t line = 0; line < 200; ++line) {
    r.frames.push_back({collect::StringId{1}, collect::StringId{2}, line});
    r.stacks.push_back(
        {collect::kNone<collect::StackId>, collect::FrameId{static_cast<uint32_t>(line)}});
  }
  for (uint64_t i = 0; 2 * i < events; ++i) {
    const auto at = static_cast<collect::TraceTime>(i * 10'000 + i * 7919 % 900);
    r.calls.thread.push_back(collect::ThreadIndex{0});
    r.calls.call.push_back(trace::Call::LaunchKernel);
    r.calls.start.push_back(at);
    r.calls.end.push_back(at + 4'000);
    r.calls.correlation.push_back(i + 1);
    r.calls.stack.push_back(collect::StackId{static_cast<uint32_t>(i % 200)});
    r.calls.native_stack.push_back(collect::kNone<collect::NativeStackId>);
    r.calls.stream.push_back(7);
    r.calls.object.push_back(0);
    r.calls.bytes.push_back(0);
    r.calls.copy_kind.push_back(0);
    r.calls.result.push_back(0);
    r.calls.name.push_back({});
    collect::Activities& a = r.activities;
    a.kind.push_back(collect::ActivityKind::Kernel);
    a.queue.push_back(collect::QueueIndex{0});
    a.start.push_back(at + 6'000);
    a.end.push_back(at + 14'500);
    a.correlation.push_back(i + 1);
    a.name.push_back(collect::StringId{3});
    a.bytes.push_back(0);
    a.copy_kind.push_back(0);
    a.src_kind.push_back(0);
    a.dst_kind.push_back(0);
  }
  return r;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t events = 1'000'000 * static_cast<uint64_t>(argc > 1 ? std::atoi(argv[1]) : 10);
  const collect::Recording recording = launches(events);
  const collect::Analysis analysis = collect::analyze(recording);
  const collect::Model model;
  malloc_trim(0);  // else what the analysis has freed would still count
  reset_peak();
  const double before = memory_kb("VmRSS:");
  // Time of the processor, not of the wall: other programs on the machine do not count.
  const std::clock_t start = std::clock();
  cli::Timeline timeline(recording, analysis, model, "bench");
  NoSink sink;
  timeline.write(timeline.plan({}), cli::Dialect::Viewer, sink);
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const size_t exported = recording.calls.size() + recording.activities.size();
  std::printf("export: %zu events, %.0f MB of text in %.2f s\n", exported,
              static_cast<double>(sink.bytes) / 1e6, took);
  std::printf("export: %.3f us per event, %.1f bytes of memory per event beyond the recording\n",
              took * 1e6 / static_cast<double>(exported),
              (memory_kb("VmHWM:") - before) * 1024 / static_cast<double>(exported));
  return 0;
}
