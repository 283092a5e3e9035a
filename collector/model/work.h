// What the device was given and how fast it and the host were at it: the evidence that tells the
// same work at another speed from other work (diff).
#pragma once
#include "collector/model.h"

namespace gpustall::collect {

// Activities of the device that start in [start, end), device clock, by name; largest first.
std::vector<WorkRow> work_of(const Recording& recording, DeviceIndex device, TraceTime start,
                             TraceTime end);

// Of the process's launches in [start, end), host clock; nothing without launches.
std::optional<HostPace> pace_of(const Recording& recording, ProcessIndex process, TraceTime start,
                                TraceTime end);

}  // namespace gpustall::collect
