// cuptiGetContextId, GetStreamId, GetDeviceId: small maps under one lock, far from any hot path (a
// device is learnt once per context).
#include "identity.h"

#include <atomic>
#include <map>
#include <mutex>

#include "entry.h"

namespace simgpu::cupti {
namespace {

constexpr uint32_t kDefaultStream = 7;  // as observed on the real library

struct Stream {
  void* context;
  uint32_t uid;
};

struct Maps {
  std::mutex mutex;
  std::map<void*, uint32_t> contexts;
  std::map<void*, Stream> streams;
  std::map<uint32_t, uint32_t> devices;  // context uid -> device
};

Maps& maps() {
  static Maps* value = new Maps;  // lives as long as the process
  return *value;
}

// The last pair written, so that learn_device costs one load per activity.
std::atomic<uint64_t> g_last_device{0};

}  // namespace

void learn_context(void* context, uint32_t uid) {
  const std::lock_guard lock(maps().mutex);
  maps().contexts[context] = uid;
}

void forget_context(void* context) {
  const std::lock_guard lock(maps().mutex);
  maps().contexts.erase(context);
}

void learn_stream(void* context, void* stream, uint32_t uid) {
  const std::lock_guard lock(maps().mutex);
  maps().streams[stream] = {context, uid};
}

void forget_stream(void* stream) {
  const std::lock_guard lock(maps().mutex);
  maps().streams.erase(stream);
}

void learn_device(uint32_t uid, uint32_t device) {
  const uint64_t pair = (uint64_t{uid} << 32) | device;
  if (g_last_device.exchange(pair, std::memory_order_relaxed) == pair) return;
  const std::lock_guard lock(maps().mutex);
  maps().devices[uid] = device;
}

bool context_uid(void* context, uint32_t* uid) {
  const std::lock_guard lock(maps().mutex);
  const auto found = maps().contexts.find(context);
  if (found == maps().contexts.end()) return false;
  *uid = found->second;
  return true;
}

void* context_handle(uint32_t uid) {
  const std::lock_guard lock(maps().mutex);
  for (const auto& [handle, id] : maps().contexts) {
    if (id == uid) return handle;
  }
  return nullptr;
}

void* stream_handle(uint32_t uid) {
  const std::lock_guard lock(maps().mutex);
  for (const auto& [handle, stream] : maps().streams) {
    if (stream.uid == uid) return handle;
  }
  return nullptr;
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  GPUSTALL_CUPTI_GATE();
  if (id == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  return leave(context_uid(context, id) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT);
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t, uint32_t* id) {
  GPUSTALL_CUPTI_GATE();
  if (id == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  const std::lock_guard lock(maps().mutex);
  const auto found = maps().streams.find(stream);
  if (found != maps().streams.end()) {
    if (context != nullptr && found->second.context != context)
      return leave(CUPTI_ERROR_INVALID_STREAM);
    *id = found->second.uid;
    return leave(CUPTI_SUCCESS);
  }
  // Null, legacy and per-thread names of the default stream: the model has one default stream.
  if (reinterpret_cast<uintptr_t>(stream) <= 2) return leave((*id = kDefaultStream, CUPTI_SUCCESS));
  return leave(CUPTI_ERROR_INVALID_STREAM);
}

CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* id) {
  return cuptiGetStreamIdEx(context, stream, 0, id);
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  GPUSTALL_CUPTI_GATE();
  if (id == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  uint32_t uid = 0;
  if (context != nullptr && !context_uid(context, &uid)) return leave(CUPTI_ERROR_INVALID_DEVICE);
  const std::lock_guard lock(maps().mutex);
  const auto found = maps().devices.find(uid);
  *id = found == maps().devices.end()
            ? 0
            : found->second;  // no work yet, or "current": the first device
  return leave(CUPTI_SUCCESS);
}
