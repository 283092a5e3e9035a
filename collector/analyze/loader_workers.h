// What the DataLoader's worker processes did while a batch was waited for: the worker that owed it
// (the one whose write into the pipe ended the wait), and its main thread's states. Batches are
// handed out in order: while another worker has nothing left to do, a later batch is ready.
#pragma once
#include <unordered_map>

#include "collector/analyze/host_piece.h"
#include "collector/analyze/stack_facts.h"
#include "collector/analyze/thread_segments.h"

namespace gpustall::collect {

class LoaderWorkers {
 public:
  LoaderWorkers(const Recording& recording, const StackFacts& facts,
                const ThreadSegments& segments);

  // [start, end) inside wait `wait` of a thread of `process` on its workers' queue.
  void explain(ProcessIndex process, uint32_t wait, TraceTime start, TraceTime end,
               HostPieces& out) const;
  bool has_workers(ProcessIndex process) const { return !workers_[raw(process)].empty(); }

  struct Worker {
    ProcessIndex process{};
    ThreadIndex main = kNone<ThreadIndex>;
    TraceTime ready = INT64_MIN;  // began to fetch, or to wait for something to fetch
  };
  const std::vector<Worker>& workers(ProcessIndex process) const { return workers_[raw(process)]; }
  // The most that there were at once: each epoch may have workers of its own.
  uint32_t at_once(ProcessIndex process) const;
  // The end of the last time in [from, to) at which no worker had anything to do: the loader was
  // not what the run waited for. INT64_MIN: there was none.
  TraceTime last_all_idle(ProcessIndex process, TraceTime from, TraceTime to) const;
  // The stack of a worker between two batches.
  bool waits_for_index(StackId stack) const;
  // The states of one worker's main thread in an interval, whoever waits for it.
  void states(const Worker& worker, TraceTime start, TraceTime end, StackId waiting,
              HostPieces& out) const;

 private:
  struct Interval {
    TraceTime start, end;
  };
  struct Write {
    TraceTime end;
    ProcessIndex process;
  };
  const Worker* owing(ProcessIndex process, uint32_t wait, TraceTime start, TraceTime end) const;
  void emit(const Worker& worker, HostPiece piece, StackId waiting, HostPieces& out) const;
  void find_cpu_samples(ThreadIndex thread);
  TraceTime first_fetch(const Worker& worker) const;
  bool waits_for_sender(uint32_t wait) const;
  HostPiece of_wait(uint32_t wait) const;
  HostPiece of_cpu(const Worker& worker, TraceTime start, TraceTime end) const;
  bool is_alive(const Worker& worker, TraceTime at) const;
  bool is_idle(const Worker& worker, TraceTime at) const;
  bool starves(const Worker& worker, TraceTime start, TraceTime end, bool sending) const;
  std::vector<Interval> later_batch_ready(ProcessIndex process, const Worker& owing,
                                          TraceTime start, TraceTime end) const;

  const Recording& r_;
  const StackFacts& facts_;
  const ThreadSegments& segments_;
  std::vector<std::vector<Worker>> workers_;                    // by parent process
  std::unordered_map<uint64_t, std::vector<Write>> into_pipe_;  // by inode, by time
  std::vector<ThreadIndex> sender_;     // by process: a worker's thread that writes into pipes
  std::vector<uint32_t> first_sample_;  // by thread
  std::vector<std::vector<uint32_t>> cpu_samples_;  // by thread: those outside of waits
};

}  // namespace gpustall::collect
