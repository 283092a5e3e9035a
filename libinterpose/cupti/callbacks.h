// CUPTI's callbacks on the program's threads: one Api record per call, written at its exit.
#pragma once
#include <cupti.h>

#include "libinterpose/cupti/call_table.h"

namespace gpustall::interpose::cupti {

void on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data) noexcept;

// The callbacks that we need: the calls of cupti_callbacks.def, and two resource events.
template <typename Function>
void for_each_callback(Function function) noexcept {
  const CallTable runtime = runtime_calls(), driver = driver_calls();
  for (unsigned i = 0; i < runtime.count; ++i)
    function(CUPTI_CB_DOMAIN_RUNTIME_API, runtime.rows[i].cbid);
  for (unsigned i = 0; i < driver.count; ++i)
    function(CUPTI_CB_DOMAIN_DRIVER_API, driver.rows[i].cbid);
  function(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  function(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
}

}  // namespace gpustall::interpose::cupti
