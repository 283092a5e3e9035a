// Rows under construction: one per (cause, site, object, group), summed over slices of a window. A
// label does not part rows: that of the longest part stands for the row.
#pragma once
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "collector/model.h"

namespace gpustall::collect {

struct RowPart {  // one slice, or what the window leaves of it
  Cause cause{};
  SiteId site = kNone<SiteId>;
  StringId object{};
  uint32_t group = 0;
  uint64_t also = 0;
  StackId stack = kNone<StackId>;
  uint32_t counted_by = 0;  // gap or activity: a row counts each once
  TraceTime start = 0, end = 0;
  StringId label{};
};

// Sparse: a run may have 10^5 steps and 10^3 rows.
struct StepShare {
  uint32_t step;
  int64_t ns;
};

struct OpenRow {
  RowPart first;
  int64_t ns = 0;
  uint64_t count = 0;
  uint32_t last_counted = 0xffffffffu;
  int64_t longest_ns = 0;
  StackId stack = kNone<StackId>;           // of the longest part
  StringId label{};                         // as well
  std::array<int64_t, kCauseCount> also{};  // ns for which each further cause holds
  std::vector<StepShare> per_step;          // ascending; only steps in which it has a part
};

class OpenRows {
 public:
  // Ascending step boundaries, device clock; parts must come in order of their start.
  explicit OpenRows(const std::vector<TraceTime>& boundaries) : boundaries_(boundaries) {}
  void add(const RowPart& part);
  // Those of the time that follows, which comes after so many steps.
  void append(const OpenRows& later, uint32_t steps_before);
  std::vector<OpenRow>& rows() { return rows_; }

 private:
  OpenRow& row_of(const RowPart& part);
  void add_to_steps(OpenRow& row, TraceTime start, TraceTime end);
  const std::vector<TraceTime>& boundaries_;
  size_t step_ = 0;  // the step of the last part
  std::unordered_map<uint64_t, std::vector<uint32_t>> known_;
  std::array<uint32_t, 1024> recent_{};  // by the hash's first bits: a row that has it
  std::vector<OpenRow> rows_;
};

// Every how many steps: 1 = in nearly all, k = regularly every k-th; nothing where it is irregular.
std::optional<uint32_t> period_of(const std::vector<StepShare>& per_step, size_t steps);

}  // namespace gpustall::collect
