// Handles to the ids that records carry: contexts, streams, devices. Learnt from the resource
// events of the seam (from the load of this library on, subscribed or not) and from the activities.
#pragma once
#include <cstdint>

namespace simgpu::cupti {

void learn_context(void* context, uint32_t uid);
void forget_context(void* context);
void learn_stream(void* context, void* stream, uint32_t uid);
void forget_stream(void* stream);
void learn_device(uint32_t context_uid, uint32_t device);

bool context_uid(void* context, uint32_t* uid);
void* context_handle(uint32_t uid);  // null when unknown
void* stream_handle(uint32_t uid);   // null for the default stream, and when unknown

}  // namespace simgpu::cupti
