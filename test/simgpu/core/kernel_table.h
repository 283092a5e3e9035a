// The kernels of the process: registered by host stub address, by name for libraries and driver
// modules. A Kernel lives for the life of the process, its name too (a program may close the
// library that held it).
#pragma once
#include <atomic>
#include <cstdint>

#include "export.h"
#include "small_results.h"

namespace simgpu {

struct Kernel {
  std::atomic<const char*> name{
      nullptr};  // mangled; points into the program until the first launch
  std::atomic<uint32_t> loaded_devices{0};  // bit per device: the first launch there loads the code
  std::atomic<bool> studied{false};         // the fields below are valid
  float weight = 1;                         // duration relative to a plain elementwise kernel
  ResultShape result = ResultShape::Unknown;  // how to find what it writes; see small_results.h
  uint8_t result_bytes = 0;                   // of one element of it
  uint8_t result_pointers = 0;                // of an elementwise kernel, the output first
  bool decides_size = false;  // a scan or select: the next small read returns settings().count
  bool checks_all = false;    // an "all" reduction: see Stream::answer
  uint32_t registers = 32;
  uint8_t list_depth = 0;  // of a kernel over lists of tensors: how many lists; see tensor_list.h
  bool list_has_steps = false;
};

GPUSTALL_SIM_API void register_kernel(const void* host_stub, const char* name);
// Null when the address is no registered stub.
GPUSTALL_SIM_API Kernel* find_kernel(const void* host_stub);
// A kernel known by name only; created when new.
GPUSTALL_SIM_API Kernel* named_kernel(const char* name);
// Copies the name and reads its traits, once.
GPUSTALL_SIM_API void study(Kernel& kernel);

}  // namespace simgpu
