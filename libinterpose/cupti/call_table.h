// The rows of cupti_callbacks.def by (domain, cbid), and reading a call's parameters through them.
#pragma once
#include <cupti.h>

#include <cstdint>

#include "libinterpose/trace/names.h"

namespace gpustall::interpose::cupti {

// Offsets into the call's params struct; kNone: the call has no such parameter.
inline constexpr int8_t kNone = -1;
struct CallRow {
  uint16_t cbid = 0;
  trace::Call call = trace::Call::None;
  bool per_thread = false;  // a NULL stream means the calling thread's own default stream
  uint8_t copy = 0;         // fixed CUpti_ActivityMemcpyKind
  int8_t stream = kNone;
  int8_t config = kNone;  // pointer to a launch configuration, which holds the stream
  int8_t bytes = kNone;
  int8_t rows = kNone;  // bytes * rows
  int8_t kind = kNone;  // cudaMemcpyKind
  int8_t object = kNone;
};

struct CallTable {
  const CallRow* rows;
  unsigned count;
};
CallTable runtime_calls() noexcept;
CallTable driver_calls() noexcept;

// Null for a call that is not on the list.
const CallRow* find_call(CUpti_CallbackDomain domain, uint32_t cbid) noexcept;

struct CallValues {
  CUstream stream;
  bool has_stream;
  uint64_t bytes, object, copy_kind;
};
// `params` may be null (a stand-in or a call without parameters): all zero then.
CallValues read_params(const CallRow& row, const void* params) noexcept;

}  // namespace gpustall::interpose::cupti
