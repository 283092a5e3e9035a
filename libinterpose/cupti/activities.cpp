// Buffer callbacks. bufferCompleted may run on any thread, also with CUPTI's locks held: it copies
// and returns, no CUPTI call but the iterator and the clock, no lock, no log.
#include "libinterpose/cupti/activities.h"

#include <atomic>

#include "libinterpose/cupti/buffer_pool.h"
#include "libinterpose/cupti/device_clock.h"
#include "libinterpose/cupti/record_decoder.h"
#include "libinterpose/cupti/session.h"
#include "libinterpose/recorder.h"

namespace gpustall::interpose::cupti {
namespace {

std::atomic<CUpti_BuffersCallbackRequestFunc> g_program_request{nullptr};
std::atomic<CUpti_BuffersCallbackCompleteFunc> g_program_complete{nullptr};
std::atomic<bool> g_to_program{false};

// The helper's guard during a flush, and whose it is. Only the helper's thread may use it.
HookGuard* g_flush_guard = nullptr;
std::atomic<ThreadState*> g_flush_thread{nullptr};

uint64_t count_records(uint8_t* buffer, size_t valid) noexcept {
  uint64_t count = 0;
  CUpti_Activity* record = nullptr;
  while (api().ActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) ++count;
  return count;
}

void take_records(HookGuard* guard, CUcontext context, uint32_t stream, uint8_t* buffer,
                  size_t valid) noexcept {
  if (guard == nullptr) {  // recording is over, or we are inside our own code
    if (valid != 0) count_loss(trace::LossKind::AfterExit, count_records(buffer, valid));
    return;
  }
  if (valid != 0) {
    decode_buffer(*guard, buffer, valid);
    sample_device_clock(*guard);
  }
  count_dropped(context, stream);
}

}  // namespace

FlushScope::FlushScope(HookGuard& guard) noexcept {
  g_flush_guard = &guard;
  g_flush_thread.store(tls_thread, std::memory_order_release);
}
FlushScope::~FlushScope() noexcept {
  g_flush_thread.store(nullptr, std::memory_order_release);
  g_flush_guard = nullptr;
}

void CUPTIAPI buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) noexcept {
  if (g_to_program.load(std::memory_order_acquire)) {
    if (auto request = g_program_request.load(std::memory_order_acquire))
      return request(buffer, size, max_records);
  }
  *buffer = take_buffer();
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size,
                               size_t valid) noexcept {
  if (!is_our_buffer(buffer)) {
    if (auto complete = g_program_complete.load(std::memory_order_acquire))
      complete(context, stream, buffer, size, valid);
    return;
  }
  if (g_flush_thread.load(std::memory_order_acquire) == tls_thread && tls_thread != nullptr) {
    take_records(g_flush_guard, context, stream, buffer, valid);
  } else {
    // A buffer of a window that has closed meanwhile still belongs to it.
    HookGuard guard{HookGuard::AnyWindow{}};
    take_records(guard.recording() ? &guard : nullptr, context, stream, buffer, valid);
  }
  return_buffer(buffer);
}

void set_program_buffers(CUpti_BuffersCallbackRequestFunc request,
                         CUpti_BuffersCallbackCompleteFunc complete) noexcept {
  g_program_request.store(request, std::memory_order_release);
  g_program_complete.store(complete, std::memory_order_release);
}

void route_buffers_to_program(bool to_program) noexcept {
  g_to_program.store(to_program, std::memory_order_release);
}

void count_dropped(CUcontext context, uint32_t stream) noexcept {
  size_t dropped = 0;
  if (api().ActivityGetNumDroppedRecords == nullptr) return;
  if (api().ActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
      dropped != 0)
    count_loss(trace::LossKind::CuptiDropped, dropped);
}

}  // namespace gpustall::interpose::cupti
