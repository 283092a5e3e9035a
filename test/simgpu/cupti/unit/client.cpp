// See client.h.
#include "client.h"

#include <chrono>
#include <cstdlib>

#include "test/simgpu/cupti/settings.h"
#include "test/simgpu/cupti/versions.h"

namespace simgpu::test {
namespace {

Client* g_client = nullptr;

uint64_t take_data(const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) *data.correlationData = 1000 + data.correlationId;
  return *data.correlationData;
}

}  // namespace

Client::Client(const char* settings) {
  std::string error;
  cupti::replace_settings_for_test(cupti::parse_settings("", &error));
  cuptiFinalize();
  cupti::replace_settings_for_test(cupti::parse_settings(settings, &error));
  cupti::select_profile();
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  g_client = this;
}

Client::~Client() {
  std::string error;
  cupti::replace_settings_for_test(cupti::parse_settings("", &error));
  cuptiFinalize();
  g_client = nullptr;
}

void Client::use_buffers(size_t bytes) {
  buffer_bytes_ = bytes;
  cuptiActivityRegisterCallbacks(&Client::on_requested, &Client::on_completed);
}

void Client::enable(std::initializer_list<CUpti_ActivityKind> kinds) {
  for (const CUpti_ActivityKind kind : kinds) {
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS) std::abort();
  }
}

CUpti_SubscriberHandle Client::subscribe() {
  CUpti_SubscriberHandle handle = nullptr;
  return cuptiSubscribe(&handle, &Client::on_call, this) == CUPTI_SUCCESS ? handle : nullptr;
}

std::vector<Record> Client::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

std::vector<Record> Client::records(CUpti_ActivityKind kind) const {
  std::vector<Record> found;
  for (Record& record : records()) {
    if (record.kind == kind) found.push_back(std::move(record));
  }
  return found;
}

bool Client::wait_for_records(size_t count) const {
  for (int i = 0; i < 400 && records().size() < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return records().size() >= count;
}

void Client::on_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  Client& self = *g_client;
  self.requested_on = std::this_thread::get_id();
  ++self.requested;
  *max_records = 0;
  *size = self.decline ? 0 : self.buffer_bytes_;
  *buffer =
      self.decline ? nullptr : static_cast<uint8_t*>(std::aligned_alloc(8, self.buffer_bytes_));
}

void Client::on_completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  if (g_client != nullptr) {
    Client& self = *g_client;
    const std::lock_guard lock(self.mutex_);
    self.completed_on = std::this_thread::get_id();
    ++self.completed;
    if (valid == 0) ++self.empty;
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
      const auto* bytes = reinterpret_cast<uint8_t*>(record);
      self.records_.push_back({record->kind, {bytes, bytes + cupti::record_size(record->kind)}});
    }
  }
  std::free(buffer);
}

void Client::on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                     const void* raw) {
  Call call{domain, cbid, CUPTI_API_ENTER, 0, 0, 0, "", ""};
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto& data = *static_cast<const CUpti_CallbackData*>(raw);
    call.site = data.callbackSite;
    call.correlation = data.correlationId;
    call.data = take_data(data);
    call.name = data.functionName;
    if (data.symbolName != nullptr) call.symbol = data.symbolName;
    if (data.functionReturnValue != nullptr)
      call.result = *static_cast<int*>(data.functionReturnValue);
  }
  static_cast<Client*>(self)->calls.push_back(call);
}

}  // namespace simgpu::test
