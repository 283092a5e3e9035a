// A Recording from text, one line per thing; the input of the analysis' golden tests.
//
//   process 100 trainer rank=0            # later lines belong to it; without one: 100 trainer
//   device 0 name="Test GPU" uuid=GPU-0   # optional
//   clock 1000us 1010us                   # device time, host time: a reading; none: one clock
//   thread main                           # later host lines belong to it
//   queue 7 device=0                      # later device lines go to this stream
//   call cudaLaunchKernel 10us 12us corr=1 | train.py:10 main; model.py:3 forward
//   call cudaMemcpyAsync 20us +30us corr=2 bytes=4 kind=d2h native="at::_ops::item; THPFunction"
//   wait sem_wait 20us +1ms object=semaphore:q waker=pin@900us result=0 | data.py:5 next
//   range step 0us 100us kind=nvtx domain=my
//   sample 15us state=running cpu=1ms gil=1 | train.py:11 main
//   kernel gemm 15us +25us corr=1
//   memcpy h2d 50us +10us corr=3 bytes=1000 src=pinned
//   memset 61us +1us corr=4
//   graph 70us +1ms corr=5
//   launch gemm 10us 12us 15us +25us | train.py:10 main    # call and kernel, joined
//
// Times: integers or decimals with ns, us, ms or s; `+` = after the line's time before. A stack
// follows `|`, outermost frame first. `#` starts a comment. Errors throw with the line's number.
#pragma once
#include <string_view>

#include "test/builder/recording_builder.h"

namespace gpustall::test {

Recording recording_of(std::string_view text);
// The same into a builder that the test goes on with.
void add_text(RecordingBuilder& builder, std::string_view text);

TraceTime time_of(std::string_view text);

}  // namespace gpustall::test
