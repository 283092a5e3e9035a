// Which activity records are collected: per kind, per context where a client asked so, and per
// callback id for the RUNTIME and DRIVER kinds.
#pragma once
#include <cstdint>

#include "entry.h"

namespace simgpu::cupti {

bool kind_enabled(CUpti_ActivityKind kind, uint32_t context_uid);
bool api_record_enabled(CUpti_CallbackDomain domain, uint32_t cbid);
void disable_all_kinds();  // cuptiFinalize

}  // namespace simgpu::cupti
