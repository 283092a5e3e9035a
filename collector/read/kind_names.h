// The format's enumerations as words, spelled as in format.h.
#pragma once
#include <cstdint>
#include <string_view>

#include "libinterpose/trace/format.h"

namespace gpustall::collect {

namespace detail {
inline constexpr std::string_view kLossNames[] = {
    "NoChunk",         "RecordTooLong",   "DictionaryFull",  "CuptiDropped",
    "ActivityInvalid", "ActivityUnknown", "StackUnreadable", "HookReentered",
    "UnlinkedWaker",   "AfterExit",       "SampleMissed"};
static_assert(std::size(kLossNames) == static_cast<size_t>(trace::LossKind::Count));
inline constexpr std::string_view kNoticeNames[] = {
    "CuptiRefused",    "CuptiYielded", "CuptiResumed", "CuptiMissing", "PythonStacksOff",
    "NativeStacksOff", "SamplerOff",   "CapReached",   "DiskFull",     "WindowOpened",
    "WindowClosed",    "ForkedChild",  "ClockStepped", "Other",        "FileCut"};
static_assert(std::size(kNoticeNames) == static_cast<size_t>(trace::NoticeKind::FileCut) + 1);
inline constexpr std::string_view kObjectNames[] = {"Unknown", "File",      "Pipe",      "Socket",
                                                    "Tty",     "Semaphore", "Condition", "Gil",
                                                    "EventFd", "Device"};
static_assert(std::size(kObjectNames) == static_cast<size_t>(trace::ObjectKind::Device) + 1);
inline constexpr std::string_view kStateNames[] = {"Unknown",  "Running",  "Runnable",
                                                   "Sleeping", "DiskWait", "Stopped"};
static_assert(std::size(kStateNames) == static_cast<size_t>(trace::ThreadRunState::Stopped) + 1);
inline constexpr std::string_view kRoleNames[] = {"Unknown", "Trainer", "LoaderWorker", "Other"};
static_assert(std::size(kRoleNames) == static_cast<size_t>(trace::Role::Other) + 1);
inline constexpr std::string_view kStreamNames[] = {"Thread", "Device", "Dictionary"};
static_assert(std::size(kStreamNames) == static_cast<size_t>(trace::StreamKind::Dictionary) + 1);
}  // namespace detail

// Empty for a number without a name.
template <size_t N>
constexpr std::string_view word(const std::string_view (&names)[N], uint64_t value) {
  return value < N ? names[value] : std::string_view{};
}
inline std::string_view loss_name(uint64_t kind) {
  return word(detail::kLossNames, kind);
}
inline std::string_view notice_name(uint64_t kind) {
  return word(detail::kNoticeNames, kind);
}
inline std::string_view object_name(uint64_t kind) {
  return word(detail::kObjectNames, kind);
}
inline std::string_view state_name(uint64_t state) {
  return word(detail::kStateNames, state);
}
inline std::string_view role_name(uint64_t role) {
  return word(detail::kRoleNames, role);
}
inline std::string_view stream_name(uint64_t kind) {
  return word(detail::kStreamNames, kind);
}

}  // namespace gpustall::collect
