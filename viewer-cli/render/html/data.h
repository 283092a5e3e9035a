// The numbers that report.js draws and reads out, as JSON inside the page.
#pragma once
#include <string>
#include <vector>

#include "viewer-cli/render/html/bins.h"
#include "viewer-cli/render/html/flame.h"

namespace gpustall::cli {

struct DeviceData {
  Bins steps, time;
  std::vector<FlameBox> flame;
  std::vector<std::pair<int64_t, int64_t>> gaps;  // start and length, as listed
};

// Cannot end the script element it stands in: no "</", no "<!--".
std::string page_data(const Palette& palette, const std::vector<DeviceData>& devices);

}  // namespace gpustall::cli
