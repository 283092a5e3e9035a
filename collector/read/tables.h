// The shared tables of a Recording under construction: strings, frames, stacks, devices, threads.
// Equal content gets one id across all files of a run. Used by the trace reader and the importers.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "collector/recording.h"

namespace gpustall::collect {

class Tables {
 public:
  explicit Tables(Recording& recording) : r_(recording) {}

  StringId string(std::string_view text);
  FrameId frame(StringId file, StringId function, int32_t line);
  StackId stack(StackId parent, FrameId frame);  // the parent must be in the table already
  NativeStackId native_stack(const std::vector<StringId>& symbols);
  ObjectId object(ProcessIndex process, trace::ObjectKind kind, uint64_t identity, StringId path);
  // A device by (host, uuid), or (host, ordinal) without one; made on first sight.
  DeviceIndex device(const Device& wanted);
  QueueIndex queue(const Queue& wanted);
  ThreadIndex thread(ProcessIndex process, uint32_t tid);
  bool knows_thread(ProcessIndex process, uint32_t tid) const;
  // Takes back the processes from `first` on and their threads; nothing else may name them yet.
  void drop_processes(ProcessIndex first);

 private:
  struct StringHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };

  Recording& r_;
  std::unordered_map<std::string, StringId, StringHash, std::equal_to<>> strings_;
  std::map<std::tuple<uint32_t, uint32_t, int32_t>, FrameId> frames_;
  std::unordered_map<uint64_t, StackId> stacks_;  // parent << 32 | frame
  std::map<std::vector<StringId>, NativeStackId> native_stacks_;
  std::map<std::tuple<uint32_t, uint8_t, uint64_t, uint32_t>, ObjectId> objects_;
  std::map<std::tuple<std::string, std::string, uint32_t>, DeviceIndex> devices_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, QueueIndex> queues_;
  std::unordered_map<uint64_t, ThreadIndex> threads_;  // process << 32 | tid
};

}  // namespace gpustall::collect
