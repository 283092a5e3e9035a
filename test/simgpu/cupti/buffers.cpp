// See buffers.h; also cuptiActivityRegisterCallbacks, FlushAll and GetNumDroppedRecords.
#include "buffers.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "clock.h"
#include "faults.h"
#include "settings.h"
#include "versions.h"
#include "worker.h"

namespace simgpu::cupti {
namespace {

std::mutex g_callbacks_mutex;
BufferCallbacks g_callbacks;
std::mutex g_delivery_mutex;
thread_local bool t_delivering = false;
std::atomic<size_t> g_dropped{0};

BufferCallbacks callbacks() {
  const std::lock_guard lock(g_callbacks_mutex);
  return g_callbacks;
}

// Room for one record, by completing the buffer and asking for the next if need be.
bool make_room(ClientBuffer* buffer, size_t bytes) {
  if (buffer->fits(bytes)) return true;
  complete_buffer(*buffer);
  *buffer = request_buffer();
  return buffer->fits(bytes);
}

void write_records(const std::vector<PendingRecord>& records, ClientBuffer* buffer,
                   int64_t now_ns) {
  for (const PendingRecord& record : records) {
    RecordTimes times = times_of(record);
    if (record.ready_ns > now_ns) times = {0, 0};  // forced out before its end
    if (!apply_faults(record, &times)) {
      count_dropped(1);
      continue;
    }
    const size_t bytes = record_size(record.kind);
    if (!make_room(buffer, bytes)) {
      count_dropped(1);
      continue;
    }
    encode(record, times, buffer->data + buffer->used);
    buffer->used += bytes;
    ++buffer->records;
  }
}

void deliver_queue(RecordQueue* queue, RecordQueue::Want want, int64_t now_ns) {
  RecordQueue::Batch batch = queue->take_ready(want, now_ns);
  if (!batch.taken) return;
  if (settings().shuffle) std::reverse(batch.records.begin(), batch.records.end());
  write_records(batch.records, &batch.buffer, now_ns);
  const bool forced = want == RecordQueue::Want::Everything;
  if (want != RecordQueue::Want::FullBuffers && (batch.buffer.used > 0 || forced)) {
    complete_buffer(batch.buffer);
    batch.buffer = {};
  }
  queue->give_back(batch.buffer);
}

}  // namespace

ClientBuffer request_buffer() {
  ClientBuffer buffer;
  buffer.owner = callbacks();
  if (buffer.owner.requested == nullptr) return buffer;
  buffer.owner.requested(&buffer.data, &buffer.size, &buffer.max_records);
  if (buffer.data == nullptr && profile().null_buffer_is_fatal) {
    std::fprintf(
        stderr,
        "simgpu libcupti: the client returned a null buffer; libcupti before 12.9 crashes here\n");
    std::abort();
  }
  const uint32_t storm = settings().storm;
  if (storm != 0 && (buffer.max_records == 0 || buffer.max_records > storm))
    buffer.max_records = storm;
  if (buffer.data != nullptr) worker().start();
  return buffer;
}

void complete_buffer(const ClientBuffer& buffer) {
  if (buffer.data == nullptr || buffer.owner.completed == nullptr) return;
  const bool outer = t_delivering;
  t_delivering = true;
  buffer.owner.completed(nullptr, 0, buffer.data, buffer.size, buffer.used);
  t_delivering = outer;
}

void deliver(RecordQueue::Want want) {
  const std::lock_guard lock(g_delivery_mutex);
  record_clock().refresh();
  const int64_t now = now_ns();
  for (RecordQueue* queue : all_queues()) deliver_queue(queue, want, now);
}

void count_dropped(size_t records) {
  g_dropped.fetch_add(records, std::memory_order_relaxed);
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  GPUSTALL_CUPTI_GATE();
  if (requested == nullptr || completed == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  const std::lock_guard lock(g_callbacks_mutex);
  g_callbacks = {requested, completed};
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  GPUSTALL_CUPTI_GATE();
  if (callbacks().requested == nullptr || t_delivering) return leave(CUPTI_ERROR_INVALID_OPERATION);
  if (settings().slow_flush_ns > 0) raw_sleep(settings().slow_flush_ns);
  const bool forced = (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
  deliver(forced ? RecordQueue::Want::Everything : RecordQueue::Want::Completed);
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  return cuptiActivityFlushAll(flag);
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  GPUSTALL_CUPTI_GATE();
  if (dropped == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *dropped = g_dropped.exchange(0);
  return leave(CUPTI_SUCCESS);
}
