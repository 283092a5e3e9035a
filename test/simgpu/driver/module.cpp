// Modules, libraries and their functions. An image is never looked into: a function exists as soon
// as it is asked for.
#include "entry.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/hooks.h"
#include "test/simgpu/core/kernel_table.h"

using namespace simgpu;

namespace {

struct Module {
  int unused = 0;
};

template <typename Handle>
int load(Handle* out) {
  Device& device = ready_device();
  Module* module = new Module;
  *out = reinterpret_cast<Handle>(module);
  announce_resource(ResourceEvent::ModuleLoaded, device, module, 0);
  return kSuccess;
}

template <typename Handle>
int find(Handle* out, const char* name) {
  if (!out || !name) return kInvalidValue;
  *out = reinterpret_cast<Handle>(named_kernel(name));
  return kSuccess;
}

int attribute(int* value, CUfunction_attribute key) {
  switch (key) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = 163 << 10;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 80;
      break;
    default:
      *value = 0;
      break;
  }
  return kSuccess;
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char*) {
  return driver_call(GPUSTALL_DRIVER(cuModuleLoad), nullptr, [&] { return load(module); });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  cuModuleLoadData_params params{module, image};
  return driver_call(GPUSTALL_DRIVER(cuModuleLoadData), &params, [&] { return load(module); });
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  cuModuleLoadDataEx_params params{module, image, count, options, values};
  return driver_call(GPUSTALL_DRIVER(cuModuleLoadDataEx), &params, [&] { return load(module); });
}
CUresult cuModuleUnload(CUmodule module) {
  return driver_call(GPUSTALL_DRIVER(cuModuleUnload), nullptr,
                     [&] { return delete reinterpret_cast<Module*>(module), kSuccess; });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  cuModuleGetFunction_params params{function, module, name};
  return driver_call(GPUSTALL_DRIVER(cuModuleGetFunction), &params,
                     [&] { return find(function, name); });
}
CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  return driver_call(GPUSTALL_DRIVER(cuLibraryLoadData), nullptr, [&] { return load(library); });
}
CUresult cuLibraryUnload(CUlibrary library) {
  return driver_call(GPUSTALL_DRIVER(cuLibraryUnload), nullptr,
                     [&] { return delete reinterpret_cast<Module*>(library), kSuccess; });
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char* name) {
  return driver_call(GPUSTALL_DRIVER(cuLibraryGetKernel), nullptr,
                     [&] { return find(kernel, name); });
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return driver_call(GPUSTALL_DRIVER(cuKernelGetFunction), nullptr, [&] {
    *function = reinterpret_cast<CUfunction>(kernel);
    return kSuccess;
  });
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute key, CUfunction) {
  return driver_call(GPUSTALL_DRIVER(cuFuncGetAttribute), nullptr,
                     [&] { return attribute(value, key); });
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return driver_call(GPUSTALL_DRIVER(cuFuncSetAttribute), nullptr, [] { return kSuccess; });
}
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
  return driver_call(GPUSTALL_DRIVER(cuFuncSetCacheConfig), nullptr, [] { return kSuccess; });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int block_size,
                                                     size_t) {
  return driver_call(GPUSTALL_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor), nullptr, [&] {
    *blocks = block_size > 0 ? 2048 / block_size : 0;
    return kSuccess;
  });
}

}  // extern "C"
