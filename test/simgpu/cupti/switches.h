// cuptiActivityEnableLatencyTimestamps and the other switches of activity collection.
#pragma once

namespace simgpu::cupti {

bool latency_timestamps();
void reset_switches();  // cuptiFinalize

}  // namespace simgpu::cupti
