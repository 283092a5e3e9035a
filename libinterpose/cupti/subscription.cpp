// The program's share is a bit per callback id. While we are detached CUPTI itself filters by the
// same choice, so the program sees what it would see without us.
#include "libinterpose/cupti/subscription.h"

#include <atomic>

#include "libinterpose/cupti/callbacks.h"
#include "libinterpose/cupti/session.h"

namespace gpustall::interpose::cupti {
namespace {

constexpr uint32_t kDomains = 16, kIds = 1024;
std::atomic<uint64_t> g_program_bits[kDomains][kIds / 64];
std::atomic<CUpti_CallbackFunc> g_program_function{nullptr};
std::atomic<void*> g_program_userdata{nullptr};
CUpti_SubscriberHandle g_program_handle = nullptr;  // the program's subscription, if it has one
CUpti_SubscriberHandle g_handle = nullptr;          // ours, or the same; null while detached

bool program_wants(uint32_t domain, uint32_t cbid) noexcept {
  if (domain >= kDomains || cbid >= kIds) return false;
  const uint64_t bits = g_program_bits[domain][cbid / 64].load(std::memory_order_relaxed);
  return (bits >> (cbid % 64) & 1) != 0;
}

void keep_choice(bool enable, uint32_t domain, uint32_t cbid) noexcept {
  if (domain >= kDomains || cbid >= kIds) return;
  auto& bits = g_program_bits[domain][cbid / 64];
  const uint64_t bit = uint64_t{1} << (cbid % 64);
  if (enable)
    bits.fetch_or(bit, std::memory_order_relaxed);
  else
    bits.fetch_and(~bit, std::memory_order_relaxed);
}

void enable_ours() noexcept {
  for_each_callback([](CUpti_CallbackDomain domain, uint32_t cbid) {
    api().EnableCallback(1, g_handle, domain, cbid);
  });
}

}  // namespace

void CUPTIAPI dispatch(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                       const void* data) {
  on_callback(domain, cbid, data);
  const CUpti_CallbackFunc program = g_program_function.load(std::memory_order_acquire);
  if (program != nullptr && program_wants(static_cast<uint32_t>(domain), cbid))
    program(g_program_userdata.load(std::memory_order_relaxed), domain, cbid, data);
}

CUptiResult join_subscription() noexcept {
  if (g_program_handle != nullptr) {
    g_handle = g_program_handle;
  } else {
    const CUptiResult result = api().Subscribe(&g_handle, dispatch, nullptr);
    if (result != CUPTI_SUCCESS) return result;
  }
  enable_ours();
  return CUPTI_SUCCESS;
}

void leave_subscription() noexcept {
  if (g_handle == nullptr) return;
  if (g_handle == g_program_handle)
    for_each_callback([](CUpti_CallbackDomain domain, uint32_t cbid) {
      if (!program_wants(static_cast<uint32_t>(domain), cbid))
        api().EnableCallback(0, g_handle, domain, cbid);
    });
  else
    api().Unsubscribe(g_handle);
  g_handle = nullptr;
}

void program_subscribes(ProgramCallback callback) noexcept {
  if (g_program_handle != nullptr) return;  // CUPTI will refuse
  g_program_userdata.store(callback.userdata, std::memory_order_relaxed);
  g_program_function.store(callback.function, std::memory_order_release);
}

void program_subscribed(CUptiResult result, CUpti_SubscriberHandle handle) noexcept {
  if (result == CUPTI_SUCCESS)
    g_program_handle = handle;
  else if (g_program_handle == nullptr)
    g_program_function.store(nullptr, std::memory_order_release);
}

void program_unsubscribed() noexcept {
  g_program_handle = nullptr;
  g_program_function.store(nullptr, std::memory_order_release);
  for (auto& domain : g_program_bits)
    for (auto& bits : domain) bits.store(0, std::memory_order_relaxed);
}

void program_enabled(uint32_t enable, CUpti_CallbackDomain domain, CUpti_CallbackId cbid) noexcept {
  keep_choice(enable != 0, static_cast<uint32_t>(domain), cbid);
  if (enable == 0 && g_handle != nullptr) enable_ours();
}

void program_enabled_domain(uint32_t enable, CUpti_CallbackDomain domain) noexcept {
  for (uint32_t cbid = 0; cbid < kIds; ++cbid)
    keep_choice(enable != 0, static_cast<uint32_t>(domain), cbid);
  if (enable == 0 && g_handle != nullptr) enable_ours();
}

}  // namespace gpustall::interpose::cupti
