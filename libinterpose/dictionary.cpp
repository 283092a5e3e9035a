#include "libinterpose/dictionary.h"

#include <sched.h>

#include <atomic>

#include "libinterpose/fork.h"
#include "libinterpose/recorder.h"

namespace gpustall::interpose {

namespace {

// splitmix64's finaliser: every bit of the input reaches every bit of the output.
uint64_t mix(uint64_t v) noexcept {
  v ^= v >> 30;
  v *= 0xbf58476d1ce4e5b9u;
  v ^= v >> 27;
  v *= 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}
uint64_t combine(uint64_t hash, uint64_t v) noexcept {
  return mix(hash * 0x9e3779b97f4a7c15u ^ v);
}

uint64_t hash_bytes(const void* data, size_t n) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t hash = combine(0x6770757374616c6cu, n);
  for (; n >= 8; at += 8, n -= 8) {
    uint64_t word;
    __builtin_memcpy(&word, at, 8);
    hash = combine(hash, word);
  }
  uint64_t word = 0;
  __builtin_memcpy(&word, at, n);
  return combine(hash, word);
}

struct Slot {
  std::atomic<uint64_t> key;  // 0: empty
  std::atomic<uint32_t> id;   // 0: its winner is about to number it
};

// Open addressing, linear probing, filled to 3/4 at most. The memory is mapped at the first use and
// is wiped by fork, next_id with it.
template <uint32_t kSlots>
class IdTable {
 public:
  // The id of the key; `added` tells the one caller that must write the record.
  uint32_t find_or_add(uint64_t key, bool& added) noexcept { return probe(key, true, added); }
  uint32_t find(uint64_t key) noexcept {
    bool added = false;
    return probe(key, false, added);
  }

 private:
  static_assert((kSlots & (kSlots - 1)) == 0);
  struct Memory {
    std::atomic<uint32_t> last_id;
    Slot slots[kSlots];
  };

  Memory* memory() noexcept {
    Memory* m = memory_.load(std::memory_order_acquire);
    if (m != nullptr) return m;
    auto* fresh = static_cast<Memory*>(map_wiped(sizeof(Memory)));
    // A loser leaks address space that was never touched.
    return memory_.compare_exchange_strong(m, fresh, std::memory_order_acq_rel) ? fresh : m;
  }

  uint32_t probe(uint64_t key, bool add, bool& added) noexcept {
    Memory* m = memory();
    if (m == nullptr) return 0;
    if (key == 0) key = 1;
    for (uint32_t i = static_cast<uint32_t>(key), n = 0; n < kSlots; ++i, ++n) {
      Slot& slot = m->slots[i & (kSlots - 1)];
      uint64_t seen = slot.key.load(std::memory_order_acquire);
      if (seen == 0) {
        if (!add) return 0;
        if (m->last_id.load(std::memory_order_relaxed) >= kSlots / 4 * 3) break;
        if (slot.key.compare_exchange_strong(seen, key, std::memory_order_acq_rel)) {
          const uint32_t id = m->last_id.fetch_add(1, std::memory_order_relaxed) + 1;
          slot.id.store(id, std::memory_order_release);
          added = true;
          return id;
        }
      }
      if (seen == key) return settled(slot);
    }
    count_loss(trace::LossKind::DictionaryFull);
    return 0;
  }

  static uint32_t settled(Slot& slot) noexcept {
    uint32_t id = slot.id.load(std::memory_order_acquire);
    for (int i = 0; id == 0 && i < 100000; ++i) {
      if (i >= 100) sched_yield();
      id = slot.id.load(std::memory_order_acquire);
    }
    return id;
  }

  std::atomic<Memory*> memory_{nullptr};
};

IdTable<1u << 17> g_strings;
IdTable<1u << 16> g_codes;
IdTable<1u << 19> g_frames;
IdTable<1u << 17> g_natives;
IdTable<1u << 12> g_queues;
IdTable<1u << 16> g_objects;
IdTable<1u << 14> g_modules;

}  // namespace

uint32_t intern_string(HookGuard& guard, std::string_view text) noexcept {
  if (text.empty()) return 0;
  if (text.size() > trace::kMaxRecordBytes - 64) {
    text = text.substr(0, trace::kMaxRecordBytes - 64);
    count_loss(trace::LossKind::RecordTooLong);
  }
  bool added = false;
  const uint32_t id = g_strings.find_or_add(hash_bytes(text.data(), text.size()), added);
  if (added) emit(guard, trace::String{id, text});
  return id;
}

uint32_t intern_queue(HookGuard& guard, uint64_t device, uint64_t context,
                      uint64_t stream) noexcept {
  bool added = false;
  const uint64_t key = combine(combine(combine(3, device), context), stream);
  const uint32_t id = g_queues.find_or_add(key, added);
  if (added) emit(guard, trace::Queue{id, device, context, stream});
  return id;
}

namespace {
uint64_t object_key(trace::ObjectKind kind, uint64_t identity) noexcept {
  return combine(combine(5, static_cast<uint64_t>(kind)), identity);
}
}  // namespace

uint32_t find_object(HookGuard&, trace::ObjectKind kind, uint64_t identity) noexcept {
  return g_objects.find(object_key(kind, identity));
}

uint32_t intern_object(HookGuard& guard, trace::ObjectKind kind, uint64_t identity,
                       std::string_view path) noexcept {
  bool added = false;
  const uint32_t id = g_objects.find_or_add(object_key(kind, identity), added);
  if (added) {
    const uint32_t text = intern_string(guard, path);
    emit(guard, trace::Object{id, static_cast<uint64_t>(kind), identity, text});
  }
  return id;
}

uint32_t intern_module(HookGuard&, uint64_t base, uint64_t size, std::string_view path,
                       bool& added) noexcept {
  return g_modules.find_or_add(combine(combine(hash_bytes(path.data(), path.size()), base), size),
                               added);
}

namespace {
uint64_t code_hash(const CodeKey& k) noexcept {
  return combine(combine(combine(combine(7, k.address), k.filename_address), k.first_line),
                 k.checksum);
}
}  // namespace

uint32_t find_code(HookGuard&, const CodeKey& key) noexcept {
  return g_codes.find(code_hash(key));
}

uint32_t add_code(HookGuard& guard, const CodeKey& key, const CodeText& text) noexcept {
  bool added = false;
  const uint32_t id = g_codes.find_or_add(code_hash(key), added);
  if (!added) return id;
  std::string_view lines = text.line_table;
  if (lines.size() > trace::kMaxRecordBytes - 64) {
    lines = {};  // a cut table would give wrong lines; without one the first line is known
    count_loss(trace::LossKind::RecordTooLong);
  }
  const uint32_t file = intern_string(guard, text.file);
  const uint32_t function = intern_string(guard, text.function);
  emit(guard, trace::Code{id, file, function, key.first_line, lines});
  return id;
}

uint32_t intern_frame(HookGuard& guard, uint32_t parent, uint32_t code, int64_t position) noexcept {
  const uint64_t key = combine(mix(uint64_t{parent} << 32 | code), static_cast<uint64_t>(position));
  bool added = false;
  const uint32_t id = g_frames.find_or_add(key, added);
  if (added) emit(guard, trace::Frame{id, parent, code, position});
  return id;
}

uint32_t intern_native(HookGuard& guard, const uint64_t* pcs, unsigned count) noexcept {
  if (count == 0) return 0;
  bool added = false;
  const uint32_t id = g_natives.find_or_add(hash_bytes(pcs, size_t{count} * 8), added);
  if (!added) return id;
  uint8_t coded[2048];
  trace::Writer out(coded, coded + sizeof coded);
  uint64_t last = 0;
  for (unsigned i = 0; i < count && out.ok(); ++i) {
    if (out.size() > sizeof coded - 10) break;  // outermost frames of an extreme stack
    out.varint(trace::zigzag(static_cast<int64_t>(pcs[i] - last)));
    last = pcs[i];
  }
  emit(guard, trace::NativeStack{id, {reinterpret_cast<const char*>(coded), out.size()}});
  return id;
}

}  // namespace gpustall::interpose
