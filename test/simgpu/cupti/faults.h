// Damage on purpose, by GPUSTALL_SIM_CUPTI: dropped records, zero and nonsense times, a crash.
#pragma once
#include "records.h"

namespace simgpu::cupti {

// May change the times. False: the record is to be dropped (and counted). Only records of device
// work are touched; counting runs over all of them in the order of delivery.
bool apply_faults(const PendingRecord& record, RecordTimes* times);

}  // namespace simgpu::cupti
