// Typed indexes into the tables of a Recording. 0xffffffff is "none" in every one of them.
#pragma once
#include <cstdint>

namespace gpustall::collect {

using TraceTime = int64_t;  // integer nanoseconds; which clock is said where it is stored

enum class ProcessIndex : uint32_t {};
enum class ThreadIndex : uint32_t {};
enum class DeviceIndex : uint32_t {};
enum class QueueIndex : uint32_t {};  // a (process, device, context, stream)
enum class StringId : uint32_t {};    // Recording::strings; 0 is the empty string
enum class FrameId : uint32_t {};
enum class StackId : uint32_t {};  // a node of the trie of Python stacks: its innermost frame
enum class NativeStackId : uint32_t {};
enum class ObjectId : uint32_t {};

template <typename Id>
inline constexpr Id kNone = static_cast<Id>(0xffffffffu);

template <typename Id>
constexpr uint32_t raw(Id id) {
  return static_cast<uint32_t>(id);
}

}  // namespace gpustall::collect
