// NVTX domains and registered strings: handles that programs hold for ever, so neither is ever
// freed. Text is copied at once (the program may free it), into mapped memory of our own.
#pragma once
#include <cstdint>
#include <string_view>

namespace gpustall::interpose::nvtx {

// What is recorded of a domain. Ranges of the CUDA libraries tell nothing of the program's phases
// and are many; NCCL's name the collectives.
enum class Keep : uint8_t { Ranges, Collectives, Nothing };

struct Domain {
  std::string_view name;
  Keep keep;
  uint32_t number;  // 0: the default domain
};

// The domain of this name; the table's last one when the table is full. Never null.
const Domain* domain_of_name(std::string_view name) noexcept;
// From a handle that a callback got; null and foreign handles mean the default domain.
const Domain* domain_of_handle(const void* handle) noexcept;

// A copy that lives for ever; empty when there is no room.
std::string_view keep_text(std::string_view text) noexcept;

// Registered strings: the handle is the address of one of these.
struct KeptText {
  std::string_view text;
};
const KeptText* register_text(std::string_view text) noexcept;

// A wide string as UTF-8 in the caller's buffer.
std::string_view narrow(const wchar_t* text, char* buffer, unsigned bytes) noexcept;

}  // namespace gpustall::interpose::nvtx
