// Where the running CPython keeps its frames: one table of offsets per minor version, proven
// against the interpreter itself before use. Nothing here takes the GIL, calls into Python beyond
// Py_GetVersion, or writes. A table that was not proven is never handed out.
#pragma once
#include <cstdint>

namespace gpustall::interpose {

// Byte offsets; 0 = this version has no such field. The names follow CPython's.
struct PythonLayout {
  uint32_t version_hex;
  // PyThreadState
  uint16_t tstate_next, tstate_interp, tstate_thread_id, tstate_native_id;
  uint16_t tstate_frame;  // the top frame, or up to 3.12's cframe a block that points to it
  uint16_t tstate_chunk;  // head of the data stack's chunks
  bool has_cframe;
  uint16_t cframe_frame;
  // PyFrameObject | _PyInterpreterFrame
  uint16_t frame_code, frame_prev, frame_pos, frame_owner;
  uint8_t first_shim_owner;  // frames with this owner or a higher one stand for C code
  uint8_t position_scale;    // 3.10 counts f_lasti in 2-byte units
  bool tagged_code;          // 3.14: low bits of the code reference are flags
  // PyCodeObject
  uint16_t code_file, code_name, code_lines, code_first_line;
  uint16_t code_instructions;  // 0: frame_pos is an index, else an address from here on
  // strings and bytes
  uint16_t ascii_data, compact_data;
  // _PyRuntime and PyInterpreterState
  uint32_t runtime_head, interp_threads, interp_collecting;
  uint32_t runtime_current;  // the thread state that holds the GIL, up to 3.11
  uint32_t interp_gil;       // pointer to the GIL, from 3.12 on
  // addresses in this process
  uintptr_t code_type, runtime;
};

// The same in all versions and builds that are accepted.
inline constexpr unsigned kObType = 8, kObSize = 16, kStrLength = 16, kStrState = 32,
                          kBytesData = 32, kGilHolder = 8, kGilLocked = 16;

enum class PythonState : uint8_t { Absent, Refused, Ready };

// Looks for an interpreter in this process, once it is there. Takes the loader's lock: call it from
// the helper thread or at the start of recording, never in a hook. Cheap once decided.
PythonState find_python() noexcept;

// The proven layout, or null. One load.
const PythonLayout* python_layout() noexcept;

// Why stacks are off: static text, empty unless Refused.
const char* python_refusal() noexcept;

// PY_VERSION_HEX of the interpreter, also of a refused one; 0 before one is found.
uint32_t python_version() noexcept;

// The calling thread's PyThreadState, null for threads that Python does not know, before it starts
// and while it ends. No lock.
const uint8_t* own_thread_state() noexcept;

}  // namespace gpustall::interpose
