// A record that waits for delivery, in our own compact form, and its encoding as CUPTI's struct.
// Encoding happens at delivery, because only then is the time line known that device times are
// mapped by.
#pragma once
#include <cstdint>
#include <variant>

#include "entry.h"

namespace simgpu::cupti {

struct DeviceWork {  // kernel, copy, set, graph, sync, overhead: times still in device nanoseconds
  Activity activity;
  uint64_t queued_stamp;  // record time of the submission; 0 unless latency timestamps are on
  uint32_t thread_id;
  int64_t grid_id;
};
struct ApiWork {  // RUNTIME and DRIVER kinds: stamped on the host, in record time already
  uint32_t cbid, thread_id, correlation, result;
  uint64_t start, end;
};
struct ExternalWork {
  CUpti_ExternalCorrelationKind kind;
  uint64_t id;
  uint32_t correlation;
};
struct ContextWork {
  uint32_t context, device;
};
struct StreamWork {
  uint32_t context, stream;
};

struct PendingRecord {
  CUpti_ActivityKind kind;
  int64_t ready_ns;  // device time from which the record is complete
  std::variant<DeviceWork, ApiWork, ExternalWork, ContextWork, StreamWork> body;
};

// The times of one record as they will be written; faults and forced flushes change them.
struct RecordTimes {
  uint64_t start, end;
};

// Zero for records without times of their own.
RecordTimes times_of(const PendingRecord& record);

// Writes record_size(record.kind) bytes to `out`.
void encode(const PendingRecord& record, const RecordTimes& times, uint8_t* out);

}  // namespace simgpu::cupti
