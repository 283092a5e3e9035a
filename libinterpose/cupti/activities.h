// CUPTI's activity buffers: handing them out, and turning their records into ours.
#pragma once
#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose::cupti {

// The two functions that CUPTI knows as buffer callbacks whenever we are attached. While the
// program uses CUPTI itself they pass its buffers through to its own functions.
void CUPTIAPI buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) noexcept;
void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size,
                               size_t valid) noexcept;

// The program's own buffer callbacks; null: none.
void set_program_buffers(CUpti_BuffersCallbackRequestFunc request,
                         CUpti_BuffersCallbackCompleteFunc complete) noexcept;
// Who gets the next buffers that CUPTI asks for.
void route_buffers_to_program(bool to_program) noexcept;

// Adds CUPTI's own count of dropped records to the losses.
void count_dropped(CUcontext context, uint32_t stream) noexcept;

// On the helper thread, around a flush: buffers that complete inside it use this guard, since the
// helper is "inside our own code" all its life.
class FlushScope {
 public:
  explicit FlushScope(HookGuard&) noexcept;
  ~FlushScope() noexcept;
  FlushScope(const FlushScope&) = delete;
  FlushScope& operator=(const FlushScope&) = delete;
};

}  // namespace gpustall::interpose::cupti
