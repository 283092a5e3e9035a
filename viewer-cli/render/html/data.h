// The numbers that report.js draws and reads out, as JSON inside the page.
#pragma once
#include <string>
#include <vector>

#include "viewer-cli/render/html/bins.h"
#include "viewer-cli/render/html/flame.h"
#include "viewer-cli/render/html/lengths.h"
#include "viewer-cli/render/view.h"

namespace gpustall::cli {

// The rows of the table of causes, as listed, in the bins of `DeviceData::steps`: what the table
// says when only some steps are selected.
struct BinnedRows {
  // Bins that hold steps of the table's window only.
  size_t first_bin = 0, end_bin = 0;
  // By row and bin; an empty row is the rest of the total, and of the total itself nothing is here.
  std::vector<std::vector<int64_t>> ns;
};

struct GapData {
  int64_t start_ns = 0, ns = 0;
  int64_t step = -1;  // from 0; -1: in none
};

struct DeviceData {
  Bins steps, time;
  BinnedRows rows;
  Lengths lengths;
  std::vector<FlameBox> flame;
  std::vector<GapData> gaps;          // as listed
  std::vector<std::string> findings;  // as Markdown, as listed
};

// Empty where a row's time per step is not known: then there is nothing to recompute.
BinnedRows binned_rows(const View& view, const std::vector<Row>& rows, const Bins& steps);

// Cannot end the script element it stands in: no "</", no "<!--".
// `markdown`: the whole report.
std::string page_data(const Palette& palette, const std::vector<DeviceData>& devices,
                      const std::string& markdown);

}  // namespace gpustall::cli
