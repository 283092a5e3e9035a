// Host functions on streams (cudaLaunchHostFunc, cudaStreamAddCallback): really called, at their
// modelled moment, on one thread of the device.
#pragma once
#include <cstdint>

namespace simgpu {

void queue_host_call(int64_t when_ns, void (*call)(void*), void* user);
// Returns when every call that is due before the moment has returned. Not to be called from a host
// function.
void wait_for_host_calls(int64_t until_ns);

}  // namespace simgpu
