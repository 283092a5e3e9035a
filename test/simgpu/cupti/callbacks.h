// The four functions that the modelled runtime and driver call; see ../core/api_scope.h.
#pragma once
#include "entry.h"

namespace simgpu::cupti {

void on_api_enter(ApiCall* call);
void on_api_exit(ApiCall* call);
void on_activity(const Activity& activity);
void on_resource(ResourceEvent event, void* context, uint32_t context_uid, void* handle,
                 uint32_t stream_uid);

}  // namespace simgpu::cupti
