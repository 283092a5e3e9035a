// See queue.h. Queues are never freed: the worker walks them while threads come and go; a queue of
// a thread that ended is taken over by the next new thread.
#include "queue.h"

#include <algorithm>

#include "buffers.h"
#include "settings.h"
#include "versions.h"
#include "worker.h"

namespace simgpu::cupti {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<RecordQueue*> all, free;
  RecordQueue shared;
  bool per_thread = profile().per_thread_buffers;
  Registry() { all.push_back(&shared); }
};

Registry& registry() {
  static Registry* value = new Registry;  // lives as long as the process
  return *value;
}

struct ThreadSlot {
  RecordQueue* queue = nullptr;
  ~ThreadSlot() {
    if (queue == nullptr) return;
    const std::lock_guard lock(registry().mutex);
    registry().free.push_back(queue);
    queue = nullptr;
  }
};
thread_local ThreadSlot t_slot;

// Whether this much makes the buffer one that is handed back: not even a kernel's record would
// follow.
bool fills(const ClientBuffer& buffer, size_t bytes, size_t records) {
  if (records == 0) return false;
  if (buffer.max_records != 0 && buffer.records + records >= buffer.max_records) return true;
  return !buffer.fits(bytes + record_size(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

}  // namespace

void RecordQueue::push(PendingRecord record) {
  bool ask = false, full = false;
  {
    const std::lock_guard lock(mutex_);
    pending_bytes_ += record_size(record.kind);
    pending_.push_back(std::move(record));
    ask = buffer_.data == nullptr && !buffer_away_;
    if (ask) buffer_away_ = true;
    full = !ask && !buffer_away_ && (!buffer_.fits(pending_bytes_) || settings().storm != 0);
  }
  // The first buffer is asked for here, on the thread that submits work: Kineto flushes only if it
  // has been asked before.
  if (ask) {
    const ClientBuffer buffer = request_buffer();
    give_back(buffer);
    if (buffer.data == nullptr) drop_pending();
  }
  if (full) worker().wake();
}

void RecordQueue::return_records(std::vector<PendingRecord>& records) {
  const std::lock_guard lock(mutex_);
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    pending_bytes_ += record_size(record->kind);
    pending_.push_front(std::move(*record));
  }
}

RecordQueue::Batch RecordQueue::take_ready(Want want, int64_t now_ns) {
  Batch batch;
  std::deque<PendingRecord> all;
  {
    // Sorting out happens without the lock: a submitting thread waits for a swap at most.
    const std::lock_guard lock(mutex_);
    if (buffer_away_ ||
        (want == Want::FullBuffers && !fills(buffer_, pending_bytes_, pending_.size())))
      return batch;
    std::swap(all, pending_);
    pending_bytes_ = 0;
    std::swap(batch.buffer, buffer_);
    buffer_away_ = true;
  }
  const int64_t deadline = now_ns - settings().late_ns;
  std::vector<PendingRecord> kept;
  size_t bytes = 0;
  for (PendingRecord& record : all) {
    const bool ready = want == Want::Everything || record.ready_ns <= deadline;
    if (ready) bytes += record_size(record.kind);
    (ready ? batch.records : kept).push_back(std::move(record));
  }
  return_records(kept);
  batch.taken = want != Want::FullBuffers || fills(batch.buffer, bytes, batch.records.size());
  if (!batch.taken) {
    return_records(batch.records);
    give_back(batch.buffer);
  }
  return batch;
}

void RecordQueue::give_back(const ClientBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  buffer_ = buffer;
  buffer_away_ = false;
}

void RecordQueue::drop_pending() {
  const std::lock_guard lock(mutex_);
  count_dropped(pending_.size());
  pending_.clear();
  pending_bytes_ = 0;
}

void RecordQueue::clear() {
  ClientBuffer buffer;
  {
    const std::lock_guard lock(mutex_);
    pending_.clear();
    pending_bytes_ = 0;
    std::swap(buffer, buffer_);
  }
  complete_buffer(buffer);
}

RecordQueue& queue_of_this_thread() {
  Registry& r = registry();
  if (!per_thread_queues()) return r.shared;
  if (t_slot.queue != nullptr) return *t_slot.queue;
  const std::lock_guard lock(r.mutex);
  if (r.free.empty()) {
    t_slot.queue = new RecordQueue;
    r.all.push_back(t_slot.queue);
  } else {
    t_slot.queue = r.free.back();
    r.free.pop_back();
  }
  return *t_slot.queue;
}

std::vector<RecordQueue*> all_queues() {
  const std::lock_guard lock(registry().mutex);
  return registry().all;
}

void set_per_thread_queues(bool on) {
  const std::lock_guard lock(registry().mutex);
  registry().per_thread = on;
}

bool per_thread_queues() {
  return registry().per_thread;
}

}  // namespace simgpu::cupti
