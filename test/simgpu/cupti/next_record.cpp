// cuptiActivityGetNextRecord: walks a buffer by the strides of the emulated version.
#include "entry.h"
#include "versions.h"

using namespace simgpu::cupti;

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes,
                                       CUpti_Activity** record) {
  GPUSTALL_CUPTI_GATE();
  if (buffer == nullptr || record == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  uint8_t* next = buffer;
  if (*record != nullptr) {
    const size_t stride = record_size((*record)->kind);
    if (stride == 0) return leave(CUPTI_ERROR_INVALID_KIND);
    next = reinterpret_cast<uint8_t*>(*record) + stride;
  }
  const auto used = static_cast<size_t>(next - buffer);
  if (used >= valid_bytes) return leave(CUPTI_ERROR_MAX_LIMIT_REACHED);
  auto* found = reinterpret_cast<CUpti_Activity*>(next);
  const size_t size = record_size(found->kind);
  if (size == 0 || used + size > valid_bytes) return leave(CUPTI_ERROR_INVALID_KIND);
  *record = found;
  return leave(CUPTI_SUCCESS);
}
