// The tables of an Nsight Systems export, one reader per kind of row. Each appends to the Recording
// what its tables hold, in any order; tables that are not there are no error.
#pragma once
#include "collector/import/kineto_rows.h"
#include "collector/import/nsys_state.h"

namespace gpustall::collect {

// Kernels, copies, memsets and graph launches, with the devices they ran on.
void read_nsys_activities(NsysState& state);

// Runtime and driver calls; those of cuDNN and cuBLAS become ranges. Needs the call chains.
void read_nsys_call_chains(NsysState& state);
void read_nsys_calls(NsysState& state);
// Some calls were recorded by two layers with one correlation id: the outer one stays. Needs sorted
// calls.
void drop_repeated_calls(Calls& calls);

// Calls into libc that wait.
void read_nsys_waits(NsysState& state);

// NVTX ranges. Those of torch's operators come back as rows: they nest around the calls.
std::vector<KinetoRange> read_nsys_ranges(NsysState& state);

// When threads had a CPU, for processes that use a GPU.
void read_nsys_scheduling(NsysState& state);
void read_nsys_overheads(NsysState& state);

// Names of threads and processes, and what the profiler itself says went wrong. Reads neither
// environments nor users.
void read_nsys_names(NsysState& state);
void read_nsys_diagnostics(NsysState& state);

}  // namespace gpustall::collect
