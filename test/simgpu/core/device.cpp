// Creation and lookup of devices, streams and events. Handles are the objects' addresses, checked
// by a magic number; destroyed objects keep their memory, so that a stale handle is an error and
// never a crash.
#include "device.h"

#include "api_scope.h"
#include "hooks.h"
#include "host_clock.h"
#include "settings.h"
#include "status.h"
#include "visible_devices.h"

namespace simgpu {
namespace {

constexpr uintptr_t kLegacyHandle = 1,
                    kPerThreadHandle = 2;  // cudaStreamLegacy, cudaStreamPerThread
constexpr uint32_t kLegacyStreamId = 7;
constexpr uint32_t kMaxDevices = 8;

std::atomic<uint32_t> g_next_event_id{1};
thread_local uint32_t t_device = 0;
thread_local Stream* t_per_thread[kMaxDevices] = {};

Device* make_devices() {
  Device* devices = new Device[kMaxDevices];
  for (uint32_t i = 0; i < kMaxDevices; ++i) {
    devices[i].ordinal = i;
    devices[i].context_uid = i + 1;
    devices[i].legacy.device = &devices[i];
    devices[i].legacy.id = kLegacyStreamId;
    devices[i].legacy.legacy = true;
    devices[i].legacy.ends.resize(static_cast<size_t>(settings().queue));
  }
  return devices;
}

}  // namespace

FutexLock& timeline_lock() {
  static FutexLock lock;
  return lock;
}

uint32_t device_count() {
  return static_cast<uint32_t>(visible_devices().size());
}

Device& device_at(uint32_t ordinal) {
  static Device* const kDevices = make_devices();
  return kDevices[ordinal];
}

uint32_t current_device() {
  return t_device;
}

void set_current_device(uint32_t ordinal) {
  t_device = ordinal;
}

Device& ready_device(uint32_t ordinal) {
  static FutexLock creation;
  Device& device = device_at(ordinal);
  if (__atomic_load_n(&device.context_created, __ATOMIC_ACQUIRE)) return device;
  LockGuard guard(creation);
  if (device.context_created) return device;
  wait_until(now_ns() + static_cast<int64_t>(settings().context_ns));
  __atomic_store_n(&device.context_created, true, __ATOMIC_RELEASE);
  announce_resource(ResourceEvent::ContextCreated, device, nullptr, 0);
  announce_resource(ResourceEvent::StreamCreated, device, nullptr, kLegacyStreamId);
  return device;
}

Stream* create_stream(Device& device, uint32_t flags, int priority) {
  Stream* stream = new Stream;
  stream->device = &device;
  stream->flags = flags;
  stream->priority = priority;
  stream->ends.resize(static_cast<size_t>(settings().queue));
  {
    LockGuard guard(timeline_lock());
    stream->id = device.next_stream_id;
    device.next_stream_id += 4;
    device.streams.push_back(stream);
  }
  announce_resource(ResourceEvent::StreamCreated, device, stream, stream->id);
  return stream;
}

int destroy_stream(Stream* stream) {
  if (stream->legacy) return kInvalidHandle;
  announce_resource(ResourceEvent::StreamDestroying, *stream->device, stream, stream->id);
  LockGuard guard(timeline_lock());
  std::erase(stream->device->streams, stream);
  stream->magic = 0;
  return kSuccess;
}

Stream* resolve_stream(const void* handle, bool null_is_per_thread) {
  const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  const bool per_thread = value == kPerThreadHandle || (value == 0 && null_is_per_thread);
  if (per_thread) {
    Device& device = ready_device();
    Stream*& own = t_per_thread[device.ordinal];
    if (!own) own = create_stream(device, 0, 0);
    return own;
  }
  if (value == 0 || value == kLegacyHandle) return &ready_device().legacy;
  Stream* stream = static_cast<Stream*>(const_cast<void*>(handle));
  return stream->magic == Stream::kMagic ? stream : nullptr;
}

Event* create_event(uint32_t flags) {
  Event* event = new Event;
  event->flags = flags;
  event->id = g_next_event_id.fetch_add(1);
  return event;
}

Event* resolve_event(const void* handle) {
  Event* event = static_cast<Event*>(const_cast<void*>(handle));
  return event && event->magic == Event::kMagic ? event : nullptr;
}

// torch creates and destroys events at a high rate through its pools; the leak is 100 bytes each.
int destroy_event(Event* event) {
  LockGuard guard(timeline_lock());
  event->magic = 0;
  event->nodes.clear();
  event->nodes.shrink_to_fit();
  return kSuccess;
}

}  // namespace simgpu
