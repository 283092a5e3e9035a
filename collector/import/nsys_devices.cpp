#include "collector/import/nsys_devices.h"

#include <algorithm>

#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

uint32_t small(int64_t value) {
  return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, UINT32_MAX));
}

// Integrated graphics of other makers are listed with a UUID of zeros.
bool means_something(std::string_view uuid) {
  return uuid.find_first_not_of("0-") != std::string_view::npos;
}

}  // namespace

NsysDevices::NsysDevices(NsysState& state) : state_(state) {
  read_gpus(state);
  read_ordinals(state);
}

void NsysDevices::read_gpus(NsysState& state) {
  state.read("TARGET_INFO_GPU",
             {"id", "name", "?uuid", "?cuDevice", "?smCount", "?totalMemory", "?computeMajor",
              "?computeMinor"},
             [&](const NsysRow& row) {
               Gpu gpu;
               gpu.id = row.integer_or(0, -1);
               gpu.cuda_ordinal = row.integer_or(3, -1);
               gpu.device.name = printable_text(row.text(1));
               if (means_something(row.text(2))) gpu.device.uuid = printable_text(row.text(2));
               gpu.device.multiprocessors = small(row.integer_or(4, 0));
               gpu.device.memory_bytes =
                   static_cast<uint64_t>(std::max<int64_t>(row.integer_or(5, 0), 0));
               gpu.device.capability =
                   small(row.integer_or(6, 0)) % 1000 * 10 + small(row.integer_or(7, 0)) % 10;
               if (gpu.device.multiprocessors > 0 || !gpu.device.uuid.empty())
                 gpus_.push_back(std::move(gpu));
             });
}

void NsysDevices::read_ordinals(NsysState& state) {
  state.read("TARGET_INFO_CUDA_DEVICE", {"cudaId", "pid", "?gpuId", "?uuid"},
             [&](const NsysRow& row) {
               ordinals_.push_back({row.integer_or(1, -1), row.integer_or(0, -1),
                                    row.integer_or(2, -1), printable_text(row.text(3))});
             });
}

const NsysDevices::Gpu* NsysDevices::find(int64_t pid, uint32_t ordinal) const {
  const auto gpu = [this](auto&& is) -> const Gpu* {
    const auto at = std::find_if(gpus_.begin(), gpus_.end(), is);
    return at == gpus_.end() ? nullptr : &*at;
  };
  for (const Ordinal& o : ordinals_) {
    if (o.pid != pid || o.ordinal != ordinal) continue;
    const Gpu* found = gpu([&](const Gpu& g) {
      return means_something(o.uuid) ? g.device.uuid == o.uuid : g.id == o.gpu;
    });
    if (found != nullptr) return found;
  }
  // The list is in the order of the bus, cuDevice in CUDA's, which may be another.
  const bool has_ordinals =
      std::any_of(gpus_.begin(), gpus_.end(), [](const Gpu& g) { return g.cuda_ordinal >= 0; });
  return gpu([&](const Gpu& g) { return (has_ordinals ? g.cuda_ordinal : g.id) == ordinal; });
}

DeviceIndex NsysDevices::device(ProcessIndex process, uint32_t ordinal) {
  const auto [known, made] = known_.try_emplace(uint64_t{raw(process)} << 32 | ordinal);
  if (!made) return known->second;
  const Process& p = state_.r.processes[raw(process)];
  const Gpu* gpu = find(p.pid, ordinal);
  Device wanted = gpu == nullptr ? Device{} : gpu->device;
  wanted.host = p.host;
  wanted.ordinal = ordinal;
  return known->second = state_.tables.device(wanted);
}

QueueIndex NsysDevices::queue(ProcessIndex process, Stream stream) {
  if (process == last_process_ && stream == last_) return last_queue_;
  last_process_ = process;
  last_ = stream;
  return last_queue_ = state_.tables.queue(
             {process, device(process, stream.device), stream.context, stream.stream});
}

}  // namespace gpustall::collect
