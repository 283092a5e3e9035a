// How the core reaches the CUPTI stand-in; see api_scope.h.
#pragma once
#include "api_scope.h"
#include "export.h"

namespace simgpu {

struct Device;

GPUSTALL_SIM_API void announce_resource(ResourceEvent, Device&, void* handle, uint32_t stream_id);

}  // namespace simgpu
