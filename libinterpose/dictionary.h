// Dictionaries of the process: content -> id from 1, dense, the same in all threads. Fixed hash
// tables in mapped memory, wiped by fork; no malloc, no lock (a loser of an insertion waits for the
// few ns in which the winner numbers the slot). Who inserts writes the record into its own thread's
// stream. A full table returns 0 and counts LossKind::DictionaryFull. A 64-bit hash of the content
// is taken as its identity.
#pragma once
#include <cstdint>
#include <string_view>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

uint32_t intern_string(HookGuard&, std::string_view text) noexcept;
uint32_t intern_queue(HookGuard&, uint64_t device, uint64_t context, uint64_t stream) noexcept;
// `path` may be empty; it is taken from the first call with this identity.
uint32_t intern_object(HookGuard&, trace::ObjectKind kind, uint64_t identity,
                       std::string_view path) noexcept;
uint32_t find_object(HookGuard&, trace::ObjectKind kind, uint64_t identity) noexcept;  // 0: new

// Only numbers the segment; the caller that sees `added` writes the Module record.
uint32_t intern_module(HookGuard&, uint64_t base, uint64_t size, std::string_view path,
                       bool& added) noexcept;

// A code object is recycled at the same address by the interpreter's allocator, so its address is
// only one part of its key.
struct CodeKey {
  uint64_t address, filename_address;
  uint32_t first_line;
  uint64_t checksum;  // cheap mix of other fields that differ between code objects
};
uint32_t find_code(HookGuard&, const CodeKey& key) noexcept;  // 0: new, call add_code
struct CodeText {
  std::string_view file, function, line_table;
};
uint32_t add_code(HookGuard&, const CodeKey& key, const CodeText& text) noexcept;

// One node of the trie of Python stacks. 10 ns when it is known.
uint32_t intern_frame(HookGuard&, uint32_t parent, uint32_t code, int64_t position) noexcept;
uint32_t intern_native(HookGuard&, const uint64_t* pcs, unsigned count) noexcept;

}  // namespace gpustall::interpose
