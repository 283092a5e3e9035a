// One enable bit per callback id. Read on every modelled API call, so a test is one relaxed load; a
// setting made by one thread reaches the others soon, not at once, as with the real library.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace simgpu::cupti {

class BitTable {
 public:
  static constexpr uint32_t kIds = 1024;  // the driver's list of CUDA 13.4 ends below 900

  bool test(uint32_t id) const {
    return id < kIds && ((words_[id / 64].load(std::memory_order_relaxed) >> (id % 64)) & 1) != 0;
  }
  void set(uint32_t id, bool on) {
    if (id >= kIds) return;
    const uint64_t mask = uint64_t{1} << (id % 64);
    if (on) {
      words_[id / 64].fetch_or(mask, std::memory_order_relaxed);
    } else {
      words_[id / 64].fetch_and(~mask, std::memory_order_relaxed);
    }
  }
  void set_all(bool on) {
    for (auto& word : words_) word.store(on ? ~uint64_t{0} : 0, std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<uint64_t>, kIds / 64> words_{};
};

}  // namespace simgpu::cupti
