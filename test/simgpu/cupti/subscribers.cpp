// cuptiSubscribe and the enable calls.
#include "subscribers.h"

#include <cstring>

#include "settings.h"

namespace simgpu::cupti {
namespace {

constexpr CUptiResult kRefused = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;

std::atomic<CUpti_Subscriber_st*> g_subscriber{nullptr};
BitTable g_enabled[CUPTI_CB_DOMAIN_SIZE];
char g_holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "CUPTI";
thread_local bool t_in_callback = false;

bool valid(CUpti_CallbackDomain domain) {
  return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE;
}

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* userdata) {
  GPUSTALL_CUPTI_GATE();
  if (handle == nullptr || function == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  if (settings().subscribe_error != 0) {
    return leave(static_cast<CUptiResult>(settings().subscribe_error));
  }
  auto* mine =
      new CUpti_Subscriber_st{function, userdata};  // deliberately never freed, see the header
  CUpti_Subscriber_st* expected = nullptr;
  if (!g_subscriber.compare_exchange_strong(expected, mine)) {
    delete mine;
    return leave(kRefused);
  }
  *handle = mine;
  return leave(CUPTI_SUCCESS);
}

void name_holder(const char* name) {
  std::snprintf(g_holder, sizeof g_holder, name == nullptr ? "CUPTI" : "CUPTI for %s", name);
}

}  // namespace

CUpti_Subscriber_st* current_subscriber() {
  return g_subscriber.load(std::memory_order_acquire);
}

bool wants(CUpti_CallbackDomain domain, uint32_t cbid) {
  return current_subscriber() != nullptr && g_enabled[domain].test(cbid) && !t_in_callback;
}

void call_subscriber(CUpti_CallbackDomain domain, uint32_t cbid, const void* data) {
  CUpti_Subscriber_st* subscriber = current_subscriber();
  if (subscriber == nullptr) return;
  t_in_callback = true;
  subscriber->function(subscriber->userdata, domain, cbid, data);
  t_in_callback = false;
}

void drop_subscriber() {
  g_subscriber.store(nullptr);
  for (BitTable& domain : g_enabled) domain.set_all(false);
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* userdata) {
  const CUptiResult result = subscribe(subscriber, callback, userdata);
  if (result == CUPTI_SUCCESS) name_holder(nullptr);
  return result;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* userdata, CUpti_SubscriberParams* params) {
  if (params == nullptr || params->structSize < CUpti_SubscriberParams_STRUCT_SIZE) {
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  }
  const CUptiResult result = subscribe(subscriber, callback, userdata);
  if (result == CUPTI_SUCCESS) name_holder(params->subscriberName);
  if (result == kRefused && params->oldSubscriberName != nullptr && params->oldSubscriberSize > 0) {
    std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", g_holder);
  }
  return result;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  GPUSTALL_CUPTI_GATE();
  if (subscriber == nullptr || subscriber != current_subscriber())
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  drop_subscriber();
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  GPUSTALL_CUPTI_GATE();
  if (subscriber == nullptr || subscriber != current_subscriber() || !valid(domain) ||
      cbid >= BitTable::kIds) {
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  }
  g_enabled[domain].set(cbid, enable != 0);
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
  GPUSTALL_CUPTI_GATE();
  if (subscriber == nullptr || subscriber != current_subscriber() || !valid(domain)) {
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  }
  g_enabled[domain].set_all(enable != 0);
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  GPUSTALL_CUPTI_GATE();
  if (subscriber == nullptr || subscriber != current_subscriber())
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  for (BitTable& domain : g_enabled) domain.set_all(enable != 0);
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle subscriber,
                                  CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  GPUSTALL_CUPTI_GATE();
  if (enable == nullptr || subscriber == nullptr || subscriber != current_subscriber() ||
      !valid(domain)) {
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  }
  *enable = g_enabled[domain].test(cbid) ? 1 : 0;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
  static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
                                           CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE};
  if (count == nullptr || table == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *count = sizeof domains / sizeof domains[0];
  *table = domains;
  return leave(CUPTI_SUCCESS);
}
