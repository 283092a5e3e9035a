// The background thread: delivers buffers that are full, at once when one fills up and every flush
// period; under the setting "late" also everything else. Waits by raw futex, with all signals
// blocked, so that no interposer of libc waits and no signal handler of the program ever sees it.
// Never joined.
#pragma once
#include <atomic>
#include <cstdint>

namespace simgpu::cupti {

class Worker {
 public:
  void start();  // idempotent
  void wake();
  void set_period_ms(uint32_t ms);
  bool started() const { return started_.load(); }

 private:
  static void* run(void* self);
  void loop();
  int64_t wait_ns() const;

  std::atomic<bool> started_{false};
  std::atomic<uint32_t> signal_{0};
  std::atomic<uint32_t> period_ms_{0};
};

Worker& worker();

void raw_sleep(int64_t ns);

}  // namespace simgpu::cupti
