// First pass over a file: all that later records refer to by id, the clocks, and how many events
// there are. Ids are global to the file and may be used in one stream before another stream's chunk
// defines them, so nothing can be decoded for good before this is complete.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/read/host_clock.h"
#include "collector/read/trace_file.h"
#include "libinterpose/trace/records.h"

namespace gpustall::collect {

// id -> definition; ids are dense from 1. The first definition of an id counts. A damaged id must
// not make a table of its size: ids far beyond the number of definitions are dropped.
template <typename T>
class IdTable {
 public:
  IdTable() = default;
  IdTable(IdTable&&) noexcept = default;
  IdTable& operator=(IdTable&&) noexcept = default;
  IdTable(const IdTable&) = delete;  // rows point into found
  IdTable& operator=(const IdTable&) = delete;

  void put(uint64_t id, const T& value) { found_.emplace_back(id, value); }
  // After the last put.
  void finish() {
    const uint64_t limit = found_.size() + 65536;
    uint64_t highest = 0;
    for (const auto& [id, value] : found_)
      if (id <= limit) highest = std::max(highest, id);
    rows_.assign(highest + 1, nullptr);
    for (const auto& [id, value] : found_)
      if (id <= limit && id != 0 && rows_[id] == nullptr) rows_[id] = &value;
  }
  // One more than the highest id.
  size_t size() const { return rows_.size(); }
  const T* find(uint64_t id) const { return id < rows_.size() ? rows_[id] : nullptr; }

 private:
  std::vector<std::pair<uint64_t, T>> found_;
  std::vector<const T*> rows_;
};

struct DeviceReading {
  int64_t ticks = 0, device_ns = 0;
  uint64_t error_ns = 0;
};

struct FileScan {
  IdTable<std::string_view> strings, native_stacks;
  IdTable<trace::Code> codes;
  IdTable<trace::Frame> frames;
  IdTable<trace::Queue> queues;
  IdTable<trace::Object> objects;
  std::vector<trace::Module> modules;
  std::vector<trace::Device> devices;
  std::vector<trace::Info> infos;
  std::vector<trace::Thread> threads;
  std::vector<ClockReading> clocks;  // the header's start pair first
  std::vector<DeviceReading> device_clocks;
  std::array<uint64_t, 256> count{};  // records by tag

  std::string_view text(uint64_t id) const {
    const std::string_view* found = strings.find(id);
    return found == nullptr ? std::string_view{} : *found;
  }
  uint64_t events(trace::Tag tag) const { return count[static_cast<uint8_t>(tag)]; }
};

FileScan scan_file(const TraceFile& file);

// The addresses of a NativeStack record, innermost first.
std::vector<uint64_t> native_pcs(std::string_view coded);

}  // namespace gpustall::collect
