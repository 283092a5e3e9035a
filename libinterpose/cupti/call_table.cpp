// cupti_callbacks.def as constant tables; params structs are read by offset, never by value,
// because a newer library may pass a longer struct.
#include "libinterpose/cupti/call_table.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace gpustall::interpose::cupti {
namespace {

#define AT(member) static_cast<int8_t>(offsetof(Params, member))
#define GPUSTALL_ROW(prefix, name, id, ...)                                     \
  []() constexpr {                                                              \
    using Params [[maybe_unused]] = name##_params;                              \
    return CallRow{.cbid = prefix##name, .call = trace::Call::id, __VA_ARGS__}; \
  }                                                                             \
  (),
#define GPUSTALL_ROW_0(prefix, name, id) CallRow{.cbid = prefix##name, .call = trace::Call::id},

constexpr CallRow kRuntime[] = {
#define GPUSTALL_RUNTIME(name, id, ...) \
  GPUSTALL_ROW(CUPTI_RUNTIME_TRACE_CBID_, name, id, __VA_ARGS__)
#define GPUSTALL_RUNTIME_0(name, id) GPUSTALL_ROW_0(CUPTI_RUNTIME_TRACE_CBID_, name, id)
#define GPUSTALL_DRIVER(name, id, ...)
#define GPUSTALL_DRIVER_0(name, id)
#include "libinterpose/cupti/cupti_callbacks.def"
#undef GPUSTALL_RUNTIME
#undef GPUSTALL_RUNTIME_0
#undef GPUSTALL_DRIVER
#undef GPUSTALL_DRIVER_0
};

constexpr CallRow kDriver[] = {
#define GPUSTALL_RUNTIME(name, id, ...)
#define GPUSTALL_RUNTIME_0(name, id)
#define GPUSTALL_DRIVER(name, id, ...) GPUSTALL_ROW(CUPTI_DRIVER_TRACE_CBID_, name, id, __VA_ARGS__)
#define GPUSTALL_DRIVER_0(name, id) GPUSTALL_ROW_0(CUPTI_DRIVER_TRACE_CBID_, name, id)
#include "libinterpose/cupti/cupti_callbacks.def"
#undef GPUSTALL_RUNTIME
#undef GPUSTALL_RUNTIME_0
#undef GPUSTALL_DRIVER
#undef GPUSTALL_DRIVER_0
};
#undef AT
#undef GPUSTALL_ROW
#undef GPUSTALL_ROW_0

constexpr unsigned kMaxCbid = 1024;

// cbid -> row number + 1: one byte each, so the hot path touches one or two cache lines.
template <size_t N>
constexpr std::array<uint8_t, kMaxCbid> index_of(const CallRow (&rows)[N]) {
  static_assert(N < 255);
  std::array<uint8_t, kMaxCbid> index{};
  for (size_t i = 0; i < N; ++i) index[rows[i].cbid] = static_cast<uint8_t>(i + 1);
  return index;
}
constexpr auto kRuntimeIndex = index_of(kRuntime);
constexpr auto kDriverIndex = index_of(kDriver);

// The stream's place in both launch configurations.
constexpr size_t kConfigStream = 32;
static_assert(offsetof(cudaLaunchConfig_t, stream) == kConfigStream);
static_assert(offsetof(CUlaunchConfig, hStream) == kConfigStream);

template <typename T>
T read_at(const void* base, size_t offset) noexcept {
  T value;
  memcpy(&value, static_cast<const char*>(base) + offset, sizeof value);
  return value;
}

// cudaMemcpyKind -> CUpti_ActivityMemcpyKind; Default says nothing.
uint64_t copy_kind_of(uint32_t kind) noexcept {
  constexpr uint8_t kKinds[] = {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                                CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD};
  return kind < sizeof kKinds ? kKinds[kind] : 0;
}

// A copy or fill without a stream parameter works on the default stream.
bool uses_default_stream(trace::Call call) noexcept {
  const trace::CallClass cls = class_of(call);
  return cls == trace::CallClass::Copy || cls == trace::CallClass::Set;
}

}  // namespace

CallTable runtime_calls() noexcept {
  return {kRuntime, static_cast<unsigned>(std::size(kRuntime))};
}
CallTable driver_calls() noexcept {
  return {kDriver, static_cast<unsigned>(std::size(kDriver))};
}

const CallRow* find_call(CUpti_CallbackDomain domain, uint32_t cbid) noexcept {
  if (cbid >= kMaxCbid) return nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    const uint8_t row = kRuntimeIndex[cbid];
    return row == 0 ? nullptr : &kRuntime[row - 1];
  }
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const uint8_t row = kDriverIndex[cbid];
    return row == 0 ? nullptr : &kDriver[row - 1];
  }
  return nullptr;
}

CallValues read_params(const CallRow& row, const void* params) noexcept {
  CallValues v{nullptr, uses_default_stream(row.call), 0, 0, row.copy};
  if (params == nullptr) return v;
  if (row.config != kNone) {
    const void* config = read_at<const void*>(params, static_cast<size_t>(row.config));
    v.has_stream = config != nullptr;
    if (config != nullptr) v.stream = read_at<CUstream>(config, kConfigStream);
  }
  if (row.stream != kNone) {
    v.stream = read_at<CUstream>(params, static_cast<size_t>(row.stream));
    v.has_stream = true;
  }
  if (row.bytes != kNone) v.bytes = read_at<uint64_t>(params, static_cast<size_t>(row.bytes));
  if (row.rows != kNone) v.bytes *= read_at<uint64_t>(params, static_cast<size_t>(row.rows));
  if (row.kind != kNone)
    v.copy_kind = copy_kind_of(read_at<uint32_t>(params, static_cast<size_t>(row.kind)));
  if (row.object != kNone) v.object = read_at<uint64_t>(params, static_cast<size_t>(row.object));
  return v;
}

}  // namespace gpustall::interpose::cupti
