// Names and classes of CUDA calls and libc waits, from calls.def and waits.def.
#pragma once
#include <cstdint>

namespace gpustall::trace {

enum class CallClass : uint8_t {
  Launch,
  Graph,
  Copy,
  Set,
  Sync,
  EventRecord,
  EventSync,
  StreamWait,
  Query,
  Malloc,
  Free,
  HostAlloc,
  HostFree,
  Module,
  Library,
  Context,
  Stream,
  Profiler,
  Other
};
enum class WaitClass : uint8_t {
  Read,
  Poll,
  Semaphore,
  Condition,
  Sleep,
  Write,
  Sync,
  Process,
  Affinity
};

enum class Call : uint8_t {
  None = 0,
#define GPUSTALL_CALL(id, name, text, cls) name = id,
#include "libinterpose/trace/calls.def"
#undef GPUSTALL_CALL
};
enum class WaitId : uint8_t {
  None = 0,
#define GPUSTALL_WAIT(id, name, text, cls) name = id,
#include "libinterpose/trace/waits.def"
#undef GPUSTALL_WAIT
};

constexpr const char* name_of(Call call) {
  switch (call) {
    case Call::None:
      break;
#define GPUSTALL_CALL(id, name, text, cls) \
  case Call::name:                         \
    return text;
#include "libinterpose/trace/calls.def"
#undef GPUSTALL_CALL
  }
  return "?";
}
constexpr CallClass class_of(Call call) {
  switch (call) {
    case Call::None:
      break;
#define GPUSTALL_CALL(id, name, text, cls) \
  case Call::name:                         \
    return CallClass::cls;
#include "libinterpose/trace/calls.def"
#undef GPUSTALL_CALL
  }
  return CallClass::Other;
}
constexpr const char* name_of(WaitId wait) {
  switch (wait) {
    case WaitId::None:
      break;
#define GPUSTALL_WAIT(id, name, text, cls) \
  case WaitId::name:                       \
    return text;
#include "libinterpose/trace/waits.def"
#undef GPUSTALL_WAIT
  }
  return "?";
}
constexpr WaitClass class_of(WaitId wait) {
  switch (wait) {
    case WaitId::None:
      break;
#define GPUSTALL_WAIT(id, name, text, cls) \
  case WaitId::name:                       \
    return WaitClass::cls;
#include "libinterpose/trace/waits.def"
#undef GPUSTALL_WAIT
  }
  return WaitClass::Poll;
}

}  // namespace gpustall::trace
