// One function per activity kind. Names are interned by content, here, while CUPTI still owns them.
#include "libinterpose/cupti/record_decoder.h"

#include <atomic>

#include "libinterpose/cupti/devices.h"
#include "libinterpose/cupti/record_prefix.h"
#include "libinterpose/cupti/session.h"
#include "libinterpose/dictionary.h"
#include "libinterpose/recorder.h"

namespace gpustall::interpose::cupti {
namespace {

// Context id -> device + 1, learnt from device work: synchronization records name no device.
constexpr uint32_t kContexts = 256;
std::atomic<uint32_t> g_device_of_context[kContexts];

// A whole-context synchronization has no stream, one without an event has no event.
constexpr uint32_t kInvalidId = 0xffffffffu;

uint32_t known(uint32_t id) noexcept {
  return id == kInvalidId ? 0 : id;
}

class Decoder {
 public:
  explicit Decoder(HookGuard& guard) noexcept : guard_(guard) {
    uint64_t now = 0;
    if (api().GetTimestamp(&now) != CUPTI_SUCCESS || now < kOldest) return;
    earliest_ = now - kOldest;
    latest_ = now + kNewest;
  }

  void record(const CUpti_Activity* activity) noexcept;

 private:
  void kernel(const KernelPrefix& from) noexcept;
  void copy(const MemcpyPrefix& from) noexcept;
  void peer_copy(const PeerCopyPrefix& from) noexcept;
  void fill(const MemsetPrefix& from) noexcept;
  void graph(const GraphTracePrefix& from) noexcept;
  void overhead(const OverheadPrefix& from) noexcept;
  void sync(const SyncPrefix& from) noexcept;

  // Zero, reversed and absurd times come from forced flushes, exhausted device buffers and clock
  // bugs.
  template <typename Prefix, typename Record>
  bool take_times(const Prefix& from, Record& to) noexcept {
    if (from.start == 0 || from.end < from.start || from.start < earliest_ || from.end > latest_) {
      count_loss(trace::LossKind::ActivityInvalid);
      return false;
    }
    to.start = static_cast<int64_t>(from.start);
    to.duration = from.end - from.start;
    return true;
  }
  template <typename Prefix>
  uint32_t queue_of(const Prefix& from) noexcept;
  uint32_t name_id(const char* name) noexcept;

  HookGuard& guard_;
  // What a buffer may hold, from the time of its completion: CUPTI's clock may be stepped by an
  // hour, a buffer is not a day old.
  static constexpr uint64_t kOldest = 86400000000000, kNewest = 3600000000000;
  uint64_t earliest_ = 0, latest_ = UINT64_MAX;
  // The few names and queues of one buffer, by address: hashing a mangled name costs 100-300 ns.
  // The cache dies with the buffer because CUPTI reuses name addresses after a module is unloaded.
  static constexpr size_t kNames = 64;
  struct Name {
    const char* text;
    uint32_t id;
  } names_[kNames] = {};
  uint64_t last_queue_[3] = {~uint64_t{0}, 0, 0};
  uint32_t last_queue_id_ = 0;
};

template <typename Prefix>
uint32_t Decoder::queue_of(const Prefix& from) noexcept {
  if (last_queue_[0] == from.device && last_queue_[1] == from.context &&
      last_queue_[2] == from.stream)
    return last_queue_id_;
  last_queue_[0] = from.device;
  last_queue_[1] = from.context;
  last_queue_[2] = from.stream;
  last_queue_id_ = intern_queue(guard_, from.device, from.context, from.stream);
  note_device(from.device);
  if (from.context < kContexts)
    g_device_of_context[from.context].store(from.device + 1, std::memory_order_relaxed);
  return last_queue_id_;
}

uint32_t Decoder::name_id(const char* name) noexcept {
  if (name == nullptr) return 0;
  Name& cached = names_[(reinterpret_cast<uintptr_t>(name) >> 4) % kNames];
  if (cached.text != name) cached = {name, intern_string(guard_, name)};
  return cached.id;
}

void Decoder::kernel(const KernelPrefix& from) noexcept {
  trace::Kernel to;
  if (!take_times(from, to)) return;
  to.correlation = from.correlation;
  to.queue = queue_of(from);
  to.name = name_id(from.name);
  to.blocks = uint64_t{static_cast<uint32_t>(from.grid[0])} * static_cast<uint32_t>(from.grid[1]) *
              static_cast<uint32_t>(from.grid[2]);
  to.threads = uint64_t{static_cast<uint32_t>(from.block[0])} *
               static_cast<uint32_t>(from.block[1]) * static_cast<uint32_t>(from.block[2]);
  to.graph_node = from.graph_node;
  emit_device(guard_, to);
}

void Decoder::copy(const MemcpyPrefix& from) noexcept {
  trace::Memcpy to;
  if (!take_times(from, to)) return;
  to.correlation = from.correlation;
  to.queue = queue_of(from);
  to.copy_kind = from.copy_kind;
  to.bytes = from.bytes;
  to.src_kind = from.src_kind;
  to.dst_kind = from.dst_kind;
  to.graph_node = from.graph_node;
  emit_device(guard_, to);
}

void Decoder::peer_copy(const PeerCopyPrefix& from) noexcept {
  trace::Memcpy to;
  if (!take_times(from, to)) return;
  to.correlation = from.correlation;
  to.queue = queue_of(from);
  to.copy_kind = from.copy_kind;
  to.bytes = from.bytes;
  to.src_kind = from.src_kind;
  to.dst_kind = from.dst_kind;
  to.graph_node = from.graph_node;
  emit_device(guard_, to);
}

void Decoder::fill(const MemsetPrefix& from) noexcept {
  trace::Memset to;
  if (!take_times(from, to)) return;
  to.correlation = from.correlation;
  to.queue = queue_of(from);
  to.bytes = from.bytes;
  to.graph_node = from.graph_node;
  emit_device(guard_, to);
}

void Decoder::graph(const GraphTracePrefix& from) noexcept {
  trace::GraphRun to;
  if (!take_times(from, to)) return;
  to.correlation = from.correlation;
  to.queue = queue_of(from);
  to.graph = from.graph;
  emit_device(guard_, to);
}

void Decoder::overhead(const OverheadPrefix& from) noexcept {
  trace::Overhead to;
  if (!take_times(from, to)) return;
  to.kind = from.overhead_kind;
  if (api().version >= kVersionOfOverhead2) to.correlation = from.correlation;
  if (from.object_kind == CUPTI_ACTIVITY_OBJECT_THREAD) to.tid = from.object_id[1];
  emit_device(guard_, to);
}

void Decoder::sync(const SyncPrefix& from) noexcept {
  trace::SyncActivity to;
  if (!take_times(from, to)) return;
  to.correlation = from.correlation;
  const uint32_t device = from.context < kContexts
                              ? g_device_of_context[from.context].load(std::memory_order_relaxed)
                              : 0;
  if (device != 0) to.queue = intern_queue(guard_, device - 1, from.context, known(from.stream));
  to.sync_kind = from.type;
  to.event = known(from.event);
  emit_device(guard_, to);
}

void Decoder::record(const CUpti_Activity* activity) noexcept {
  const void* at = activity;
  switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return kernel(*static_cast<const KernelPrefix*>(at));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy(*static_cast<const MemcpyPrefix*>(at));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return peer_copy(*static_cast<const PeerCopyPrefix*>(at));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return fill(*static_cast<const MemsetPrefix*>(at));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return graph(*static_cast<const GraphTracePrefix*>(at));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return overhead(*static_cast<const OverheadPrefix*>(at));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sync(*static_cast<const SyncPrefix*>(at));
    default:
      return count_loss(trace::LossKind::ActivityUnknown);
  }
}

}  // namespace

void decode_buffer(HookGuard& guard, uint8_t* buffer, size_t valid) noexcept {
  Decoder decoder(guard);
  CUpti_Activity* activity = nullptr;
  while (api().ActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS)
    decoder.record(activity);
}

}  // namespace gpustall::interpose::cupti
