// The seam of ../../core/api_scope.h without the model behind it: the test says what happens and
// when, and can move the device clock forward.
#pragma once
#include "test/simgpu/core/api_scope.h"

namespace simgpu::test {

void advance_clock(int64_t ns);
void resource(ResourceEvent event, void* context, uint32_t uid, void* handle, uint32_t stream_uid);

// A kernel from `begin` ns to `end` ns after now.
Activity kernel(int64_t begin, int64_t end, const char* name = "_Z4testv");

}  // namespace simgpu::test
