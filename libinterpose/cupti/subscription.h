// CUPTI has one subscriber per process. torch.profiler subscribes at its first profile and never
// lets go, so after it the one subscription is shared: the program's callback is called from ours,
// for what the program enabled. Everything here runs with the session's lock held, but for
// dispatch.
#pragma once
#include <cupti.h>

#include <cstdint>

namespace gpustall::interpose::cupti {

// Ours: subscribes, or joins the program's subscription, and enables our callbacks.
CUptiResult join_subscription() noexcept;
// Disables our callbacks; unsubscribes unless the program holds the subscription.
void leave_subscription() noexcept;

// The program's: a callback of its own is on its way into cuptiSubscribe; CUPTI gets `dispatch`.
struct ProgramCallback {
  CUpti_CallbackFunc function;
  void* userdata;
};
void CUPTIAPI dispatch(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                       const void* data);
void program_subscribes(ProgramCallback callback) noexcept;
void program_subscribed(CUptiResult result, CUpti_SubscriberHandle handle) noexcept;
void program_unsubscribed() noexcept;
// After the program's call: keeps its choice and restores ours where it switched them off.
void program_enabled(uint32_t enable, CUpti_CallbackDomain domain, CUpti_CallbackId cbid) noexcept;
void program_enabled_domain(uint32_t enable, CUpti_CallbackDomain domain) noexcept;

}  // namespace gpustall::interpose::cupti
