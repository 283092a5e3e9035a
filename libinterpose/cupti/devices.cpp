// Reads device properties through cuDevice*, which need no context and touch no device state.
#include "libinterpose/cupti/devices.h"

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libinterpose/cupti/cupti_api.h"
#include "libinterpose/dictionary.h"
#include "libinterpose/recorder.h"

namespace gpustall::interpose::cupti {
namespace {

std::atomic<uint64_t> g_pending{0}, g_noted{0};

template <typename Function>
Function* driver_entry(const char* name) noexcept {
  // Never loaded by us: without a driver in the process there is no device to describe.
  static void* const driver = find_mapped("libcuda.so");
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
}

// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it.
uint32_t intern_uuid(HookGuard& guard, CUdevice device) noexcept {
  const auto get = driver_entry<CUresult(CUuuid*, CUdevice)>("cuDeviceGetUuid_v2");
  CUuuid uuid{};
  if (get == nullptr || get(&uuid, device) != CUDA_SUCCESS) return 0;
  char text[48] = "GPU-";
  int at = 4;
  for (int i = 0; i < 16; ++i) {
    const bool dash = i == 4 || i == 6 || i == 8 || i == 10;
    at += snprintf(text + at, sizeof text - static_cast<size_t>(at), dash ? "-%02x" : "%02x",
                   static_cast<unsigned char>(uuid.bytes[i]));
  }
  return intern_string(guard, {text, static_cast<size_t>(at)});
}

uint64_t attribute(CUdevice device, CUdevice_attribute which) noexcept {
  const auto get =
      driver_entry<CUresult(int*, CUdevice_attribute, CUdevice)>("cuDeviceGetAttribute");
  int value = 0;
  if (get == nullptr || get(&value, which, device) != CUDA_SUCCESS || value < 0) return 0;
  return static_cast<uint64_t>(value);
}

void describe(HookGuard& guard, uint32_t ordinal) noexcept {
  trace::Device record;
  record.ordinal = ordinal;
  const auto get = driver_entry<CUresult(CUdevice*, int)>("cuDeviceGet");
  CUdevice device = 0;
  if (get != nullptr && get(&device, static_cast<int>(ordinal)) == CUDA_SUCCESS) {
    char name[256] = {};
    const auto get_name = driver_entry<CUresult(char*, int, CUdevice)>("cuDeviceGetName");
    if (get_name != nullptr && get_name(name, sizeof name - 1, device) == CUDA_SUCCESS)
      record.name = intern_string(guard, name);
    record.uuid = intern_uuid(guard, device);
    record.multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    record.capability = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                        attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    size_t bytes = 0;
    const auto total = driver_entry<CUresult(size_t*, CUdevice)>("cuDeviceTotalMem_v2");
    if (total != nullptr && total(&bytes, device) == CUDA_SUCCESS) record.memory_bytes = bytes;
  }
  emit_shared(guard, record);
}

}  // namespace

void note_device(uint32_t ordinal) noexcept {
  if (ordinal >= 64) return;
  const uint64_t bit = uint64_t{1} << ordinal;
  if (g_noted.load(std::memory_order_relaxed) & bit) return;
  if ((g_noted.fetch_or(bit) & bit) == 0) g_pending.fetch_or(bit);
}

void describe_devices(HookGuard& guard) noexcept {
  for (uint64_t pending = g_pending.exchange(0); pending != 0; pending &= pending - 1)
    describe(guard, static_cast<uint32_t>(std::countr_zero(pending)));
}

uint64_t devices_in_use() noexcept {
  return g_noted.load(std::memory_order_relaxed);
}

bool pci_address(uint32_t ordinal, char* to, size_t capacity) noexcept {
  const auto get = driver_entry<CUresult(CUdevice*, int)>("cuDeviceGet");
  const auto ask =
      driver_entry<CUresult(int*, CUdevice_attribute, CUdevice)>("cuDeviceGetAttribute");
  CUdevice device = 0;
  int domain = 0, bus = 0, slot = 0;
  if (get == nullptr || ask == nullptr || get(&device, static_cast<int>(ordinal)) != CUDA_SUCCESS ||
      ask(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device) != CUDA_SUCCESS ||
      ask(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device) != CUDA_SUCCESS ||
      ask(&slot, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device) != CUDA_SUCCESS)
    return false;
  snprintf(to, capacity, "%08x:%02x:%02x.0", static_cast<unsigned>(domain),
           static_cast<unsigned>(bus), static_cast<unsigned>(slot));
  return true;
}

namespace {
// The stand-in runtime exports this name, and no other library does.
void* simulated_mark() noexcept {
  void* runtime = find_mapped("libcudart");
  return runtime == nullptr ? nullptr : dlsym(runtime, "gpustall_simulated_device");
}
}  // namespace

bool runtime_is_simulated() noexcept {
  return simulated_mark() != nullptr;
}

bool stand_in_path(char* to, size_t capacity, const char* file) noexcept {
  Dl_info info;
  void* mark = simulated_mark();
  char real[4096];
  if (mark == nullptr || dladdr(mark, &info) == 0 || realpath(info.dli_fname, real) == nullptr)
    return false;
  const char* slash = strrchr(real, '/');
  const int n = snprintf(to, capacity, "%.*s/%s", static_cast<int>(slash - real), real, file);
  return n > 0 && static_cast<size_t>(n) < capacity;
}

uint32_t driver_version() noexcept {
  const auto get = driver_entry<CUresult(int*)>("cuDriverGetVersion");
  int version = 0;
  if (get == nullptr || get(&version) != CUDA_SUCCESS || version < 0) return 0;
  return static_cast<uint32_t>(version);
}

}  // namespace gpustall::interpose::cupti
