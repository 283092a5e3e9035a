// Synchronisation: host waits for streams, devices and events; streams wait for events; queries.
#pragma once
#include <cstdint>

#include "export.h"

namespace simgpu {

struct Device;
struct Event;
struct Stream;

// Handles are passed along for the parameters that a CUPTI client sees.
GPUSTALL_SIM_API int synchronize_stream(Stream&, const void* handle);
GPUSTALL_SIM_API int synchronize_device(Device&);
GPUSTALL_SIM_API int synchronize_event(Event&);
GPUSTALL_SIM_API int query_stream(Stream&);
GPUSTALL_SIM_API int query_event(const Event&);
GPUSTALL_SIM_API int record_event(Event&, Stream&, const void* stream_handle);
GPUSTALL_SIM_API int stream_wait_event(Stream&, const void* stream_handle, const Event&,
                                       unsigned flags);
GPUSTALL_SIM_API int elapsed_ms(const Event& from, const Event& to, float* ms);
// The moment at which all work of the device is done.
GPUSTALL_SIM_API int64_t device_tail(Device&);

}  // namespace simgpu
