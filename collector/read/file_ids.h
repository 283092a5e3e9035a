// From the ids of one file to those of the Recording. Ids without a definition (its chunk is lost)
// become "none", and are counted where they are used.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/read/scan.h"
#include "collector/read/symbols/symbolizer.h"
#include "collector/read/tables.h"

namespace gpustall::collect {

struct FileIds {
  std::vector<StringId> strings;
  std::vector<StackId> stacks;
  std::vector<NativeStackId> native_stacks;
  std::vector<QueueIndex> queues;
  std::vector<ObjectId> objects;
  std::vector<std::pair<uint64_t, DeviceIndex>> devices;  // by the ordinal in the file
  uint64_t lines_unknown = 0;  // Python frames whose line table did not answer

  StringId string(uint64_t id) { return look_up(strings, id, StringId(0)); }
  StackId stack(uint64_t id) { return look_up(stacks, id, kNone<StackId>); }
  NativeStackId native_stack(uint64_t id) {
    return look_up(native_stacks, id, kNone<NativeStackId>);
  }
  QueueIndex queue(uint64_t id) { return look_up(queues, id, kNone<QueueIndex>); }
  ObjectId object(uint64_t id) { return look_up(objects, id, kNone<ObjectId>); }
  DeviceIndex device(uint64_t ordinal) const {
    for (const auto& [known, index] : devices)
      if (known == ordinal) return index;
    return kNone<DeviceIndex>;
  }
  uint64_t undefined() const { return undefined_; }

 private:
  // An undefined id inside the table stands as "none" there.
  template <typename Id>
  Id look_up(const std::vector<Id>& ids, uint64_t id, Id none) {
    if (id == 0) return none;
    if (id < ids.size() && ids[id] != kUndefined<Id>) return ids[id];
    ++undefined_;
    return none;
  }
  uint64_t undefined_ = 0;

 public:
  template <typename Id>
  static constexpr Id kUndefined = static_cast<Id>(0xfffffffeu);
};

struct FileContext {
  const TraceFile& file;
  const FileScan& scan;
  ProcessIndex process{};
  ProcessIndex first_of_host{};  // objects of the kernel are shared by the processes of a host
};

// Strings, devices, queues, stacks, objects. `symbolizer` null: native frames stay addresses.
FileIds map_ids(const FileContext& context, Tables& tables, Symbolizer* symbolizer);

}  // namespace gpustall::collect
