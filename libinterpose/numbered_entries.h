// The entries of a folder of /proc whose names are numbers: threads, descriptors.
#pragma once
#include <cstdint>
#include <cstdlib>

#include "libinterpose/sys.h"

namespace gpustall::interpose {

// Calls what(number, descriptor of the folder) for each; false when the folder cannot be read.
template <class What>
bool each_number_in(const char* path, What&& what) noexcept {
  struct Entry {  // as the kernel writes it
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
  };
  const int folder = sys::open(path, O_RDONLY | O_DIRECTORY);
  if (folder < 0) return false;
  alignas(8) char buffer[4096];
  for (long n; (n = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->length;
      char* end = nullptr;
      const unsigned long number = std::strtoul(entry->name, &end, 10);
      if (end != entry->name) what(static_cast<uint32_t>(number), folder);
    }
  }
  sys::close(folder);
  return true;
}

}  // namespace gpustall::interpose
