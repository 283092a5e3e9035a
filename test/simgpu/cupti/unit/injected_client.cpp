// A tool as the driver loads it (CUDA_INJECTION64_PATH): subscribes, collects, and at exit writes
// what it was told as text lines to $SIMCUPTI_OUT: "call DOMAIN CBID CORRELATION" per API enter,
// and per record "KIND DEVICE STREAM CORRELATION START END". Compared with the device's own log by
// ../../smoke/injected.py.
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

std::mutex g_mutex;
std::string g_lines;

void say(const char* format, auto... values) {
  char line[160];
  std::snprintf(line, sizeof line, format, values...);
  const std::lock_guard lock(g_mutex);
  g_lines += line;
}

void on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* raw) {
  const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
  if (data.callbackSite == CUPTI_API_ENTER)
    say("call %u %u %u\n", domain, cbid, data.correlationId);
}

void on_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *max_records = 0;
}

template <typename T>
void say_record(const char* kind, const CUpti_Activity* record) {
  const auto& r = *reinterpret_cast<const T*>(record);
  say("%s %u %u %u %llu %llu\n", kind, r.deviceId, r.streamId, r.correlationId,
      static_cast<unsigned long long>(r.start), static_cast<unsigned long long>(r.end));
}

void on_completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        say_record<CUpti_ActivityKernel10>("kernel", record);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        say_record<CUpti_ActivityMemcpy6>("memcpy", record);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        say_record<CUpti_ActivityMemset4>("memset", record);
        break;
      case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
        say_record<CUpti_ActivityGraphTrace2>("graph", record);
        break;
      default:
        say("unknown %d\n", record->kind);
    }
  }
  std::free(buffer);
}

void at_exit() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  say("dropped %zu\n", dropped);
  std::FILE* out = std::fopen(std::getenv("SIMCUPTI_OUT"), "w");
  if (out == nullptr) return;
  std::fwrite(g_lines.data(), 1, g_lines.size(), out);
  std::fclose(out);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  CUpti_SubscriberHandle handle = nullptr;
  if (cuptiSubscribe(&handle, &on_call, nullptr) != CUPTI_SUCCESS) return 0;
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_DRIVER_API);
  cuptiActivityRegisterCallbacks(&on_requested, &on_completed);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                          CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_GRAPH_TRACE}) {
    cuptiActivityEnable(kind);
  }
  cuptiActivityFlushPeriod(100);
  std::atexit(&at_exit);
  return 1;
}
