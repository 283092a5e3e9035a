#include "libinterpose/settings.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace gpustall::interpose {

Settings g_settings;

namespace {

const char* text_of(const char* name) noexcept {
  const char* v = ::getenv(name);
  return v != nullptr && *v != '\0' ? v : nullptr;
}

// A non-negative decimal number times `unit`, for seconds and sizes; false: not understood.
bool parse_scaled(const char* text, double unit, double limit, double& to) noexcept {
  char* end = nullptr;
  double v = ::strtod(text, &end);
  if (end == text) return false;
  switch (*end) {
    case 'K':
    case 'k':
      v *= 1024;
      ++end;
      break;
    case 'M':
    case 'm':
      v *= 1024 * 1024;
      ++end;
      break;
    case 'G':
    case 'g':
      v *= 1024.0 * 1024 * 1024;
      ++end;
      break;
    default:
      break;
  }
  v *= unit;
  if (*end != '\0' || !(v >= 0) || v > limit) return false;
  to = v;
  return true;
}

template <class Integer>
void read_number(const char* name, double unit, Integer& to) noexcept {
  const char* text = text_of(name);
  double v = 0;
  if (text == nullptr) return;
  if (parse_scaled(text, unit, 9.0e18, v))
    to = static_cast<Integer>(v);
  else
    g_settings.malformed = true;
}

bool flag(const char* name, bool otherwise) noexcept {
  const char* text = text_of(name);
  return text == nullptr ? otherwise : std::strcmp(text, "0") != 0;
}

void read_run() noexcept {
  if (const char* out = text_of("GPUSTALL_OUT"); out != nullptr) {
    if (std::strlen(out) < sizeof g_settings.out_dir)
      std::strcpy(g_settings.out_dir, out);
    else
      g_settings.malformed = true;
  }
  if (const char* id = text_of("GPUSTALL_RUN_ID"); id != nullptr) {
    unsigned long long high = 0, low = 0;
    if (std::sscanf(id, "%16llx%16llx", &high, &low) == 2) {
      g_settings.run_id[0] = high;
      g_settings.run_id[1] = low;
    } else {
      g_settings.malformed = true;
    }
  }
}

void read_rank() noexcept {
  for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* text = text_of(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const long rank = ::strtol(text, &end, 10);
    if (*end != '\0' || rank < 0 || rank > INT_MAX) continue;  // not ours to complain about
    g_settings.rank = static_cast<int32_t>(rank);
    return;
  }
}

}  // namespace

void read_settings() noexcept {
  Settings& s = g_settings;
  s.enabled = flag("GPUSTALL", true);
  if (!s.enabled) return;
  s.verbose = flag("GPUSTALL_VERBOSE", false);
  s.cupti = flag("GPUSTALL_CUPTI", true);
  if (const char* stacks = text_of("GPUSTALL_STACKS"); stacks != nullptr) {
    s.python_stacks = std::strstr(stacks, "python") != nullptr;
    s.native_stacks = std::strstr(stacks, "native") != nullptr;
    if (!s.python_stacks && !s.native_stacks && std::strcmp(stacks, "0") != 0) s.malformed = true;
  }
  if (const char* range = text_of("GPUSTALL_RANGE"); range != nullptr) {
    if (std::strcmp(range, "cuda-profiler") == 0)
      s.range = RangeWindow::CudaProfiler;
    else if (std::strncmp(range, "nvtx:", 5) == 0 && std::strlen(range) - 5 < sizeof s.range_name) {
      s.range = RangeWindow::Nvtx;
      std::strcpy(s.range_name, range + 5);
    } else
      s.malformed = true;
  }
  read_number("GPUSTALL_MAX_SIZE", 1, s.max_bytes);
  read_number("GPUSTALL_DELAY", 1e9, s.delay_ns);
  read_number("GPUSTALL_DURATION", 1e9, s.duration_ns);
  read_number("GPUSTALL_WAIT_US", 1e3, s.wait_ns);
  read_number("GPUSTALL_STACK_US", 1e3, s.stack_ns);
  read_number("GPUSTALL_SAMPLE_HZ", 1, s.sample_hz);
  if (s.sample_hz > 1000) s.sample_hz = 1000;
  read_run();
  read_rank();
}

}  // namespace gpustall::interpose
