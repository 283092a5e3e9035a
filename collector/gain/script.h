// The recording as a script that can be played again: what each host thread did, in one order that
// respects every dependency (that of the recorded ends), and which device work each call started.
// Built once per analysis; a replay with some causes removed is one pass over it. Of a long
// recording it holds the first steps: as many as are half a million events, a hundred at least.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/analyze/attribute.h"
#include "collector/analyze/call_owner.h"
#include "collector/analyze/host_reader.h"
#include "collector/analyze/thread_segments.h"
#include "collector/cause.h"

namespace gpustall::collect {

// Host time with its owner: on the CPU before an event, or inside a wait.
struct ScriptPiece {
  int64_t ns = 0;
  Cause cause{};
  SiteId site = kNone<SiteId>;
};

enum class ScriptKind : uint8_t {
  Host,    // takes its recorded time
  Launch,  // starts device work; may be held back by a full launch queue
  Block,   // returns only when device work is done (and may itself start some: a blocking copy)
  Record,  // of an event
  StreamWait,
  Wait,  // libc; ends by another thread, by a loader, by somebody unrecorded, or by itself
};

enum class WaitEnd : uint8_t { Itself, Thread, Outside, Loader };
enum class BlockOn : uint8_t { Everything, Queue, Event, Own };

struct ScriptEvent {
  TraceTime start = 0, end = 0;  // host clock, as recorded
  ThreadIndex thread{};
  ScriptKind kind = ScriptKind::Host;
  WaitEnd wait_end = WaitEnd::Itself;
  BlockOn block_on = BlockOn::Everything;
  bool waited = false;                   // Block: in the recording it really waited
  Cause cause = Cause::UnknownUntraced;  // owner of the event itself (calls)
  SiteId site = kNone<SiteId>;
  uint32_t first_cpu = 0, first_inside = 0,
           pieces_end = 0;                // pieces: [first_cpu, first_inside) before, then inside
  uint32_t first_work = 0, work_end = 0;  // device work started by it
  uint32_t queue = 0;                     // StreamWait, Record, Block on a queue
  uint64_t object = 0;                    // event
  ThreadIndex waker = kNone<ThreadIndex>;
  TraceTime waker_time = 0;
  int64_t cost = 0;     // host time of its own: without waiting for the launch queue
  int64_t wake_ns = 0;  // Block that waited: from the device's end to the call's
};

struct ScriptWork {
  uint32_t activity = 0;
  uint32_t queue = 0;
  int64_t duration = 0;
  // To the start on an idle queue: from the call's exit, of a blocking call from its entry.
  int64_t latency = 0;
  int64_t spacing = 0;                  // to the work before it on a busy queue
  Cause copy = Cause::UnknownUntraced;  // a copy's cause when nothing overlaps it
  bool fuses = false;                   // pointwise, launched in a loop: see edit.h
};

// Of the steps of one process, by boundary. The workers' pieces of step j lie between the
// boundaries j - 1 and j; their waits for work are left out.
struct StepScript {
  ProcessIndex process{};
  ThreadIndex main{};
  std::vector<ThreadIndex> passed_by;  // by boundary; of a long recording the first ones only
  uint32_t workers = 0;
  std::vector<TraceTime> batch_came;  // when a wait for a batch ended in that step; 0: none
  std::vector<uint32_t> first;        // pieces [first[j], first[j + 1])
  std::vector<ScriptPiece> pieces;
};

// A synchronisation whose work is done by then did not wait for it.
constexpr int64_t kFoundDone = 2'000;

struct ReplayScript {
  std::vector<ScriptEvent> events;  // by recorded end
  std::vector<ScriptPiece> pieces;
  std::vector<ScriptWork> work;
  std::vector<int64_t> launch_cost;  // by process: a launch that nothing holds back
  std::vector<int64_t> sync_cost;    // by process: a synchronisation that finds nothing to wait for
  std::vector<int64_t>
      wake_ns;  // by process: usual time from the device's end to the waiting call's
  std::vector<StepScript> steps;  // one per training process with steps
  std::vector<Site> sites;
  uint32_t queues = 0;
  std::vector<uint32_t> queue_depth;  // by queue: launches that it takes before calls are held back
  double pinned_rate = 0;             // bytes per ns from pinned memory; 0: no large copy was seen
  int64_t least_kernel_ns = 0;        // what a kernel takes that hardly does anything
};

struct ScriptInput {
  const StallInput& base;
  const Stalls& stalls;
  const CallOwners& owners;
  const ThreadSegments& segments;
  const std::vector<LaunchLatency>& latency;
  const std::vector<Steps>& steps;
  const LoaderWorkers& workers;
  HostReader& reader;
};

ReplayScript build_script(const ScriptInput& input);

}  // namespace gpustall::collect
