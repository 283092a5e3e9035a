// What is known of real Nsight Systems exports: spans and busy times to the nanosecond, counts of
// rows, first causes.
#include <map>
#include <set>

#include "collector/analysis.h"
#include "collector/load.h"
#include "test/catch.h"
#include "test/unit/import/real_traces.h"

using namespace gpustall;
using namespace gpustall::collect;
using gpustall::test::real_trace;

namespace {

struct Fact {
  const char* file;
  uint32_t device;
  int64_t span, busy, idle;
};
constexpr Fact kFacts[] = {
    {"nsys-a100-cloverleaf.sqlite", 0, 342407810, 303795463, 38612347},
    {"nsys-h100x2-fsdp.sqlite", 0, 299848812, 273817787, 26031025},
    {"nsys-h100x2-fsdp.sqlite", 1, 298661551, 267275916, 31385635},
    {"nsys-invalid-utf8.sqlite", 0, 258758865, 258745872, 12993},
};

Recording loaded(const std::filesystem::path& path) {
  Result<Recording> recording = load(path);
  if (!recording) FAIL(recording.error().message);
  return std::move(*recording);
}

std::map<Cause, int64_t> idle_by_cause(const Analysis& a) {
  std::map<Cause, int64_t> sums;
  for (size_t i = 0; i < a.slices.size(); ++i)
    sums[a.slices.cause[i]] += a.slices.end[i] - a.slices.start[i];
  return sums;
}

size_t count(const Recording& r, ActivityKind kind) {
  size_t n = 0;
  for (const ActivityKind k : r.activities.kind) n += k == kind;
  return n;
}
size_t count(const Recording& r, trace::CallClass cls) {
  size_t n = 0;
  for (const trace::Call call : r.calls.call) n += trace::class_of(call) == cls;
  return n;
}

}  // namespace

TEST_CASE("nsys: busy and idle of real exports are exact") {
  for (const Fact& fact : kFacts) {
    const auto path = real_trace(fact.file);
    GPUSTALL_NEEDS_TRACE(path);
    INFO(fact.file << " device " << fact.device);
    const Recording r = loaded(path);
    const Analysis a = analyze(r);
    bool found = false;
    for (const DeviceTimeline& line : a.timelines) {
      if (r.devices[raw(line.device)].ordinal != fact.device) continue;
      found = true;
      CHECK(line.span_ns() == fact.span);
      CHECK(line.busy_ns == fact.busy);
      CHECK(line.idle_ns() == fact.idle);
    }
    CHECK(found);
    CHECK(r.damage.empty());
  }
}

TEST_CASE("nsys: synchronising after each kernel is named, the device's own part apart") {
  const auto path = real_trace("nsys-a100-cloverleaf.sqlite");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  CHECK(count(r, ActivityKind::Kernel) == 1312);
  CHECK(count(r, ActivityKind::Memcpy) == 279);
  CHECK(count(r, trace::CallClass::Launch) == 1312);
  CHECK(count(r, trace::CallClass::Sync) == 1312);
  CHECK(r.devices.at(0).name == "NVIDIA A100-SXM4-80GB");
  CHECK(r.devices.at(0).uuid == "b17c6502-716a-c2c7-0f65-854136d5f79f");  // by CUDA's order
  CHECK(r.devices.at(0).multiprocessors == 108);
  const Analysis a = analyze(r);
  CHECK(a.unlinked_activities == 0);
  auto idle = idle_by_cause(a);
  for (const auto& [cause, ns] : idle)
    CHECK((cause == Cause::SyncExplicit || ns < idle[Cause::SyncExplicit]));
  int64_t device = 0;
  for (const auto& [cause, ns] : idle)
    if (family_of(cause) == CauseFamily::Device) device += ns;
  CHECK(idle[Cause::SyncExplicit] > 38612347 / 2);
  CHECK(device > 0);
  CHECK(device < 38612347 / 20);
}

TEST_CASE("nsys: correlation ids of two processes are two things") {
  const auto path = real_trace("nsys-h100x2-fsdp.sqlite");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  CHECK(r.devices.size() == 2);
  CHECK(count(r, ActivityKind::Kernel) == 4010);
  std::map<uint64_t, std::set<uint32_t>> processes_of;
  for (size_t i = 0; i < r.activities.size(); ++i)
    if (r.activities.kind[i] == ActivityKind::Kernel)
      processes_of[r.activities.correlation[i]].insert(
          raw(r.queues[raw(r.activities.queue[i])].process));
  size_t shared = 0;
  for (const auto& [correlation, processes] : processes_of) shared += processes.size() > 1;
  CHECK(shared == 78);
  size_t operators = 0;
  for (size_t i = 0; i < r.ranges.size(); ++i) operators += r.ranges.kind[i] == RangeKind::CpuOp;
  CHECK(operators > 18000);  // emit_nvtx()
  CHECK(r.ranges.size() == 19118);
  size_t with_operator = 0;
  for (const NativeStackId stack : r.calls.native_stack)
    with_operator += stack != kNone<NativeStackId>;
  CHECK(with_operator > r.calls.size() / 2);
}

TEST_CASE("nsys: schema 2.9 with text that is not UTF-8") {
  const auto path = real_trace("nsys-invalid-utf8.sqlite");
  GPUSTALL_NEEDS_TRACE(path);
  const Recording r = loaded(path);
  CHECK(count(r, ActivityKind::Memcpy) == 11);
  CHECK(count(r, ActivityKind::Memset) == 1);
  CHECK(count(r, trace::CallClass::Launch) == 7);
  CHECK(count(r, trace::CallClass::Sync) + count(r, trace::CallClass::EventSync) == 6);
  CHECK(r.processes.at(0).info.at("nsys_schema") == "2.9.1");
}

TEST_CASE("nsys: an export without a GPU table is refused with what it does hold") {
  const auto path = real_trace("nsys-negative-nvtx-only.sqlite");
  GPUSTALL_NEEDS_TRACE(path);
  const Result<Recording> r = load(path);
  REQUIRE_FALSE(r);
  CHECK_THAT(r.error().message, gpustall::test::contains("649 NVTX events"));
  CHECK_THAT(r.error().message, gpustall::test::contains("nsys profile -t cuda,nvtx"));
}
