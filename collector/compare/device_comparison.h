// One device on both sides: its quantities paired, their differences judged, its tables made.
#pragma once
#include <vector>

#include "collector/compare/comparison.h"
#include "collector/compare/run_rows.h"

namespace gpustall::collect {

// `level`: of the intervals; more than 0.95 where several devices are judged. All runs of both
// sides have steps, or none is given with them. Fills what comes from the runs; names are the
// caller's.
DeviceComparison compare_device(const std::vector<DeviceRun>& base,
                                const std::vector<DeviceRun>& next, const CompareOptions& options,
                                double level);

}  // namespace gpustall::collect
