// The one subscriber of the process and its enable bits per (domain, callback id).
// Must never hold a lock while a callback runs; a callback may unsubscribe.
#pragma once
#include <atomic>

#include "bit_table.h"
#include "entry.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc function;
  void* userdata;
};

namespace simgpu::cupti {

// Null while nobody subscribes. A subscriber is never freed: another thread may be about to call
// it.
CUpti_Subscriber_st* current_subscriber();

// True when this callback is to be made now; one load when nobody subscribes.
bool wants(CUpti_CallbackDomain domain, uint32_t cbid);

// Calls the subscriber. Calls made from inside a callback make none of their own.
void call_subscriber(CUpti_CallbackDomain domain, uint32_t cbid, const void* data);

void drop_subscriber();  // cuptiFinalize

}  // namespace simgpu::cupti
