// Reads a window of host time on the thread that should have launched: every nanosecond of it gets
// an owner. Where the thread waits for another one, that one is read in the same interval, at most
// four hops far.
#pragma once
#include "collector/analyze/call_owner.h"
#include "collector/analyze/cpu_time.h"
#include "collector/analyze/loader_workers.h"
#include "collector/analyze/overlay.h"

namespace gpustall::collect {

class HostReader {
 public:
  HostReader(const StallInput& input, const Stalls& stalls, const CallOwners& owners,
             const ThreadSegments& segments, CpuTime& cpu, const LoaderWorkers& workers);

  void read(ThreadIndex thread, TraceTime start, TraceTime end, HostPieces& out) {
    read(thread, start, end, 0, out);
  }
  // A wait for something outside the launching threads (data, another process, a lock): it empties
  // a lead, and is never charged to a synchronisation.
  bool is_outside_wait(uint32_t wait) const;
  // A wait for a batch that is not there yet.
  bool waits_for_loader(uint32_t wait) const {
    return is_outside_wait(wait) && waits_for(wait) == WaitFor::Loader;
  }
  bool launches_kernels(ThreadIndex thread) const { return launching_[raw(thread)]; }

  // The thread between the loader's queue and the workers of its process: what it does is pinning.
  bool is_pin_thread(ThreadIndex thread) const {
    return pin_[raw(r_.threads[raw(thread)].process)] == thread;
  }

 private:
  enum class WaitFor : uint8_t { Itself, Loader, Launcher, Gil, Thread, Process };
  WaitFor waits_for(uint32_t wait) const;
  void read(ThreadIndex thread, TraceTime start, TraceTime end, int hops, HostPieces& out);
  void call(uint32_t segment, TraceTime start, TraceTime end, HostPieces& out);
  void wait(ThreadIndex thread, uint32_t segment, TraceTime start, TraceTime end, int hops,
            HostPieces& out);
  void loader_wait(ThreadIndex thread, uint32_t wait, TraceTime start, TraceTime end, int hops,
                   HostPieces& out);
  void thread_wait(ThreadIndex thread, uint32_t wait, TraceTime start, TraceTime end, int hops,
                   HostPieces& out);
  void blame_lock(size_t from, StackId stack, StringId holder, HostPieces& out) const;
  HostPiece itself(ThreadIndex thread, uint32_t segment, TraceTime start, TraceTime end);
  bool receives(uint32_t wait) const;
  ThreadIndex other_launcher(ThreadIndex thread, uint32_t wait) const;
  ThreadIndex pin_thread(ThreadIndex thread, uint32_t wait) const;
  void find_threads();

  const StallInput& in_;
  const Recording& r_;
  const Stalls& stalls_;
  const CallOwners& owners_;
  const ThreadSegments& segments_;
  CpuTime& cpu_;
  const LoaderWorkers& workers_;
  const Overlays overlays_;
  HostPieces scratch_;
  std::vector<uint32_t> near_;                       // by thread: the segment read last
  std::vector<bool> launching_;                      // by thread
  std::vector<std::vector<ThreadIndex>> launchers_;  // by process, most launches first
  std::vector<ThreadIndex> pin_;                     // by process
};

}  // namespace gpustall::collect
