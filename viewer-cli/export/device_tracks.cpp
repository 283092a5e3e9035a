// Work on the devices: one track per stream, with lanes where work overlaps.
#include <algorithm>
#include <memory>

#include "viewer-cli/export/arrows.h"
#include "viewer-cli/export/track_lanes.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr int64_t kStreamSort = 100;  // below causes and steps

const char* memory_name(uint8_t kind) {
  switch (kind) {
    case kPageable:
      return "Pageable";
    case kPinned:
      return "Pinned";
    case kDeviceMemory:
      return "Device";
    case kManaged:
      return "Managed";
    default:
      return "Unknown";
  }
}

// As torch.profiler names copies: tools tell directions and memories from this text.
std::string copy_name(const Activities& a, size_t i) {
  const char* way = a.copy_kind[i] == kHostToDevice     ? "HtoD"
                    : a.copy_kind[i] == kDeviceToHost   ? "DtoH"
                    : a.copy_kind[i] == kDeviceToDevice ? "DtoD"
                    : a.copy_kind[i] == kPeerToPeer     ? "PtoP"
                                                        : "Unknown";
  return std::string("Memcpy ") + way + " (" + memory_name(a.src_kind[i]) + " -> " +
         memory_name(a.dst_kind[i]) + ")";
}

class DeviceTracks {
 public:
  explicit DeviceTracks(TimelineState& state)
      : s_(state), r_(state.in.recording), lanes_(r_.queues.size()) {
    for (const Queue& queue : r_.queues)
      several_processes_ |= queue.process != r_.queues.front().process;
  }

  void run() {
    const Activities& a = r_.activities;
    DeviceIndex device = kNone<DeviceIndex>;
    InSelection selected(s_.selection);
    for (size_t i = 0; i < a.size(); ++i) {
      if (r_.device_of(i) != device) {
        device = r_.device_of(i);
        selected = InSelection(s_.selection);
      }
      if (!s_.selection.devices[raw(device)] ||
          !s_.selection.processes[raw(r_.queues[raw(a.queue[i])].process)])
        continue;
      const int64_t start = s_.in.clock.device(device, a.start[i]);
      const int64_t end = std::max(start, s_.in.clock.device(device, a.end[i]));
      if (selected.overlaps(start, end)) row(i, start, end);
    }
  }

 private:
  void row(size_t i, int64_t start, int64_t end) {
    const Activities& a = r_.activities;
    const Queue& queue = r_.queues[raw(a.queue[i])];
    const Track stream{s_.in.ids.of(queue.device), s_.in.ids.of(a.queue[i])};
    // Readers of torch's dialect know overlapping rows of one stream, and nothing of lanes.
    TrackLanes& lanes = lanes_of(a.queue[i], stream);
    const Track* track = s_.dialect == Dialect::Torch ? lanes.only() : lanes.place(start, end);
    if (track == nullptr) return;
    s_.out.slice(category(a.kind[i]), name_of(i), *track, start, end);
    s_.out.args();
    s_.out.member("device", r_.devices[raw(queue.device)].ordinal);
    s_.out.member("context", queue.context);
    s_.out.member("stream", queue.stream);
    s_.out.member("correlation", static_cast<int64_t>(a.correlation[i]));
    if (a.bytes[i] != 0) s_.out.member("bytes", static_cast<int64_t>(a.bytes[i]));
    if (several_processes_) s_.out.member("process", s_.in.ids.of(queue.process));
    s_.out.end();
    ++s_.counts.activities;
    if (end > start) arrow(i, *track, start);
  }

  void arrow(size_t i, const Track& track, int64_t start) {
    if (s_.dialect == Dialect::Viewer) {
      s_.arrows.write_to_activity(s_, static_cast<uint32_t>(i), track, start);
      return;
    }
    const uint32_t call = s_.in.links.call_of[i];
    if (call == kNoIndex) return;
    const ThreadIndex thread = r_.calls.thread[call];
    const ProcessIndex process = r_.threads[raw(thread)].process;
    const int64_t called = s_.in.clock.host(process, r_.calls.start[call]);
    if (called > start) return;  // a clock's error; viewers take no arrow back in time
    s_.out.flow("ac2g", static_cast<int64_t>(i) + 1, {s_.in.ids.of(process), s_.in.ids.of(thread)},
                called, track, start);
  }

  static std::string_view category(ActivityKind kind) {
    return kind == ActivityKind::Memcpy   ? "gpu_memcpy"
           : kind == ActivityKind::Memset ? "gpu_memset"
                                          : "kernel";
  }

  std::string_view name_of(size_t i) {
    const Activities& a = r_.activities;
    if (raw(a.name[i]) != 0) return s_.in.strings.json(a.name[i]);
    switch (a.kind[i]) {
      case ActivityKind::Memcpy:
        return name_ = json_quoted(copy_name(a, i));
      case ActivityKind::Memset:
        return "\"Memset (Device)\"";
      case ActivityKind::Graph:
        return "\"CUDA graph\"";
      case ActivityKind::Kernel:
        break;
    }
    return "\"kernel\"";
  }

  TrackLanes& lanes_of(QueueIndex queue, Track stream) {
    auto& lanes = lanes_[raw(queue)];
    if (!lanes) {
      std::string name = "stream " + std::to_string(r_.queues[raw(queue)].stream);
      if (stream.tid != r_.queues[raw(queue)].stream)  // of a second process or context
        name += " of pid " + std::to_string(r_.processes[raw(r_.queues[raw(queue)].process)].pid);
      lanes = std::make_unique<TrackLanes>(s_, Lanes::Shape::Flat, stream, std::move(name),
                                           kStreamSort + raw(queue));
    }
    return *lanes;
  }

  TimelineState& s_;
  const Recording& r_;
  std::vector<std::unique_ptr<TrackLanes>> lanes_;  // by QueueIndex
  std::string name_;
  bool several_processes_ = false;  // correlation ids alone do not tell whose the work is
};

}  // namespace

void write_activities(TimelineState& state) {
  const Recording& r = state.in.recording;
  for (uint32_t d = 0; d < r.devices.size(); ++d) {
    if (!state.selection.devices[d]) continue;
    const Track track{state.in.ids.of(DeviceIndex{d}), 0};
    std::string name = "GPU " + std::to_string(r.devices[d].ordinal);
    if (!r.devices[d].name.empty()) name += ": " + valid_utf8(r.devices[d].name);
    if (!r.devices[d].host.empty()) name += ", " + valid_utf8(r.devices[d].host);
    state.out.metadata("process_name", track, "name", json_quoted(name));
    state.out.metadata("process_sort_index", track, "sort_index", std::to_string(d));
  }
  DeviceTracks(state).run();
}

}  // namespace gpustall::cli
