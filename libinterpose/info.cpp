// Info records: what a reader of the report needs to know about the process and the machine. Only
// listed environment variables, arguments with secrets blanked.
#include <dlfcn.h>
#include <strings.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "libinterpose/affinity.h"
#include "libinterpose/clock.h"
#include "libinterpose/info_record.h"
#include "libinterpose/quota.h"
#include "libinterpose/recorder.h"
#include "libinterpose/run_directory.h"
#include "libinterpose/settings.h"
#include "libinterpose/start.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {

namespace {

constexpr const char* kVariables[] = {"CUDA_LAUNCH_BLOCKING",
                                      "CUDA_VISIBLE_DEVICES",
                                      "CUDA_MODULE_LOADING",
                                      "CUDA_DEVICE_ORDER",
                                      "CUDA_DEVICE_MAX_CONNECTIONS",
                                      "PYTORCH_CUDA_ALLOC_CONF",
                                      "PYTORCH_ALLOC_CONF",
                                      "PYTORCH_NO_CUDA_MEMORY_CACHING",
                                      "TORCH_CUDNN_V8_API_DISABLED",
                                      "CUBLAS_WORKSPACE_CONFIG",
                                      "OMP_NUM_THREADS",
                                      "MKL_NUM_THREADS",
                                      "OPENBLAS_NUM_THREADS",
                                      "LOCAL_RANK",
                                      "RANK",
                                      "WORLD_SIZE",
                                      "LOCAL_WORLD_SIZE",
                                      "NCCL_DEBUG",
                                      "NCCL_P2P_DISABLE",
                                      "NCCL_IB_DISABLE",
                                      "TORCH_NCCL_BLOCKING_WAIT",
                                      "TORCH_NCCL_ASYNC_ERROR_HANDLING",
                                      "PYTHONMALLOC",
                                      "MALLOC_ARENA_MAX",
                                      "LD_PRELOAD",
                                      "SLURM_JOB_ID",
                                      "SLURM_PROCID",
                                      "KMP_AFFINITY",
                                      "GOMP_CPU_AFFINITY"};

void put_number(HookGuard& guard, const char* key, long long value) noexcept {
  char text[32];
  const int n = std::snprintf(text, sizeof text, "%lld", value);
  put_info(guard, key, {text, static_cast<size_t>(n)});
}

bool names_a_secret(const char* argument) noexcept {
  for (const char* word :
       {"token", "secret", "passw", "api_key", "api-key", "apikey", "credential"})
    if (::strcasestr(argument, word) != nullptr) return true;
  return false;
}

// The command line, words separated by spaces; what follows a name like --token is blanked.
void put_command(HookGuard& guard) noexcept {
  char raw[4096], line[4096];
  const size_t n = sys::read_file("/proc/self/cmdline", raw, sizeof raw);
  size_t out = 0;
  bool blank_next = false;
  for (size_t at = 0; at < n && out + 8 < sizeof line;) {
    const char* word = raw + at;
    size_t length = std::strlen(word);
    at += length + 1;
    const bool secret = names_a_secret(word);
    const char* value = secret ? std::strchr(word, '=') : nullptr;
    if (value != nullptr) length = static_cast<size_t>(value - word) + 1;
    if (blank_next && word[0] != '-') length = 0;
    if (length > sizeof line - out - 8) length = sizeof line - out - 8;
    if (out != 0) line[out++] = ' ';
    std::memcpy(line + out, word, length);
    out += length;
    if (value != nullptr || length == 0) {
      std::memcpy(line + out, "***", 3);
      out += 3;
    }
    blank_next = secret && value == nullptr && word[0] == '-';
  }
  put_info(guard, "argv", {line, out});
}

void put_python(HookGuard& guard) noexcept {
  void* symbol = ::dlsym(RTLD_DEFAULT, "Py_GetVersion");
  if (symbol == nullptr) return;
  const char* text = reinterpret_cast<const char* (*)()>(symbol)();  // a static string, no GIL
  unsigned major = 0, minor = 0, micro = 0;
  if (std::sscanf(text, "%u.%u.%u", &major, &minor, &micro) < 2) return;
  put_info(guard, "python", {text, std::strcspn(text, " ")});
  trace::FileHeader* h = file_header();
  if (h != nullptr && h->python_version == 0)
    h->python_version = major << 24 | minor << 16 | micro << 8 | 0xf0;
}

void put_machine(HookGuard& guard) noexcept {
  if (const int cpus = allowed_cpus()) put_number(guard, "cpu.allowed", cpus);
  put_number(guard, "cpu.online", ::sysconf(_SC_NPROCESSORS_ONLN));
  put_number(guard, "memory.bytes",
             static_cast<long long>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE));
  write_quota(guard);
  write_affinity(guard);
}

}  // namespace

void write_info(HookGuard& guard) noexcept {
  char text[4096];
  put_info(guard, "gpustall", GPUSTALL_VERSION);
  put_command(guard);
  if (::getcwd(text, sizeof text) != nullptr) put_info(guard, "cwd", text);
  const ssize_t n = ::readlink("/proc/self/exe", text, sizeof text);
  put_info(guard, "executable", {text, n > 0 ? static_cast<size_t>(n) : 0});
  put_info(guard, "script", script_name());
  put_python(guard);
  for (const char* name : kVariables) {
    const char* value = ::getenv(name);
    std::snprintf(text, sizeof text, "env.%s", name);
    if (value != nullptr) put_info(guard, text, value);
  }
  put_machine(guard);
}

void write_clock(HookGuard& guard) noexcept {
  const ClockPair pair = read_clock_pair();
  emit_shared(guard, trace::Clock{pair.ticks, pair.monotonic_ns, pair.realtime_ns});
}

}  // namespace gpustall::interpose
