// The columns of every event table of a Recording, listed once: for sorting, merging, reserving.
// A column that is missing here would be torn from its rows by the first sort.
#pragma once
#include "collector/recording.h"

namespace gpustall::collect {

template <typename F>
void each_column(Activities& t, F&& f) {
  f(t.kind), f(t.queue), f(t.start), f(t.end), f(t.correlation), f(t.name), f(t.bytes);
  f(t.copy_kind), f(t.src_kind), f(t.dst_kind);
}

template <typename F>
void each_column(Calls& t, F&& f) {
  f(t.thread), f(t.call), f(t.start), f(t.end), f(t.correlation), f(t.stack), f(t.native_stack);
  f(t.stream), f(t.object), f(t.bytes), f(t.copy_kind), f(t.result), f(t.name);
}

template <typename F>
void each_column(Waits& t, F&& f) {
  f(t.thread), f(t.wait), f(t.start), f(t.end), f(t.object), f(t.result), f(t.stack);
  f(t.native_stack), f(t.waker), f(t.waker_time);
}

template <typename F>
void each_column(Ranges& t, F&& f) {
  f(t.thread), f(t.kind), f(t.start), f(t.end), f(t.domain), f(t.name);
}

template <typename F>
void each_column(Samples& t, F&& f) {
  f(t.thread), f(t.time), f(t.stack), f(t.state), f(t.cpu_ns), f(t.runnable_ns), f(t.major_faults);
  f(t.flags), f(t.minor_faults), f(t.system_ns);
}

template <typename F>
void each_column(Counters& t, F&& f) {
  f(t.process), f(t.time), f(t.key), f(t.value);
}

}  // namespace gpustall::collect
