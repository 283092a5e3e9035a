// Which device a row means: ordinals are per process (CUDA_VISIBLE_DEVICES), UUIDs are not.
#pragma once
#include "collector/import/nsys_state.h"

namespace gpustall::collect {

class NsysDevices {
 public:
  explicit NsysDevices(NsysState& state);

  struct Stream {
    uint32_t device = 0, context = 0, stream = 0;
    bool operator==(const Stream&) const = default;
  };
  QueueIndex queue(ProcessIndex process, Stream stream);

 private:
  struct Gpu {
    int64_t id = -1, cuda_ordinal = -1;
    Device device;
  };
  struct Ordinal {  // what one process calls device `ordinal`
    int64_t pid = 0, ordinal = 0, gpu = -1;
    std::string uuid;
  };

  void read_gpus(NsysState& state);
  void read_ordinals(NsysState& state);
  const Gpu* find(int64_t pid, uint32_t ordinal) const;
  DeviceIndex device(ProcessIndex process, uint32_t ordinal);

  NsysState& state_;
  std::vector<Gpu> gpus_;
  std::vector<Ordinal> ordinals_;
  std::unordered_map<uint64_t, DeviceIndex> known_;  // process << 32 | ordinal
  ProcessIndex last_process_ = kNone<ProcessIndex>;
  Stream last_;
  QueueIndex last_queue_{};
};

}  // namespace gpustall::collect
