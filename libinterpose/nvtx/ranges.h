// NVTX ranges and marks as records. Push/pop ranges belong to their thread, start/end ranges may
// end on another one. What happens while nothing is recorded leaves no trace, and its pops are
// ignored.
#pragma once
#include <cstdint>
#include <string_view>

#include "libinterpose/nvtx/domains.h"

namespace gpustall::interpose::nvtx {

// The nesting level of the range before the push or after the pop, as NVTX returns it; -1: none.
int push_range(const Domain& domain, std::string_view name) noexcept;
int pop_range(const Domain& domain) noexcept;
// 0: not recorded.
uint64_t start_range(const Domain& domain, std::string_view name) noexcept;
void end_range(uint64_t id) noexcept;
// In the child of fork: plain stores only.
void forget_ranges() noexcept;
void mark(const Domain& domain, std::string_view name) noexcept;

}  // namespace gpustall::interpose::nvtx
