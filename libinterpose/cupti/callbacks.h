// CUPTI's callbacks on the program's threads: one Api record per call, written at its exit.
#pragma once
#include <cupti.h>

namespace gpustall::interpose::cupti {

void CUPTIAPI on_callback(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                          const void* data) noexcept;

// Switches the calls of cupti_callbacks.def and the resource events on for this subscriber. An id
// that the library does not know is skipped.
void enable_callbacks(CUpti_SubscriberHandle subscriber) noexcept;

}  // namespace gpustall::interpose::cupti
