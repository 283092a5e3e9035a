// Finding the CUDA runtime that a wrapper stands before. It is often loaded after us, sometimes
// RTLD_LOCAL (then RTLD_NEXT finds nothing), so the look-up happens at the first call, in this
// order: next in the global scope, what the caller itself depends on, any loaded libcudart.
#pragma once
#include <atomic>

namespace gpustall::interpose {

inline constexpr int kCudaSymbolNotFound = 302;  // cudaErrorSharedObjectSymbolNotFound

class CudaOriginal {
 public:
  void* get(const char* symbol, void* caller) noexcept {
    void* known = found_.load(std::memory_order_acquire);
    return known != nullptr ? known : look_up(symbol, caller);
  }

 private:
  void* look_up(const char* symbol, void* caller) noexcept;
  std::atomic<void*> found_{nullptr};
};

}  // namespace gpustall::interpose
