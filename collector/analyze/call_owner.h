// Who owns the host time inside a CUDA call that does not wait for the device: the launch call
// itself, or first uses, allocations and pinning.
#pragma once
#include <unordered_map>
#include <vector>

#include "collector/analyze/stalls.h"

namespace gpustall::collect {

class CallOwners {
 public:
  // `steady_from`: per process, the host time at which warm-up ends.
  CallOwners(const StallInput& input, const Stalls& stalls,
             const std::vector<TraceTime>& steady_from);

  Cause cause(uint32_t call) const { return static_cast<Cause>(cause_[call]); }
  // Allocations after empty_cache() belong to the line that called it.
  StackId stack(uint32_t call, StackId otherwise) const {
    const auto at = stack_.find(call);
    return at == stack_.end() ? otherwise : at->second;
  }

 private:
  void mark_first_uses(const StallInput& input);
  void mark_allocations(const StallInput& input, const Stalls& stalls,
                        const std::vector<TraceTime>& steady_from);
  void set(size_t call, Cause cause) { cause_[call] = static_cast<uint8_t>(cause); }

  std::vector<uint8_t> cause_;
  std::unordered_map<uint32_t, StackId> stack_;
};

}  // namespace gpustall::collect
