// cuptiActivityGetAttribute / SetAttribute: values are kept and given back with the real defaults;
// only the choice of per-thread buffers has an effect, because the modelled device has no buffers
// of its own.
#include <cstring>
#include <mutex>

#include "entry.h"
#include "queue.h"
#include "versions.h"

namespace simgpu::cupti {
namespace {

struct Attribute {
  CUpti_ActivityAttribute id;
  size_t bytes;
  uint64_t value;
};

std::mutex g_mutex;
Attribute g_attributes[] = {
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, sizeof(size_t), 3'200'000},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP, sizeof(size_t), 8'388'608},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, sizeof(size_t), 250},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE, sizeof(size_t), 25'000},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, sizeof(size_t), 250},
    {CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, sizeof(uint8_t), 0},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, sizeof(size_t), 3},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE, sizeof(size_t), 3},
    {CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, sizeof(uint8_t), 0},
    {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, sizeof(uint8_t), 0},
};

Attribute* find(CUpti_ActivityAttribute id) {
  for (Attribute& attribute : g_attributes) {
    if (attribute.id == id) return &attribute;
  }
  return nullptr;
}

}  // namespace
}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute id, size_t* size, void* value) {
  GPUSTALL_CUPTI_GATE();
  const std::lock_guard lock(g_mutex);
  const Attribute* attribute = find(id);
  if (attribute == nullptr || size == nullptr || value == nullptr)
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  if (*size < attribute->bytes) return leave(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
  uint64_t current = attribute->value;
  if (id == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) current = per_thread_queues() ? 1 : 0;
  std::memcpy(value, &current, attribute->bytes);  // little-endian: the low bytes
  *size = attribute->bytes;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute id, size_t* size, void* value) {
  GPUSTALL_CUPTI_GATE();
  const std::lock_guard lock(g_mutex);
  Attribute* attribute = find(id);
  if (attribute == nullptr || size == nullptr || value == nullptr)
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  if (*size < attribute->bytes) return leave(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
  attribute->value = 0;
  std::memcpy(&attribute->value, value, attribute->bytes);
  if (id == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER)
    set_per_thread_queues(attribute->value != 0);
  return leave(CUPTI_SUCCESS);
}
