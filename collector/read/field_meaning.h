// What the fields of records.def stand for, where their kind (U, S, T, …) does not say it. A field
// that is not listed is a plain number.
#pragma once
#include <string_view>

namespace gpustall::collect {

enum class Meaning {
  Number,
  Hex,
  Ticks,      // a duration in host ticks that is no D field
  HostTime,   // a moment in host ticks that is no T field
  Monotonic,  // CLOCK_MONOTONIC ns
  Realtime,
  DeviceTime,
  String,
  Stack,
  NativeStack,
  Code,
  Queue,
  Object,
  Call,
  Wait,
  ObjectKind,
  RunState,
  Loss,
  Notice,
  Text,  // B: readable bytes
  Pcs,
  Bytes
};

struct FieldMeaning {
  std::string_view record, field;
  Meaning meaning;
};

inline constexpr FieldMeaning kFieldMeanings[] = {
    {"String", "text", Meaning::Text},
    {"Code", "file", Meaning::String},
    {"Code", "function", Meaning::String},
    {"Code", "line_table", Meaning::Bytes},
    {"Frame", "parent", Meaning::Stack},
    {"Frame", "code", Meaning::Code},
    {"NativeStack", "pcs", Meaning::Pcs},
    {"Module", "base", Meaning::Hex},
    {"Module", "size", Meaning::Hex},
    {"Module", "file_offset", Meaning::Hex},
    {"Module", "path", Meaning::String},
    {"Module", "build_id", Meaning::String},
    {"Device", "name", Meaning::String},
    {"Device", "uuid", Meaning::String},
    {"Object", "kind", Meaning::ObjectKind},
    {"Object", "identity", Meaning::Hex},
    {"Object", "path", Meaning::String},
    {"Thread", "creator_stack", Meaning::Stack},
    {"Thread", "name", Meaning::String},
    {"Info", "key", Meaning::String},
    {"Info", "value", Meaning::String},
    {"Api", "call", Meaning::Call},
    {"Api", "stack", Meaning::Stack},
    {"Api", "object", Meaning::Hex},
    {"Api", "native_stack", Meaning::NativeStack},
    {"Wait", "wait", Meaning::Wait},
    {"Wait", "object", Meaning::Object},
    {"Wait", "stack", Meaning::Stack},
    {"Wait", "waker_lag", Meaning::Ticks},
    {"Wait", "native_stack", Meaning::NativeStack},
    {"ShortWaits", "wait", Meaning::Wait},
    {"ShortWaits", "total_ticks", Meaning::Ticks},
    {"Range", "domain", Meaning::String},
    {"Range", "name", Meaning::String},
    {"Mark", "domain", Meaning::String},
    {"Mark", "name", Meaning::String},
    {"Kernel", "queue", Meaning::Queue},
    {"Kernel", "name", Meaning::String},
    {"Memcpy", "queue", Meaning::Queue},
    {"Memset", "queue", Meaning::Queue},
    {"GraphRun", "queue", Meaning::Queue},
    {"SyncActivity", "queue", Meaning::Queue},
    {"Sample", "stack", Meaning::Stack},
    {"Sample", "state", Meaning::RunState},
    {"Counter", "key", Meaning::String},
    {"Clock", "monotonic_ns", Meaning::Monotonic},
    {"Clock", "realtime_ns", Meaning::Realtime},
    {"DeviceClock", "device_ns", Meaning::DeviceTime},
    {"Loss", "kind", Meaning::Loss},
    {"Notice", "kind", Meaning::Notice},
    {"Notice", "text", Meaning::Text},
    {"Fork", "stack", Meaning::Stack},
    {"OwnCost", "hook_ticks", Meaning::Ticks},
    {"CardState", "ticks", Meaning::HostTime},
    {"CardState", "throttle", Meaning::Hex},
    {"Card", "known", Meaning::Hex},
    {"CardState", "known", Meaning::Hex},
};

constexpr Meaning meaning_of(std::string_view record, std::string_view field) {
  for (const FieldMeaning& m : kFieldMeanings)
    if (m.record == record && m.field == field) return m.meaning;
  return Meaning::Number;
}

}  // namespace gpustall::collect
