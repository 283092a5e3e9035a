// Gives every gap its owners: projects it onto the host by the launch latency, reads what the
// thread that should have launched did there, applies the lead rule, and leaves the rest to the
// device. The slices of a gap tile it, exactly.
#pragma once
#include "collector/analyze/device_part.h"
#include "collector/analyze/host_reader.h"
#include "collector/analyze/lead.h"
#include "collector/analyze/lead_charges.h"

namespace gpustall::collect {

struct AttributeInput {
  const StallInput& base;
  const Stalls& stalls;
  const Timelines& timelines;
  const std::vector<LaunchLatency>& latency;  // by process
  HostReader& reader;
  const LoaderWorkers& workers;
  const DevicePart& device_part;
};

// Fills slices and the gaps' first_slice; the sites are those of the stack facts.
void attribute_gaps(const AttributeInput& input, Gaps& gaps, Slices& slices);

// Of a copy that nothing overlaps.
Cause cause_of_copy(const Activities& activities, uint32_t copy);
// Owners of exposed copies and collectives.
BusySlices attribute_busy(const StallInput& base, const Timelines& timelines);

}  // namespace gpustall::collect
