// RUNTIME and DRIVER activity records, and the external correlation records in front of them.
#pragma once
#include "entry.h"

namespace simgpu::cupti {

void api_record_enter(const ApiCall& call);
void api_record_exit(const ApiCall& call);

// As records carry it: the low half of pthread_self, or the system's thread id
// (cuptiSetThreadIdType).
uint32_t thread_id_for_records();

}  // namespace simgpu::cupti
