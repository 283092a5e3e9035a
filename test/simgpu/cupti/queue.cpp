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
  if (ask) give_back(request_buffer());
  if (full) worker().wake();
}

RecordQueue::Batch RecordQueue::take_ready(Want want, int64_t now_ns) {
  Batch batch;
  const int64_t deadline = now_ns - settings().late_ns;
  const std::lock_guard lock(mutex_);
  if (buffer_away_) return batch;
  const auto ready = [&](const PendingRecord& r) {
    return want == Want::Everything || r.ready_ns <= deadline;
  };
  if (want == Want::FullBuffers) {
    size_t bytes = 0, count = 0;
    for (const PendingRecord& r : pending_) {
      if (!ready(r)) continue;
      bytes += record_size(r.kind);
      ++count;
    }
    const bool full = !buffer_.fits(bytes + record_size(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) ||
                      (buffer_.max_records != 0 && buffer_.records + count >= buffer_.max_records);
    if (count == 0 || !full) return batch;
  }
  const auto kept = std::stable_partition(pending_.begin(), pending_.end(), ready);
  batch.records.assign(std::make_move_iterator(pending_.begin()), std::make_move_iterator(kept));
  pending_.erase(pending_.begin(), kept);
  pending_bytes_ = 0;
  for (const PendingRecord& r : pending_) pending_bytes_ += record_size(r.kind);
  batch.buffer = buffer_;
  batch.taken = true;
  buffer_ = {};
  buffer_away_ = true;
  return batch;
}

void RecordQueue::give_back(const ClientBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  buffer_ = buffer;
  buffer_away_ = false;
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
