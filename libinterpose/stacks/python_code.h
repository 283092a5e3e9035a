// What one Python frame is to the trace: a code object (identity, names, line table) and a position
// in it. Shared by the walker of the own thread, which loads directly, and the sampler, which reads
// guarded copies: both hand in a Memory whose at(address, n) gives n readable bytes or null.
// Strings and sizes are not trusted: a recycled object must give a wrong name at worst.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "libinterpose/dictionary.h"
#include "libinterpose/recorder.h"
#include "libinterpose/stacks/python_offsets.h"

namespace gpustall::interpose {

inline constexpr size_t kCodeBytes = 144;  // of a code object: all that is read of it
inline constexpr int64_t kMaxPosition = 16 << 20;
inline constexpr unsigned kMaxFrames = 128;

template <class T>
T load_at(const uint8_t* base, size_t offset) noexcept {
  T value;
  std::memcpy(&value, base + offset, sizeof value);
  return value;
}

struct OwnMemory {
  const uint8_t* at(uintptr_t address, size_t) const noexcept {
    return reinterpret_cast<const uint8_t*>(address);
  }
  void forget() const noexcept {}
};

struct PythonFrame {
  uintptr_t code;
  int64_t position;
  CodeKey key;
};

// The position as a byte offset into the instructions; false for what cannot be one.
inline bool position_of(const PythonLayout& l, uint64_t raw, PythonFrame& frame) noexcept {
  if (l.code_instructions == 0)
    frame.position = int64_t{static_cast<int32_t>(raw)} * l.position_scale;
  else
    frame.position = static_cast<int64_t>(raw - frame.code - l.code_instructions);
  return frame.position >= -2 && frame.position < kMaxPosition;  // below 0: not started yet
}

// Fills the key from the first kCodeBytes of the object; false when it is no code object. The key
// mixes fields that differ between code objects which took each other's address: size or argument
// counts, constants and names or local counts and flags, and the strings it points to.
inline bool key_of(const PythonLayout& l, const uint8_t* object, PythonFrame& frame) noexcept {
  if (load_at<uintptr_t>(object, kObType) != l.code_type) return false;
  uint64_t mix = load_at<uint64_t>(object, 16);
  for (const size_t offset : {size_t{24}, size_t{32}, size_t{l.code_name}, size_t{l.code_lines}})
    mix = (mix ^ load_at<uint64_t>(object, offset)) * 0x9e3779b97f4a7c15;
  frame.key = {frame.code, load_at<uint64_t>(object, l.code_file),
               load_at<uint32_t>(object, l.code_first_line), mix ^ mix >> 32};
  return true;
}

// Room for the text of one code object; line tables beyond it are cut (a record holds 32 KiB).
struct TextBuffer {
  char bytes[28 << 10];
  size_t used;

  void put(uint32_t point) noexcept {  // one code point as UTF-8
    char* at = bytes + used;
    const auto tail = [&](unsigned shift) {
      return static_cast<char>(0x80 | (point >> shift & 0x3f));
    };
    if (point < 0x80) {
      *at++ = static_cast<char>(point);
    } else if (point < 0x800) {
      *at++ = static_cast<char>(0xc0 | point >> 6);
      *at++ = tail(0);
    } else if (point < 0x10000) {
      *at++ = static_cast<char>(0xe0 | point >> 12);
      *at++ = tail(6);
      *at++ = tail(0);
    } else {
      *at++ = static_cast<char>(0xf0 | (point >> 18 & 7));
      *at++ = tail(12);
      *at++ = tail(6);
      *at++ = tail(0);
    }
    used = static_cast<size_t>(at - bytes);
  }
};

// A str object as UTF-8, cut at 1,024 code points; empty when it is not readable.
template <class Memory>
std::string_view text_of(const PythonLayout& l, Memory& memory, uintptr_t address,
                         TextBuffer& out) noexcept {
  constexpr size_t kLongest = 1024;
  const uint8_t* head = memory.at(address, 40);
  if (head == nullptr) return {};
  const auto state = load_at<uint32_t>(head, kStrState);
  auto length = load_at<uint64_t>(head, kStrLength);
  const unsigned width = state >> 2 & 7;  // bytes of a code point
  const bool compact = (state & 32) != 0, ascii = (state & 64) != 0;
  if (!compact || (width != 1 && width != 2 && width != 4) || length > 1 << 20) return {};
  if (length > kLongest) length = kLongest;
  const uint8_t* data =
      memory.at(address + (ascii ? l.ascii_data : l.compact_data), length * width);
  if (data == nullptr) return {};
  const size_t begin = out.used;
  for (size_t i = 0; i < length; ++i)
    out.put(width == 1   ? data[i]
            : width == 2 ? load_at<uint16_t>(data, i * 2)
                         : load_at<uint32_t>(data, i * 4));
  return {out.bytes + begin, out.used - begin};
}

template <class Memory>
std::string_view line_table_of(Memory& memory, uintptr_t address, TextBuffer& out) noexcept {
  const uint8_t* head = memory.at(address, kBytesData);
  if (head == nullptr) return {};
  auto size = load_at<uint64_t>(head, kObSize);
  const size_t room = sizeof out.bytes - out.used;
  if (size > room) size = room;
  const uint8_t* data = memory.at(address + kBytesData, size);
  if (data == nullptr) return {};
  std::memcpy(out.bytes + out.used, data, size);
  return {out.bytes + out.used, size};
}

// The dictionary's id of the frame's code object, copying its text on first sight; 0: unreadable or
// no room.
template <class Memory>
uint32_t code_id(HookGuard& guard, const PythonLayout& l, Memory& memory, const PythonFrame& frame,
                 TextBuffer& scratch) noexcept {
  if (const uint32_t known = find_code(guard, frame.key)) return known;
  memory.forget();
  const uint8_t* object = memory.at(frame.code, kCodeBytes);
  if (object == nullptr) return 0;
  const auto name = load_at<uintptr_t>(object, l.code_name);
  const auto lines = load_at<uintptr_t>(object, l.code_lines);
  scratch.used = 0;
  CodeText text;
  text.file = text_of(l, memory, frame.key.filename_address, scratch);
  text.function = text_of(l, memory, name, scratch);
  text.line_table = line_table_of(memory, lines, scratch);
  // Another thread's code object may have gone meanwhile: the text counts if the key still holds.
  memory.forget();
  object = memory.at(frame.code, kCodeBytes);
  PythonFrame now = frame;
  if (text.file.empty() || object == nullptr || !key_of(l, object, now) ||
      now.key.checksum != frame.key.checksum)
    return 0;
  const uint32_t id = add_code(guard, frame.key, text);
  // Line tables cannot be read without the version, and the file may not have existed before.
  if (trace::FileHeader* header = file_header())
    __atomic_store_n(&header->python_version, l.version_hex, __ATOMIC_RELAXED);
  return id;
}

// Remembers the trie nodes that this thread walked: (parent, code, position) -> node, so that a
// repeated stack costs one probe per frame and no access to shared memory.
class NodeCache {
 public:
  template <class Memory>
  uint32_t child(HookGuard& guard, const PythonLayout& l, Memory& memory, uint32_t parent,
                 const PythonFrame& frame, TextBuffer& scratch) noexcept {
    const uint64_t tag =
        (frame.key.checksum ^ frame.code ^ frame.key.filename_address << 20) +
        (uint64_t{parent} << 32 | static_cast<uint32_t>(frame.position)) * 0xff51afd7ed558ccd;
    Entry& entry = entries_[tag >> 54];
    if (entry.tag == tag && entry.parent == parent && entry.node != 0) return entry.node;
    const uint32_t code = code_id(guard, l, memory, frame, scratch);
    if (code == 0) return 0;
    entry = {tag, parent, intern_frame(guard, parent, code, frame.position)};
    return entry.node;
  }

 private:
  struct Entry {
    uint64_t tag;
    uint32_t parent, node;
  };
  Entry entries_[1024];
};

// The root of stacks that were cut at kMaxFrames.
inline uint32_t truncated_root(HookGuard& guard) noexcept {
  constexpr CodeKey kKey{1, 1, 0, 1};
  uint32_t code = find_code(guard, kKey);
  if (code == 0) code = add_code(guard, kKey, {"", "[truncated]", {}});
  return code == 0 ? 0 : intern_frame(guard, 0, code, 0);
}

}  // namespace gpustall::interpose
