// The offset tables and their proof. Sources of truth, in this order: the interpreter's own
// _Py_DebugOffsets (3.13 on), its member tables, and only then the numbers below, which were
// compiled from each release's headers for 64-bit builds with a GIL.
#include "libinterpose/stacks/python_offsets.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace gpustall::interpose {
namespace {

// clang-format off
constexpr PythonLayout kLayouts[] = {
  // 3.8: best effort, it is past its end of life
  {.version_hex = 0x0308, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 176, .tstate_native_id = 0,
   .tstate_frame = 24, .tstate_chunk = 0, .has_cframe = false, .cframe_frame = 0,
   .frame_code = 32, .frame_prev = 24, .frame_pos = 104, .frame_owner = 0,
   .first_shim_owner = 0, .position_scale = 1, .tagged_code = false,
   .code_file = 104, .code_name = 112, .code_lines = 120, .code_first_line = 40, .code_instructions = 0,
   .ascii_data = 48, .compact_data = 72, .runtime_head = 32, .interp_threads = 8, .interp_collecting = 0,
   .runtime_current = 1368, .interp_gil = 0, .code_type = 0, .runtime = 0},
  {.version_hex = 0x0309, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 176, .tstate_native_id = 0,
   .tstate_frame = 24, .tstate_chunk = 0, .has_cframe = false, .cframe_frame = 0,
   .frame_code = 32, .frame_prev = 24, .frame_pos = 104, .frame_owner = 0,
   .first_shim_owner = 0, .position_scale = 1, .tagged_code = false,
   .code_file = 104, .code_name = 112, .code_lines = 120, .code_first_line = 40, .code_instructions = 0,
   .ascii_data = 48, .compact_data = 72, .runtime_head = 32, .interp_threads = 8, .interp_collecting = 816,
   .runtime_current = 568, .interp_gil = 0, .code_type = 0, .runtime = 0},
  {.version_hex = 0x030a, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 176, .tstate_native_id = 0,
   .tstate_frame = 24, .tstate_chunk = 0, .has_cframe = false, .cframe_frame = 0,
   .frame_code = 32, .frame_prev = 24, .frame_pos = 96, .frame_owner = 0,
   .first_shim_owner = 0, .position_scale = 2, .tagged_code = false,
   .code_file = 104, .code_name = 112, .code_lines = 120, .code_first_line = 40, .code_instructions = 0,
   .ascii_data = 48, .compact_data = 72, .runtime_head = 32, .interp_threads = 8, .interp_collecting = 816,
   .runtime_current = 568, .interp_gil = 0, .code_type = 0, .runtime = 0},
  {.version_hex = 0x030b, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 152, .tstate_native_id = 160,
   .tstate_frame = 56, .tstate_chunk = 296, .has_cframe = true, .cframe_frame = 8,
   .frame_code = 32, .frame_prev = 48, .frame_pos = 56, .frame_owner = 69,
   .first_shim_owner = 3, .position_scale = 1, .tagged_code = false,
   .code_file = 112, .code_name = 128, .code_lines = 136, .code_first_line = 72, .code_instructions = 184,
   .ascii_data = 48, .compact_data = 72, .runtime_head = 40, .interp_threads = 16, .interp_collecting = 848,
   .runtime_current = 576, .interp_gil = 0, .code_type = 0, .runtime = 0},
  {.version_hex = 0x030c, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 136, .tstate_native_id = 144,
   .tstate_frame = 56, .tstate_chunk = 232, .has_cframe = true, .cframe_frame = 0,
   .frame_code = 0, .frame_prev = 8, .frame_pos = 56, .frame_owner = 70,
   .first_shim_owner = 3, .position_scale = 1, .tagged_code = false,
   .code_file = 112, .code_name = 128, .code_lines = 136, .code_first_line = 68, .code_instructions = 192,
   .ascii_data = 40, .compact_data = 56, .runtime_head = 40, .interp_threads = 72, .interp_collecting = 312,
   .runtime_current = 0, .interp_gil = 384, .code_type = 0, .runtime = 0},
  // 3.13 and 3.14: replaced by _Py_DebugOffsets where it has the field
  {.version_hex = 0x030d, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 152, .tstate_native_id = 160,
   .tstate_frame = 72, .tstate_chunk = 232, .has_cframe = false, .cframe_frame = 0,
   .frame_code = 0, .frame_prev = 8, .frame_pos = 56, .frame_owner = 70,
   .first_shim_owner = 3, .position_scale = 1, .tagged_code = false,
   .code_file = 112, .code_name = 128, .code_lines = 136, .code_first_line = 68, .code_instructions = 200,
   .ascii_data = 40, .compact_data = 56, .runtime_head = 632, .interp_threads = 7344, .interp_collecting = 7600,
   .runtime_current = 0, .interp_gil = 16, .code_type = 0, .runtime = 0},
  {.version_hex = 0x030e, .tstate_next = 8, .tstate_interp = 16, .tstate_thread_id = 152, .tstate_native_id = 160,
   .tstate_frame = 72, .tstate_chunk = 232, .has_cframe = false, .cframe_frame = 0,
   .frame_code = 0, .frame_prev = 8, .frame_pos = 56, .frame_owner = 74,
   .first_shim_owner = 3, .position_scale = 1, .tagged_code = true,
   .code_file = 112, .code_name = 128, .code_lines = 136, .code_first_line = 68, .code_instructions = 208,
   .ascii_data = 40, .compact_data = 56, .runtime_head = 0, .interp_threads = 7344, .interp_collecting = 0,
   .runtime_current = 0, .interp_gil = 0, .code_type = 0, .runtime = 0},
};
// clang-format on

PythonLayout g_layout;
std::atomic<PythonState> g_state{PythonState::Absent};
std::atomic<uint32_t> g_version{0};
const char* g_refusal = "";
void* (*g_get_thread_state)();
int (*g_is_finalizing)();

template <typename T>
T load(uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// "3.11.2+ (main, ...)" -> 0x030b0200; the release level is not needed.
uint32_t parse_version(const char* text) {
  unsigned part[3] = {};
  unsigned at = 0;
  for (; *text != 0 && *text != ' '; ++text) {
    if (*text >= '0' && *text <= '9')
      part[at] = part[at] * 10 + static_cast<unsigned>(*text - '0');
    else if (*text != '.' || ++at > 2)
      break;
  }
  return part[0] << 24 | (part[1] & 0xff) << 16 | (part[2] & 0xff) << 8;
}

// Fields of _Py_DebugOffsets by index of their u64 (cookie, version, free_threaded = 0, 1, 2). The
// sequence is another one in every minor version.
struct DebugIndex {
  uint8_t runtime_head, interp_threads, interp_gc, interp_gil, tstate, frame, frame_owner, code,
      bytes_data, str_state, gc_collecting;
};
constexpr DebugIndex kDebug313 = {5, 9, 10, 14, 19, 28, 33, 34, 66, 68, 72};
constexpr DebugIndex kDebug314 = {5, 9, 11, 15, 22, 31, 36, 39, 76, 78, 82};

const char* read_debug_offsets(PythonLayout& l) {
  const auto field = [&](unsigned index) {
    return load<uint64_t>(l.runtime + uint64_t{8} * index);
  };
  const auto small = [&](unsigned index) { return static_cast<uint16_t>(field(index)); };
  if (std::memcmp(reinterpret_cast<const void*>(l.runtime), "xdebugpy", 8) != 0)
    return "the interpreter has no debug offsets";
  if (field(1) >> 16 != l.version_hex >> 16) return "its debug offsets are of another version";
  if (field(2) != 0) return "it is a free-threaded build";
  const DebugIndex& d = (l.version_hex >> 16 & 0xff) == 13 ? kDebug313 : kDebug314;
  l.runtime_head = static_cast<uint32_t>(field(d.runtime_head));
  l.interp_threads = static_cast<uint32_t>(field(d.interp_threads));
  l.interp_gil = static_cast<uint32_t>(field(d.interp_gil));
  l.interp_collecting = static_cast<uint32_t>(field(d.interp_gc) + field(d.gc_collecting));
  // thread_state: size prev next interp current_frame thread_id native_thread_id datastack_chunk
  l.tstate_next = small(d.tstate + 2u);
  l.tstate_interp = small(d.tstate + 3u);
  l.tstate_frame = small(d.tstate + 4u);
  l.tstate_thread_id = small(d.tstate + 5u);
  l.tstate_native_id = small(d.tstate + 6u);
  l.tstate_chunk = small(d.tstate + 7u);
  // interpreter_frame: size previous executable instr_ptr localsplus owner
  l.frame_prev = small(d.frame + 1u);
  l.frame_code = small(d.frame + 2u);
  l.frame_pos = small(d.frame + 3u);
  l.frame_owner = small(d.frame_owner);
  // code_object: size filename name qualname linetable firstlineno ... co_code_adaptive (ninth)
  l.code_file = small(d.code + 1u);
  l.code_name = small(d.code + 3u);
  l.code_lines = small(d.code + 4u);
  l.code_first_line = small(d.code + 5u);
  l.code_instructions = small(d.code + 9u);
  if (field(d.bytes_data) != kBytesData || field(d.str_state) != kStrState)
    return "its strings are laid out in an unknown way";
  l.ascii_data = small(d.str_state + 2u);
  l.compact_data = static_cast<uint16_t>(l.ascii_data + 16);  // utf8_length and utf8
  return nullptr;
}

// Offset that a type publishes for a member, or -1. PyMemberDef is name, type, offset, flags, doc.
int64_t member_offset(uintptr_t type, const char* name) {
  constexpr unsigned kTpMembers = 240, kMemberBytes = 40, kMemberOffset = 16;
  auto member = load<uintptr_t>(type + kTpMembers);
  if (member == 0) return -1;
  for (unsigned i = 0; i < 64; ++i, member += kMemberBytes) {
    const auto* found = load<const char*>(member);
    if (found == nullptr) return -1;
    if (std::strcmp(found, name) == 0) return load<int64_t>(member + kMemberOffset);
  }
  return -1;
}

// The table against what the interpreter publishes about itself; null when all agrees. A build with
// other object headers (Py_TRACE_REFS, free-threaded) moves every one of these.
const char* prove(const PythonLayout& l, uintptr_t frame_type) {
  const unsigned minor = l.version_hex >> 16 & 0xff;
  constexpr unsigned kTpName = 24, kTpBasicsize = 32;
  const auto* type_name = load<const char*>(l.code_type + kTpName);
  if (type_name == nullptr || std::strcmp(type_name, "code") != 0)
    return "its type objects are laid out in an unknown way";
  const auto at = [&](const char* name, int64_t expected) {
    return member_offset(l.code_type, name) == expected;
  };
  if (!at("co_filename", l.code_file) || !at("co_firstlineno", l.code_first_line) ||
      !at(minor >= 11 ? "co_qualname" : "co_name", l.code_name) ||
      !at(minor >= 10 ? "co_linetable" : "co_lnotab", l.code_lines))
    return "its code objects are not laid out as in the release of this version";
  if (l.code_instructions != 0 && load<int64_t>(l.code_type + kTpBasicsize) != l.code_instructions)
    return "its instructions are not where the release of this version has them";
  if (minor <= 10 && member_offset(frame_type, "f_back") != l.frame_prev)
    return "its frames are not laid out as in the release of this version";
  return nullptr;
}

// Fills and proves g_layout; null when it can be used.
const char* choose_layout(uint32_t version) {
  const PythonLayout* found = nullptr;
  for (const PythonLayout& l : kLayouts)
    if (l.version_hex == version >> 16) found = &l;
  if (found == nullptr) return "this version of CPython is not known";
  PythonLayout l = *found;
  l.version_hex = version;
  l.code_type = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "PyCode_Type"));
  l.runtime = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "_PyRuntime"));
  const auto frame_type = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "PyFrame_Type"));
  if (l.code_type == 0 || l.runtime == 0 || frame_type == 0)
    return "the interpreter does not export its types";
  if (version >> 16 >= 0x030d)
    if (const char* why = read_debug_offsets(l)) return why;
  if (const char* why = prove(l, frame_type)) return why;
  g_layout = l;
  return nullptr;
}

}  // namespace

PythonState find_python() noexcept {
  static std::atomic<int> busy{0};  // a pid, so that a fork while it is set does not bar the child
  const PythonState state = g_state.load(std::memory_order_acquire);
  if (state != PythonState::Absent) return state;
  const int pid = getpid();
  int other = busy.load(std::memory_order_relaxed);
  if (other == pid || !busy.compare_exchange_strong(other, pid, std::memory_order_acquire))
    return state;
  using VersionFunction = const char* (*)();
  const auto version = reinterpret_cast<VersionFunction>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
  g_get_thread_state =
      reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  if (version != nullptr && g_get_thread_state != nullptr) {
    void* finalizing = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");  // 3.13 on; before with underscore
    if (finalizing == nullptr) finalizing = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    g_is_finalizing = reinterpret_cast<int (*)()>(finalizing);
    g_version.store(parse_version(version()), std::memory_order_relaxed);
    const char* why =
        finalizing == nullptr ? "it does not tell when it ends" : choose_layout(python_version());
    if (why != nullptr) g_refusal = why;
    g_state.store(why == nullptr ? PythonState::Ready : PythonState::Refused,
                  std::memory_order_release);
  }
  busy.store(0, std::memory_order_release);
  return g_state.load(std::memory_order_acquire);
}

const PythonLayout* python_layout() noexcept {
  return g_state.load(std::memory_order_acquire) == PythonState::Ready ? &g_layout : nullptr;
}

const char* python_refusal() noexcept {
  return g_state.load(std::memory_order_acquire) == PythonState::Refused ? g_refusal : "";
}

uint32_t python_version() noexcept {
  return g_version.load(std::memory_order_relaxed);
}

const uint8_t* own_thread_state() noexcept {
  // While the interpreter ends it frees the states of threads that sit in our hooks; the flag is
  // up long before that.
  if (g_is_finalizing() != 0) return nullptr;
  return static_cast<const uint8_t*>(g_get_thread_state());
}

}  // namespace gpustall::interpose
