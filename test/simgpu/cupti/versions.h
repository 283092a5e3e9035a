// What differs between CUPTI versions in the records: sizes in bytes, which are also the strides of
// a buffer, and the number that cuptiGetVersion tells. The fields at equal offsets are equal in all
// of them, so a record of an older version is a prefix of a newer one (checked in records.cpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simgpu::cupti {

struct VersionProfile {
  std::string_view name;
  uint32_t api_version;
  uint16_t kernel, memcpy, memcpy_p2p, memset, sync, graph_trace, overhead, context;
  bool per_thread_buffers;    // the default of CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER
  bool null_buffer_is_fatal;  // before 12.9 a null from the buffer-requested callback ended the
                              // process
};

// The emulated version: the setting "version=", else the one that this library was built as.
const VersionProfile& profile();
void select_profile();  // looks the setting up again: at the load, and in tests
const VersionProfile* find_profile(std::string_view name);

// The stride of a record of this CUpti_ActivityKind, 0 for kinds that are not modelled.
size_t record_size(uint32_t kind);

}  // namespace simgpu::cupti
