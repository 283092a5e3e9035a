// Every GPUSTALL_* environment variable, read once by the constructor into plain data. Nothing else
// in the library calls getenv for them. Malformed values fall back to the default and are named in
// a notice when recording starts.
#pragma once
#include <cstdint>

namespace gpustall::interpose {

enum class RangeWindow : uint8_t { None, CudaProfiler, Nvtx };

struct Settings {
  bool enabled = true;        // GPUSTALL=0: inert
  bool verbose = false;       // GPUSTALL_VERBOSE=1: one line on stderr about the recording
  bool python_stacks = true;  // GPUSTALL_STACKS: "python,native" (default), "python", "native", "0"
  bool native_stacks = true;
  bool cupti = true;                       // GPUSTALL_CUPTI=0: PLT hooks only
  char out_dir[3072] = {};                 // GPUSTALL_OUT: absolute; empty: no run yet
  uint64_t run_id[2] = {};                 // GPUSTALL_RUN_ID: 32 hex digits
  uint64_t max_bytes = uint64_t{2} << 30;  // GPUSTALL_MAX_SIZE: per process, suffix K M G; 0: none
  int64_t delay_ns = 0;                    // GPUSTALL_DELAY: seconds
  int64_t duration_ns = 0;                 // GPUSTALL_DURATION: seconds; 0: to the end
  RangeWindow range = RangeWindow::None;   // GPUSTALL_RANGE=cuda-profiler or nvtx:NAME
  char range_name[128] = {};
  int64_t wait_ns = 2000;    // GPUSTALL_WAIT_US: a wait this long is a record
  int64_t stack_ns = 50000;  // GPUSTALL_STACK_US: a wait this long has stacks and an object's path
  uint32_t sample_hz = 100;  // GPUSTALL_SAMPLE_HZ: 0 turns the sampler off
  int32_t rank = -1;         // RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMI_RANK
  bool malformed = false;    // some GPUSTALL_* value was not understood
};

extern Settings g_settings;

void read_settings() noexcept;

}  // namespace gpustall::interpose
