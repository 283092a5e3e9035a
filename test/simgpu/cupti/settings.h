// GPUSTALL_SIM_CUPTI, read once when the library is loaded. README.md lists the keys.
// A key or value that is not understood aborts the process: a fault test with a typing error would
// otherwise test nothing and pass.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace simgpu::cupti {

struct Settings {
  std::string version;               // "" = the version that this library was built as
  int subscribe_error = 0;           // 39, 999, ...: what cuptiSubscribe answers
  std::vector<std::string> missing;  // exported names to hide from dlsym
  uint32_t drop_every = 0;           // every n-th device record is lost (and counted)
  uint32_t zero_every = 0;           // ... has start = end = 0
  uint32_t garbage_every = 0;        // ... has nonsense times
  uint32_t crash_at = 0;             // the n-th device record raises SIGSEGV
  int64_t late_ns = 0;        // records are held back this long, and come from the worker thread
  bool shuffle = false;       // records of one delivery come in reverse order
  uint32_t storm = 0;         // at most n records in a buffer
  int64_t slow_flush_ns = 0;  // cuptiActivityFlushAll takes this much longer
};

const Settings& settings();

// Exposed for the unit test; the library itself calls settings().
Settings parse_settings(const char* text, std::string* error);
void replace_settings_for_test(const Settings& value);

}  // namespace simgpu::cupti
