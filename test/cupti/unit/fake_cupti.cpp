// The fake's functions, and cupti_api.h's finder, which answers with them.
#include "test/cupti/unit/fake_cupti.h"

#include <cstring>

#include "libinterpose/cupti/activities.h"
#include "libinterpose/cupti/program_use.h"
#include "libinterpose/cupti/session.h"
#include "libinterpose/cupti/subscription.h"
#include "test/cupti/unit/fake_recorder.h"

namespace gpustall::test {
namespace {

FakeCupti g_fake;

CUptiResult get_version(uint32_t* version) {
  *version = g_fake.version;
  return CUPTI_SUCCESS;
}
CUptiResult get_timestamp(uint64_t* now) {
  *now = uint64_t{86400000000000} + 1;  // a day: records may start at 1
  return CUPTI_SUCCESS;
}
CUptiResult get_stream_id(CUcontext, CUstream stream, uint8_t per_thread, uint32_t* id) {
  ++g_fake.stream_queries;
  *id = stream == nullptr ? (per_thread ? 8 : 7) : 13;
  return CUPTI_SUCCESS;
}
CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void*) {
  g_fake.log.push_back("subscribe");
  if (g_fake.subscribe_result == CUPTI_SUCCESS) {
    *handle = reinterpret_cast<CUpti_SubscriberHandle>(&g_fake);
    g_fake.callback = callback;
  }
  return g_fake.subscribe_result;
}
CUptiResult unsubscribe(CUpti_SubscriberHandle) {
  g_fake.log.push_back("unsubscribe");
  g_fake.callback = nullptr;
  g_fake.callbacks.clear();
  return CUPTI_SUCCESS;
}
CUptiResult enable_callback(uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                            CUpti_CallbackId cbid) {
  if (on != 0)
    g_fake.callbacks.insert({domain, static_cast<int>(cbid)});
  else
    g_fake.callbacks.erase({domain, static_cast<int>(cbid)});
  return CUPTI_SUCCESS;
}
CUptiResult register_callbacks(CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete) {
  g_fake.log.push_back("register");
  g_fake.request = request;
  g_fake.complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult enable(CUpti_ActivityKind kind) {
  g_fake.log.push_back("enable " + std::to_string(kind));
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && g_fake.kernels_result != CUPTI_SUCCESS)
    return g_fake.kernels_result;
  g_fake.kinds.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult disable(CUpti_ActivityKind kind) {
  g_fake.log.push_back("disable " + std::to_string(kind));
  g_fake.kinds.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult flush_all(uint32_t flag) {
  g_fake.log.push_back("flush " + std::to_string(flag));
  return CUPTI_SUCCESS;
}
CUptiResult flush_period(uint32_t) {
  return CUPTI_SUCCESS;
}
CUptiResult next_record(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  uint8_t* at = reinterpret_cast<uint8_t*>(*record);
  at = at == nullptr ? buffer : at + g_fake.strides[static_cast<size_t>((*record)->kind)];
  if (at >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(at);
  return CUPTI_SUCCESS;
}
CUptiResult dropped_records(CUcontext, uint32_t, size_t* dropped) {
  *dropped = std::exchange(g_fake.dropped, 0);
  return CUPTI_SUCCESS;
}
CUptiResult set_attribute(CUpti_ActivityAttribute attribute, size_t*, void* value) {
  if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)
    g_fake.zeroed_attribute = *static_cast<uint8_t*>(value);
  return CUPTI_SUCCESS;
}
CUptiResult register_timestamps(CUpti_TimestampCallbackFunc timestamps) {
  g_fake.log.push_back("timestamps");
  g_fake.timestamps = timestamps;
  return CUPTI_SUCCESS;
}
CUptiResult finalize() {
  g_fake.log.push_back("finalize");
  return CUPTI_SUCCESS;
}

}  // namespace

FakeCupti& fake_cupti() {
  return g_fake;
}

void FakeCupti::call(CUpti_CallbackDomain domain, uint32_t cbid, CUpti_ApiCallbackSite site,
                     uint32_t correlation, const void* params, int result) {
  CUpti_CallbackData data{};
  uint64_t scratch = 0xdeadbeef;  // garbage: the source must not rely on it
  data.callbackSite = site;
  data.functionParams = params;
  data.functionReturnValue = &result;
  data.context = reinterpret_cast<CUcontext>(0x1000);
  data.correlationData = &scratch;
  data.correlationId = correlation;
  callback(nullptr, domain, cbid, &data);
}

void FakeCupti::deliver(const std::vector<std::vector<uint8_t>>& records) {
  uint8_t* buffer = nullptr;
  size_t size = 0, max = 0, used = 0;
  request(&buffer, &size, &max);
  for (const auto& record : records) {
    memcpy(buffer + used, record.data(), record.size());
    used += record.size();
  }
  complete(nullptr, 0, buffer, size, used);
}

void reset_all() {
  {
    interpose::cupti::SessionLock lock;
    if (interpose::cupti::api().library != nullptr) interpose::cupti::leave_subscription();
    interpose::cupti::program_unsubscribed();
  }
  g_fake = FakeCupti{};
  reset_recorder();
  const_cast<interpose::cupti::CuptiApi&>(interpose::cupti::api()).library = nullptr;
  interpose::cupti::g_mode = interpose::cupti::Mode::Off;
  interpose::cupti::program_use() = {};
  interpose::cupti::set_program_buffers(nullptr, nullptr);
}

}  // namespace gpustall::test

namespace gpustall::interpose::cupti {

void* find_mapped(const char*) noexcept {
  return nullptr;
}
void* find_cupti(bool) noexcept {
  return test::g_fake.present ? &test::g_fake : nullptr;
}
bool fill_api(CuptiApi& api, void* library, const char** missing) noexcept {
  *missing = nullptr;
  api.library = library;
  api.version = test::g_fake.version;
  api.GetVersion = test::get_version;
  api.GetTimestamp = test::get_timestamp;
  api.GetStreamIdEx = test::get_stream_id;
  api.Subscribe = test::subscribe;
  api.Unsubscribe = test::unsubscribe;
  api.EnableCallback = test::enable_callback;
  api.ActivityRegisterCallbacks = test::register_callbacks;
  api.ActivityEnable = test::enable;
  api.ActivityDisable = test::disable;
  api.ActivityFlushAll = test::flush_all;
  api.ActivityFlushPeriod = test::flush_period;
  api.ActivityGetNextRecord = test::next_record;
  api.ActivityGetNumDroppedRecords = test::dropped_records;
  api.ActivitySetAttribute = test::set_attribute;
  api.ActivityRegisterTimestampCallback = test::register_timestamps;
  api.Finalize = test::finalize;
  return true;
}

}  // namespace gpustall::interpose::cupti
