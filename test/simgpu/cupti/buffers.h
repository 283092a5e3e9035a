// The client's buffers: asking for them, filling them, handing them back. One delivery at a time.
// A client that holds a lock of its own in FlushAll and takes it in its buffer callback can
// deadlock against the worker thread, exactly as with the real library.
#pragma once
#include "queue.h"

namespace simgpu::cupti {

ClientBuffer request_buffer();  // data is null when nobody registered or the client declined
void complete_buffer(const ClientBuffer& buffer);  // no-op for an empty handle

// Delivers from all queues. FullBuffers leaves the last, partly filled buffer with its queue.
void deliver(RecordQueue::Want want);

void count_dropped(size_t records);

}  // namespace simgpu::cupti
