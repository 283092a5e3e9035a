// Memory through the driver.
#include "entry.h"
#include "test/simgpu/core/allocation.h"
#include "test/simgpu/core/copy.h"
#include "test/simgpu/core/device.h"

using namespace simgpu;

namespace {

CUresult run_copy(void* to, const void* from, size_t bytes, CUstream handle, bool async) {
  return core_call([&] {
    CopyRequest request;
    request.to = to;
    request.from = from;
    request.row_bytes = bytes;
    request.stream = resolve_stream(handle);
    request.stream_handle = handle;
    request.async = async;
    return request.stream ? copy(request) : static_cast<int>(kInvalidHandle);
  });
}

CUresult run_set(CUdeviceptr to, unsigned char value, size_t bytes, CUstream handle, bool async) {
  return core_call([&] {
    SetRequest request;
    request.to = as_pointer(to);
    request.value = value;
    request.row_bytes = bytes;
    request.stream = resolve_stream(handle);
    request.stream_handle = handle;
    request.async = async;
    return request.stream ? set_memory(request) : static_cast<int>(kInvalidHandle);
  });
}

int pointer_attribute(void* out, CUpointer_attribute key, CUdeviceptr pointer) {
  const MemoryRange range = find_memory(as_pointer(pointer));
  if (range.kind == MemoryKind::Pageable) return kInvalidValue;
  switch (key) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<void**>(out) = device_at(range.device).context();
      break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(out) =
          on_device(range.kind) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(out) = pointer;
      break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void**>(out) = as_pointer(pointer);
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(out) = range.kind == MemoryKind::Managed;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(out) = static_cast<int>(range.device);
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(out) = range.base;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t*>(out) = range.bytes;
      break;
    default:
      return kNotSupported;
  }
  return kSuccess;
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  return core_call(
      [&] { return allocate(reinterpret_cast<void**>(out), bytes, MemoryKind::Device); });
}
CUresult cuMemFree_v2(CUdeviceptr base) {
  return core_call([&] { return release(as_pointer(base)); });
}
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  return core_call([&] { return allocate_host(out, bytes, flags); });
}
CUresult cuMemAllocHost_v2(void** out, size_t bytes) {
  return core_call([&] { return allocate_host(out, bytes, 0); });
}
CUresult cuMemFreeHost(void* base) {
  return core_call([&] { return release_host(base); });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return run_copy(as_pointer(to), as_pointer(from), bytes, nullptr, false);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return run_copy(as_pointer(to), as_pointer(from), bytes, stream, true);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return run_copy(as_pointer(to), from, bytes, nullptr, false);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return run_copy(as_pointer(to), from, bytes, stream, true);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return run_copy(to, as_pointer(from), bytes, nullptr, false);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return run_copy(to, as_pointer(from), bytes, stream, true);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return run_copy(as_pointer(to), as_pointer(from), bytes, nullptr, false);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return run_copy(as_pointer(to), as_pointer(from), bytes, stream, true);
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes) {
  return run_set(to, value, bytes, nullptr, false);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  return run_set(to, value, bytes, stream, true);
}

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute key, CUdeviceptr pointer) {
  return driver_call(GPUSTALL_DRIVER(cuPointerGetAttribute), nullptr,
                     [&] { return pointer_attribute(out, key, pointer); });
}

}  // extern "C"
