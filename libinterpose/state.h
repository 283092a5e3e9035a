// The life of the recorder in this process: one atomic, five states, Off is sticky. A process that
// never starts stays Uninitialized and its hooks do nothing but this one load.
#pragma once
#include <atomic>
#include <cstdint>

namespace gpustall::interpose {

enum class State : uint8_t { Uninitialized, Starting, On, Stopping, Off };
enum class StartReason : uint8_t { Injection, CudaCall, ParentRecords };

extern std::atomic<State> g_state;
// The hot flag: On, and the recording window (window.h) is open.
extern std::atomic<bool> g_recording;

inline State state() noexcept {
  return g_state.load(std::memory_order_relaxed);
}
inline bool is_on() noexcept {
  return state() == State::On;
}
inline bool is_recording() noexcept {
  return g_recording.load(std::memory_order_relaxed);
}

// Starts recording once per process; true when it is on afterwards. Any thread, any time after the
// constructor; also from InitializeInjection. A forked child of a recorder comes here by itself.
bool start_recording(StartReason reason) noexcept;

// Stops for good. The text says why; it goes to the trace when there is one, else to `diag`.
void turn_off(const char* why) noexcept;

// At most one line per process on stderr, only under GPUSTALL_VERBOSE or when `always`.
void diag(const char* text, bool always = false) noexcept;

}  // namespace gpustall::interpose
