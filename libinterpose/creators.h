// Who created a thread: filled by the pthread_create hook in the creator, read when the Thread
// record is written. A small hashed table; a collision forgets the older thread.
#pragma once
#include <cstdint>

namespace gpustall::interpose {

struct Creator {
  uint32_t tid, stack;
};
void note_creator(uint64_t pthread, Creator creator) noexcept;
Creator find_creator(uint64_t pthread) noexcept;  // zeros: unknown

// The pthread key whose destructor frees a thread's state for reuse; made by the constructor, since
// only the first 32 keys of a process need no allocation in pthread_setspecific.
void make_thread_key() noexcept;

}  // namespace gpustall::interpose
