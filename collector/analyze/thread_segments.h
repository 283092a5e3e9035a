// What each thread was seen doing: its calls, waits and forks as one sequence without overlaps. Of
// nested events the outer one stands (a wait inside a CUDA call belongs to the call). Between two
// segments the thread is on the CPU, as far as is known.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/recording.h"

namespace gpustall::collect {

enum class SegmentKind : uint8_t { Call, Wait, Fork };

struct ThreadSegments {
  std::vector<uint32_t> first;  // by thread; threads + 1 entries
  std::vector<TraceTime> start, end;
  std::vector<SegmentKind> kind;
  std::vector<uint32_t> index;  // into calls, waits or forks
  std::vector<StackId> stack;
  std::vector<uint32_t> last_stacked, next_stacked;  // nearest with a stack, itself included
  std::vector<uint32_t> of_call;  // by call: its segment, or that of the event around it

  // The first segment of the thread that ends after `time`; first[thread + 1] if there is none.
  uint32_t at(ThreadIndex thread, TraceTime time) const;
  // The same, found fast where it lies near segment `near` of the thread.
  uint32_t at(ThreadIndex thread, TraceTime time, uint32_t near) const;
};

ThreadSegments build_segments(const Recording& recording);

}  // namespace gpustall::collect
