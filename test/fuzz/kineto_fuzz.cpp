// The importer of torch.profiler traces, and the analysis behind it, on arbitrary bytes: as they
// are, and as the rows of an otherwise whole trace. Replayed in ctest; a libFuzzer target with
// clang.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "collector/analysis.h"
#include "collector/import/import.h"

using namespace gpustall::collect;

static void import_all(const std::string& bytes) {
  const Result<Recording> recording = import_kineto_bytes(bytes, "fuzz.json");
  if (!recording) {
    if (recording.error().message.empty()) abort();
    return;
  }
  const Analysis analysis = analyze(*recording);
  int64_t idle = 0, slices = 0;
  for (const DeviceTimeline& t : analysis.timelines) idle += t.idle_ns();
  for (size_t i = 0; i < analysis.slices.size(); ++i)
    slices += analysis.slices.end[i] - analysis.slices.start[i];
  if (idle != slices) abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  import_all(input);
  import_all(
      R"({"traceEvents": [{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,)"
      R"("ts":1,"dur":1,"args":{"correlation":1}},{"ph":"X","cat":"kernel","name":"k","pid":0,)"
      R"("tid":7,"ts":5,"dur":1,"args":{"correlation":1}},)" +
      input + "]}");
  return 0;
}
