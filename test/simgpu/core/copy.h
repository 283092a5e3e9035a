// Copies and memsets.
#pragma once
#include <cstddef>

#include "export.h"

namespace simgpu {

struct Stream;

struct CopyRequest {
  void* to = nullptr;
  const void* from = nullptr;
  size_t row_bytes = 0, rows = 1, to_pitch = 0, from_pitch = 0;
  Stream* stream = nullptr;
  const void* stream_handle = nullptr;
  bool async = true;       // the synchronous calls wait for what real ones wait for
  bool to_symbol = false;  // to a device variable whose memory is not in the memory map
};

struct SetRequest {
  void* to = nullptr;
  unsigned char value = 0;
  size_t row_bytes = 0, rows = 1, pitch = 0;
  Stream* stream = nullptr;
  const void* stream_handle = nullptr;
  bool async = true;
};

GPUSTALL_SIM_API int copy(const CopyRequest&);
GPUSTALL_SIM_API int set_memory(const SetRequest&);

}  // namespace simgpu
