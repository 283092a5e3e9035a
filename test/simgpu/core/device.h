// The modelled machine: devices with their streams and copy engines, events.
// One lock (timeline_lock) guards every field marked [T]; it is never held while waiting or calling
// out.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "export.h"
#include "futex_lock.h"
#include "small_reads.h"

namespace simgpu {

struct Capture;
struct GraphNode;
struct Device;

// One place of the timeline; see timeline.cpp.
enum class Engine : uint8_t { Compute, HostToDevice, DeviceToHost, None };

struct Stream {
  static constexpr uint32_t kMagic = 0x57524D31;
  uint32_t magic = kMagic;
  uint32_t id = 0;  // as CUPTI shows it
  Device* device = nullptr;
  uint32_t flags = 0;  // cudaStreamNonBlocking = 1
  int priority = 0;
  bool legacy = false;  // the default stream: waits for, and holds up, every blocking stream

  int64_t tail_ns = 0;                   // [T] end of the last work
  int64_t floor_ns = 0;                  // [T] no new work starts before (waited events)
  uint64_t submitted = 0;                // [T]
  std::vector<int64_t> ends;             // [T] ring of the last settings().queue ends
  SmallReads small_reads;                // [T]
  Capture* capture = nullptr;            // [T] recording a graph
  std::vector<GraphNode*> capture_tail;  // [T] what the next captured node depends on
};

struct Event {
  static constexpr uint32_t kMagic = 0x45564E31;
  uint32_t magic = kMagic;
  uint32_t id = 0;
  uint32_t flags = 0;             // cudaEventDisableTiming = 2
  bool recorded = false;          // [T]
  int64_t time_ns = 0;            // [T] moment at which it completes
  uint32_t stream_id = 0;         // [T]
  Capture* capture = nullptr;     // [T] recorded while capturing
  std::vector<GraphNode*> nodes;  // [T]
};

struct Device {
  uint32_t ordinal = 0;
  uint32_t context_uid = 0;      // 1..
  bool context_created = false;  // [T]
  Stream legacy;
  std::vector<Stream*> streams;     // [T] created ones, the legacy stream not among them
  uint32_t next_stream_id = 13;     // [T]
  int64_t engine_tail_ns[2] = {};   // [T] copy engines: a direction does one copy at a time
  void* context() { return this; }  // stands for CUcontext
};

GPUSTALL_SIM_API FutexLock& timeline_lock();
GPUSTALL_SIM_API uint32_t device_count();
GPUSTALL_SIM_API Device& device_at(uint32_t ordinal);
GPUSTALL_SIM_API uint32_t current_device();  // of this thread
GPUSTALL_SIM_API void set_current_device(uint32_t ordinal);
// Creates the context on first use, which takes settings().context_ns.
GPUSTALL_SIM_API Device& ready_device(uint32_t ordinal);
inline Device& ready_device() {
  return ready_device(current_device());
}

GPUSTALL_SIM_API Stream* create_stream(Device&, uint32_t flags, int priority);
GPUSTALL_SIM_API int destroy_stream(Stream*);
// Maps a handle of the program (null, the two special values, a stream) to the stream; null when it
// is none. Creates the context of the current device when a default stream is meant.
GPUSTALL_SIM_API Stream* resolve_stream(const void* handle, bool null_is_per_thread = false);

GPUSTALL_SIM_API Event* create_event(uint32_t flags);
GPUSTALL_SIM_API Event* resolve_event(const void* handle);
GPUSTALL_SIM_API int destroy_event(Event*);

}  // namespace simgpu
