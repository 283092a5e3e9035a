// Fixed tables, filled with one atomic counter; a bump allocator for the text. No lock: creating a
// domain twice at the same moment makes two entries of one name, which is harmless.
#include "libinterpose/nvtx/domains.h"

#include <strings.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <new>

namespace gpustall::interpose::nvtx {
namespace {

constexpr uint32_t kDomains = 256;
constexpr size_t kTextBytes = size_t{4} << 20;  // address space; pages come with their use

// Prefixes, without regard to case: "cuBLAS", "cublasLt", "CUDNN_GRAPH", "NCCL", ...
constexpr const char* kLibraries[] = {"cublas", "cudnn",  "cufft", "cusolver", "cusparse",
                                      "curand", "nvjpeg", "cccl",  "cutensor", "nvshmem"};

Domain g_domains[kDomains] = {{{}, Keep::Ranges, 0}};
std::atomic<uint32_t> g_domain_count{1};  // claimed
std::atomic<bool> g_domain_ready[kDomains];

std::atomic<char*> g_text{nullptr};
std::atomic<size_t> g_text_used{0};

char* text_memory() noexcept {
  char* memory = g_text.load(std::memory_order_acquire);
  if (memory != nullptr) return memory;
  void* fresh = mmap(nullptr, kTextBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  if (g_text.compare_exchange_strong(memory, static_cast<char*>(fresh))) return g_text.load();
  munmap(fresh, kTextBytes);
  return memory;
}

void* take_bytes(size_t bytes) noexcept {
  char* memory = text_memory();
  if (memory == nullptr) return nullptr;
  bytes = (bytes + 15) & ~size_t{15};
  const size_t at = g_text_used.fetch_add(bytes, std::memory_order_relaxed);
  return at + bytes <= kTextBytes ? memory + at : nullptr;
}

Keep keep_of(std::string_view name) noexcept {
  if (name.size() >= 4 && strncasecmp(name.data(), "nccl", 4) == 0) return Keep::Collectives;
  for (const char* library : kLibraries) {
    const size_t length = strlen(library);
    if (name.size() >= length && strncasecmp(name.data(), library, length) == 0)
      return Keep::Nothing;
  }
  return Keep::Ranges;
}

}  // namespace

std::string_view keep_text(std::string_view text) noexcept {
  void* copy = take_bytes(text.size());
  if (copy == nullptr) return {};
  memcpy(copy, text.data(), text.size());
  return {static_cast<const char*>(copy), text.size()};
}

const KeptText* register_text(std::string_view text) noexcept {
  void* memory = take_bytes(sizeof(KeptText));
  return memory == nullptr ? nullptr : new (memory) KeptText{keep_text(text)};
}

const Domain* domain_of_name(std::string_view name) noexcept {
  const uint32_t count = g_domain_count.load(std::memory_order_acquire);
  for (uint32_t i = 1; i < count && i < kDomains; ++i)
    if (g_domain_ready[i].load(std::memory_order_acquire) && g_domains[i].name == name)
      return &g_domains[i];
  const uint32_t number = g_domain_count.fetch_add(1, std::memory_order_acq_rel);
  if (number >= kDomains) {
    g_domain_count.store(kDomains, std::memory_order_relaxed);
    return &g_domains[kDomains - 1];
  }
  g_domains[number] = {keep_text(name), keep_of(name), number};
  g_domain_ready[number].store(true, std::memory_order_release);
  return &g_domains[number];
}

const Domain* domain_of_handle(const void* handle) noexcept {
  const auto* domain = static_cast<const Domain*>(handle);
  const bool ours = domain > g_domains && domain < g_domains + kDomains;
  return ours ? domain : &g_domains[0];
}

std::string_view narrow(const wchar_t* text, char* buffer, unsigned bytes) noexcept {
  unsigned at = 0;
  for (; *text != 0 && at + 4 <= bytes; ++text) {
    const auto c = static_cast<uint32_t>(*text);
    if (c < 0x80) {
      buffer[at++] = static_cast<char>(c);
    } else if (c < 0x800) {
      buffer[at++] = static_cast<char>(0xC0 | c >> 6);
      buffer[at++] = static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      buffer[at++] = static_cast<char>(0xE0 | c >> 12);
      buffer[at++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
      buffer[at++] = static_cast<char>(0x80 | (c & 0x3F));
    } else {
      buffer[at++] = static_cast<char>(0xF0 | (c >> 18 & 0x07));
      buffer[at++] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
      buffer[at++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
      buffer[at++] = static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return {buffer, at};
}

}  // namespace gpustall::interpose::nvtx
