// Everything that can be set about the simulated device: one environment string,
// GPUSTALL_SIM="key=value,...". The keys are documented in ../README.md. Read once, at the first
// CUDA call of a process; constant afterwards.
#pragma once
#include <cstdint>
#include <string>

#include "export.h"

namespace simgpu {

struct Settings {
  // Time, in nanoseconds.
  double latency_ns = 4000;  // from the end of a launch call's submission to the start of the work
  double call_ns = 2500;     // host time of one launch call, our own work included
  double wake_ns = 2000;     // from the end of the work to the return of a wait for it
  double module_load_ns = 200000;    // first launch of each kernel
  double library_load_ns = 3000000;  // first handle of cuBLAS, cuBLASLt, cuDNN
  double context_ns = 30000000;      // creation of a device's context
  double malloc_ns = 30000;          // cudaMalloc, cudaFree
  double graph_gap_ns = 600;         // between dependent nodes of a graph
  double kernel_ns = 0;              // > 0: every kernel takes exactly this long
  double kernel_scale = 1.0;         // factor on every modelled kernel
  // Rates, in GB/s (1e9 bytes).
  double h2d_gbps = 12, d2h_gbps = 12, pageable_gbps = 4, d2d_gbps = 800, p2p_gbps = 40;
  double host_alloc_gbps = 3;  // page-locking
  double devices = 1;
  double memory_gb = 40;
  double count = 100;   // what a 4- or 8-byte read after a cub scan or select returns
  double queue = 1024;  // launches that fit into a stream's queue
  std::string log;      // ground-truth log; %p = pid; empty = none
};

GPUSTALL_SIM_API const Settings& settings();

}  // namespace simgpu
