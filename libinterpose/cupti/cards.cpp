#include "libinterpose/cupti/cards.h"

#include <dlfcn.h>

#include <bit>
#include <cstring>

#include "libinterpose/cupti/devices.h"
#include "libinterpose/fork.h"
#include "libinterpose/info_record.h"

namespace gpustall::interpose::cupti {
namespace {

using Handle = void*;
using Number = int(Handle, unsigned*);            // most entries
using ByKind = int(Handle, unsigned, unsigned*);  // of a clock or sensor
struct Utilization {
  unsigned card, memory;
};

// From nvml.h, which programs need not have.
constexpr unsigned kSmClock = 1, kMemoryClock = 2, kCardSensor = 0;
constexpr int kSuccess = 0, kInsufficientSize = 7;
constexpr unsigned kMaxDevices = 64;

// Entries are optional: an older driver lacks some. Helper thread only.
struct Nvml {
  bool tried, works;
  int (*DeviceByPciAddress)(const char*, Handle*);
  int (*DriverVersion)(char*, unsigned);
  ByKind *ClockInfo, *MaxClockInfo, *Temperature;
  Number *PowerUsage, *PowerLimit, *LinkGeneration, *LinkWidth, *MaxLinkGeneration, *MaxLinkWidth;
  int (*ThrottleReasons)(Handle, unsigned long long*);
  int (*UtilizationRates)(Handle, Utilization*);
  int (*RunningProcesses)(Handle, unsigned*, void*);
  Handle cards[kMaxDevices];
  uint64_t looked_up;  // bit per ordinal
} g_nvml;

template <class Function>
void find(void* library, const char* name, Function*& to) noexcept {
  to = reinterpret_cast<Function*>(::dlsym(library, name));
}

void* open_library() noexcept {
  char path[4096];
  if (!runtime_is_simulated()) return ::dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  // Under a name of its own, so that the program does not meet it.
  return stand_in_path(path, sizeof path, "libgpustall_sim_nvml.so")
             ? ::dlopen(path, RTLD_LAZY | RTLD_LOCAL)
             : nullptr;
}

// Never shut down: the program may use it too.
bool load() noexcept {
  Nvml& n = g_nvml;
  if (n.tried) return n.works;
  n.tried = true;
  void* library = open_library();
  if (library == nullptr) return false;
  int (*initialize)() = nullptr;
  find(library, "nvmlInit_v2", initialize);
  find(library, "nvmlDeviceGetHandleByPciBusId_v2", n.DeviceByPciAddress);
  find(library, "nvmlSystemGetDriverVersion", n.DriverVersion);
  find(library, "nvmlDeviceGetClockInfo", n.ClockInfo);
  find(library, "nvmlDeviceGetMaxClockInfo", n.MaxClockInfo);
  find(library, "nvmlDeviceGetTemperature", n.Temperature);
  find(library, "nvmlDeviceGetPowerUsage", n.PowerUsage);
  find(library, "nvmlDeviceGetEnforcedPowerLimit", n.PowerLimit);
  find(library, "nvmlDeviceGetCurrPcieLinkGeneration", n.LinkGeneration);
  find(library, "nvmlDeviceGetCurrPcieLinkWidth", n.LinkWidth);
  find(library, "nvmlDeviceGetMaxPcieLinkGeneration", n.MaxLinkGeneration);
  find(library, "nvmlDeviceGetMaxPcieLinkWidth", n.MaxLinkWidth);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", n.ThrottleReasons);
  find(library, "nvmlDeviceGetUtilizationRates", n.UtilizationRates);
  find(library, "nvmlDeviceGetComputeRunningProcesses_v3", n.RunningProcesses);
  n.works = initialize != nullptr && n.DeviceByPciAddress != nullptr && initialize() == kSuccess;
  return n.works;
}

// Reads one fact after the other; those that answer have their bit in `known`.
class Facts {
 public:
  uint64_t number(Number* entry, Handle card) noexcept {
    unsigned value = 0;
    const bool good = entry != nullptr && entry(card, &value) == kSuccess;
    return take(good, value);
  }
  uint64_t of_kind(ByKind* entry, Handle card, unsigned kind) noexcept {
    unsigned value = 0;
    const bool good = entry != nullptr && entry(card, kind, &value) == kSuccess;
    return take(good, value);
  }
  uint64_t take(bool good, uint64_t value) noexcept {
    known_ |= uint64_t{good} << index_++;
    return good ? value : 0;
  }
  uint64_t known() const noexcept { return known_; }

 private:
  uint64_t known_ = 0;
  unsigned index_ = 0;
};

void write_limits(HookGuard& guard, uint32_t ordinal, Handle card) noexcept {
  const Nvml& n = g_nvml;
  Facts facts;
  trace::Card record{};
  record.device = ordinal;
  record.sm_mhz = facts.of_kind(n.MaxClockInfo, card, kSmClock);
  record.memory_mhz = facts.of_kind(n.MaxClockInfo, card, kMemoryClock);
  record.power_mw = facts.number(n.PowerLimit, card);
  record.link_generation = facts.number(n.MaxLinkGeneration, card);
  record.link_width = facts.number(n.MaxLinkWidth, card);
  record.known = facts.known();
  if (record.known != 0) emit_shared(guard, record);
}

// How many processes have a context on the card; a list that does not fit still says its length.
uint64_t count_processes(Facts& facts, Handle card) noexcept {
  unsigned count = 0;
  int result = -1;
  if (g_nvml.RunningProcesses != nullptr) result = g_nvml.RunningProcesses(card, &count, nullptr);
  return facts.take(result == kSuccess || result == kInsufficientSize, count);
}

void write_state(HookGuard& guard, uint32_t ordinal, Handle card) noexcept {
  const Nvml& n = g_nvml;
  Facts facts;
  trace::CardState record{};
  record.ticks = static_cast<uint64_t>(now_ticks());
  record.device = ordinal;
  record.sm_mhz = facts.of_kind(n.ClockInfo, card, kSmClock);
  record.memory_mhz = facts.of_kind(n.ClockInfo, card, kMemoryClock);
  record.power_mw = facts.number(n.PowerUsage, card);
  record.temperature_c = facts.of_kind(n.Temperature, card, kCardSensor);
  unsigned long long reasons = 0;
  bool good = n.ThrottleReasons != nullptr && n.ThrottleReasons(card, &reasons) == kSuccess;
  record.throttle = facts.take(good, reasons);
  record.link_generation = facts.number(n.LinkGeneration, card);
  record.link_width = facts.number(n.LinkWidth, card);
  Utilization rates{};
  good = n.UtilizationRates != nullptr && n.UtilizationRates(card, &rates) == kSuccess;
  record.busy_pct = facts.take(good, rates.card);
  record.processes = count_processes(facts, card);
  record.known = facts.known();
  if (record.known != 0) emit_shared(guard, record);
}

void write_driver(HookGuard& guard) noexcept {
  char version[96] = {};
  if (g_nvml.DriverVersion == nullptr || g_nvml.DriverVersion(version, sizeof version - 1) != 0)
    return;
  put_info(guard, "driver", version);
}

// The card of a device, looked up when it is first seen; null: NVML does not know it.
Handle card_of(HookGuard& guard, uint32_t ordinal) noexcept {
  Nvml& n = g_nvml;
  const uint64_t bit = uint64_t{1} << ordinal;
  if ((n.looked_up & bit) != 0) return n.cards[ordinal];
  if (n.looked_up == 0) write_driver(guard);
  n.looked_up |= bit;
  char address[32];
  Handle card = nullptr;
  if (!pci_address(ordinal, address, sizeof address) ||
      n.DeviceByPciAddress(address, &card) != kSuccess)
    return nullptr;
  write_limits(guard, ordinal, card);
  return n.cards[ordinal] = card;
}

}  // namespace

void cards_job(HookGuard& guard, Round round) noexcept {
  if (round == Round::Now) return;
  static int64_t not_before_ns = 0;
  const int64_t begin = read_clock_ns(CLOCK_MONOTONIC);
  uint64_t used = devices_in_use();
  if (used == 0 || begin < not_before_ns) return;
  // A child that is forked meanwhile would find NVML's locks held, and may use it itself.
  LoaderUse use;
  if (!use.allowed() || !load()) return;
  for (; used != 0; used &= used - 1) {
    const auto ordinal = static_cast<uint32_t>(std::countr_zero(used));
    if (Handle card = card_of(guard, ordinal); card != nullptr) write_state(guard, ordinal, card);
  }
  const int64_t took = read_clock_ns(CLOCK_MONOTONIC) - begin;
  not_before_ns = begin + 100 * took;
}

}  // namespace gpustall::interpose::cupti
