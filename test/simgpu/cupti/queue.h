// Records on their way to the client. Each thread that submits work has a queue (one for all
// threads where the client or the version turns per-thread buffers off), and each queue holds at
// most one client buffer.
//
//   application thread: push() ── asks for the queue's first buffer itself, never waits for a
//   delivery worker / FlushAll:  take_ready() ── completed records and the buffer ── encode ──
//   buffer completed
//
// The lock of a queue is never held while the client's code runs.
#pragma once
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "records.h"

namespace simgpu::cupti {

struct BufferCallbacks {
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
};

// Memory lent by the client; goes back through the functions that it was asked from, even when
// another client has registered its own since.
struct ClientBuffer {
  uint8_t* data = nullptr;
  size_t size = 0, used = 0;
  size_t records = 0, max_records = 0;  // 0 = no limit
  BufferCallbacks owner;

  bool fits(size_t bytes) const {
    return data != nullptr && used + bytes <= size && (max_records == 0 || records < max_records);
  }
};

class RecordQueue {
 public:
  void push(PendingRecord record);

  enum class Want : uint8_t { FullBuffers, Completed, Everything };
  struct Batch {
    std::vector<PendingRecord> records;
    ClientBuffer buffer;
    bool taken = false;  // false: nothing to deliver, the buffer stayed here
  };
  // Records complete at `now_ns`, in the order of their submission. Afterwards the caller owns the
  // buffer and hands the queue its next one (or none) by give_back.
  Batch take_ready(Want want, int64_t now_ns);
  void give_back(const ClientBuffer& buffer);
  void clear();  // cuptiFinalize: forgets records; the buffer is handed back

 private:
  void drop_pending();  // nobody lends a buffer: records are lost, and counted
  void return_records(std::vector<PendingRecord>&);  // to the front, before what came meanwhile

  std::mutex mutex_;
  std::deque<PendingRecord> pending_;
  size_t pending_bytes_ = 0;
  ClientBuffer buffer_;
  bool buffer_away_ = false;  // being asked for, or in a delivery
};

// Of the calling thread.
RecordQueue& queue_of_this_thread();
std::vector<RecordQueue*> all_queues();

void set_per_thread_queues(bool on);
bool per_thread_queues();

}  // namespace simgpu::cupti
