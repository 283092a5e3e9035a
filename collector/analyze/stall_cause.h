// The leaf of one stall: from torch's Python frames first, then native symbols, then what was
// copied and which kernels the same line launched around it. Never from durations alone.
#pragma once
#include "collector/analyze/stalls.h"

namespace gpustall::collect {

class StallCauses {
 public:
  explicit StallCauses(const StallInput& input);

  // `copy`: the stall's copy call, or kNoIndex; `last`: its last call, the one that waited.
  Cause of(uint32_t copy, uint32_t last) const;
  // Second look, when all stalls are known: small uploads of a line that also uploads batches
  // belong to the batch.
  void settle_uploads(Stalls& stalls) const;

 private:
  struct CopyShape {
    bool to_device = false, to_host = false, pageable = false;
    uint64_t bytes = 0;
  };
  CopyShape shape_of(uint32_t copy) const;
  Cause of_read(uint32_t copy, const CopyShape& shape, uint32_t last) const;
  Cause of_free(uint32_t call, StackId stack) const;
  bool has_long_free() const;
  bool sets_up(uint32_t call) const;
  void find_work();
  bool decides_a_size(uint32_t copy) const;
  bool symbol_contains(uint32_t call, std::initializer_list<std::string_view> needles) const;
  uint32_t neighbour_launch(uint32_t call, int direction) const;

  struct Work {                   // of the device, host clock
    TraceTime start, latest_end;  // the latest of all that started so far
  };

  const StallInput& in_;
  std::vector<std::vector<Work>> work_;  // by process and start
  std::vector<bool> selects_;            // by StringId: kernels that count or compact elements
  std::vector<bool> repeats_;
  std::vector<bool> scalar_reads_pinned_;  // by process
};

}  // namespace gpustall::collect
