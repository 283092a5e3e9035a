// The importer of Nsight Systems' exports, and the analysis behind it, on arbitrary bytes. Replayed
// in ctest; a libFuzzer target with clang. SQLite reads files only, so that the bytes go through
// one in memory. The corpus is what corpus/nsys.sql makes, and what was found since.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "collector/analysis.h"
#include "collector/import/import.h"

using namespace gpustall::collect;

static void check(const Recording& recording) {
  const Analysis analysis = analyze(recording);
  int64_t idle = 0, slices = 0;
  for (const DeviceTimeline& t : analysis.timelines) idle += t.idle_ns();
  for (size_t i = 0; i < analysis.slices.size(); ++i)
    slices += analysis.slices.end[i] - analysis.slices.start[i];
  if (idle != slices) abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("nsys_fuzz", MFD_CLOEXEC);
  if (file < 0) abort();
  if (write(file, data, size) != static_cast<ssize_t>(size)) abort();
  const Result<Recording> recording = import_nsys("/proc/self/fd/" + std::to_string(file), {});
  if (recording)
    check(*recording);
  else if (recording.error().message.empty())
    abort();
  close(file);
  return 0;
}
