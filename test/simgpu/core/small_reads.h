// Kernels compute nothing, yet programs read sizes back that kernels decided (nonzero, unique,
// repeat_interleave). Follows the launches of a stream and says what such a small read returns; see
// settings: count.
#pragma once
#include <cstddef>

namespace simgpu {

struct Kernel;

class SmallReads {
 public:
  void saw(const Kernel&);
  // Overwrites what a device-to-host copy of that many bytes just brought, when a kernel decided
  // it.
  void answer(void* host, size_t bytes);

 private:
  bool count_due_ = false;    // a scan or select ran: the next 4- or 8-byte read is a size
  bool length_read_ = false;  // such a size was read: repeat_interleave then checks its input ...
  bool check_due_ = false;    // ... by an "all" reduction, which is true
};

}  // namespace simgpu
