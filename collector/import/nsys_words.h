// What the words and numbers of Nsight Systems' exports mean: names of OS calls, copies, kinds of
// memory, overheads, NVTX texts of torch. Tables only.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "collector/recording.h"

namespace gpustall::collect {

// Control characters become blanks, bytes that are not UTF-8 become '?': what may be printed.
std::string printable_text(std::string_view raw);
// Paths inside a sentence without their directories: those name users.
std::string without_directories(std::string_view sentence);

// The recorded wait that a function of libc is, or is nearest to; nothing for the others.
std::optional<trace::WaitId> wait_of(std::string_view function);

uint8_t copy_kind_of(int64_t operation);  // ENUM_CUDA_MEMCPY_OPER -> CopyKind
uint8_t memory_kind_of(int64_t kind);     // ENUM_CUDA_MEM_KIND -> MemoryKind
OverheadKind overhead_of(int64_t type);   // ENUM_CUPTI_OVERHEAD_TYPE
// Before there was a type, the name said it.
OverheadKind overhead_of(std::string_view name);

// An NVTX text: torch's emit_nvtx() writes "aten::mm, seq = 12, op_id = 34, sizes = [...]".
struct RangeName {
  std::string_view name;
  RangeKind kind = RangeKind::Nvtx;
};
RangeName range_name(std::string_view text);

}  // namespace gpustall::collect
