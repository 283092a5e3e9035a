// Activity records of every CUPTI version's size: the prefixes hold, what is wrong is counted.
#include <cupti.h>

#include <cstring>

#include "libinterpose/cupti/buffer_pool.h"
#include "libinterpose/cupti/record_prefix.h"
#include "libinterpose/cupti/session.h"
#include "test/catch.h"
#include "test/cupti/unit/fake_cupti.h"
#include "test/cupti/unit/fake_recorder.h"

using namespace gpustall;
using namespace gpustall::test;
using namespace gpustall::interpose::cupti;

namespace {

struct Sizes {
  uint32_t version;
  size_t kernel, copy, peer, fill, graph, overhead, sync;
};
// bytes of each record as the versions produce them
constexpr Sizes kVersions[] = {
    {17, 176, 88, 96, 88, 48, 40, 40},    {18, 200, 88, 96, 88, 48, 40, 40},
    {20, 208, 88, 96, 88, 48, 48, 40},    {22, 208, 88, 96, 88, 56, 56, 40},
    {26, 208, 96, 96, 88, 56, 56, 56},    {130001, 216, 96, 96, 88, 56, 56, 56},
    {130400, 256, 96, 96, 88, 56, 56, 56}};

void start(const Sizes& sizes) {
  reset_all();
  auto& fake = fake_cupti();
  fake.version = sizes.version;
  fake.strides[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = sizes.kernel;
  fake.strides[CUPTI_ACTIVITY_KIND_MEMCPY] = sizes.copy;
  fake.strides[CUPTI_ACTIVITY_KIND_MEMCPY2] = sizes.peer;
  fake.strides[CUPTI_ACTIVITY_KIND_MEMSET] = sizes.fill;
  fake.strides[CUPTI_ACTIVITY_KIND_GRAPH_TRACE] = sizes.graph;
  fake.strides[CUPTI_ACTIVITY_KIND_OVERHEAD] = sizes.overhead;
  fake.strides[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION] = sizes.sync;
  fake.strides[CUPTI_ACTIVITY_KIND_MARKER] = 48;
  interpose::HookGuard guard;
  start_session(guard);
}

// The bytes of a record: a prefix in a record of the version's size, the rest noise.
template <class Prefix>
std::vector<uint8_t> bytes_of(const Prefix& prefix, size_t size) {
  std::vector<uint8_t> bytes(size, 0xA5);
  memcpy(bytes.data(), &prefix, std::min(sizeof prefix, size));
  return bytes;
}

KernelPrefix kernel(uint64_t start, uint64_t end, uint32_t correlation, const char* name) {
  KernelPrefix k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.start = start;
  k.end = end;
  k.device = 1;
  k.context = 2;
  k.stream = 7;
  k.correlation = correlation;
  k.name = name;
  k.grid[0] = 4, k.grid[1] = 3, k.grid[2] = 2;
  k.block[0] = 128, k.block[1] = 2, k.block[2] = 1;
  return k;
}

}  // namespace

TEST_CASE("records of every version decode alike") {
  for (const Sizes& sizes : kVersions) {
    INFO("CUPTI " << sizes.version);
    start(sizes);
    MemcpyPrefix copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    copy.src_kind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    copy.dst_kind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    copy.bytes = 512;
    copy.start = 2000, copy.end = 2100;
    copy.device = 1, copy.context = 2, copy.stream = 7, copy.correlation = 22;
    PeerCopyPrefix peer{};
    peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    peer.copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    peer.bytes = 64, peer.start = 2200, peer.end = 2201, peer.device = 1, peer.correlation = 25;
    MemsetPrefix fill{};
    fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    fill.bytes = 99, fill.start = 2300, fill.end = 2310, fill.correlation = 26;
    GraphTracePrefix graph{};
    graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
    graph.correlation = 30, graph.start = 2400, graph.end = 2500, graph.graph = 17;
    OverheadPrefix overhead{};
    overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    overhead.overhead_kind = 7, overhead.start = 2550, overhead.end = 2560;
    overhead.correlation = 31;
    SyncPrefix sync{};
    sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    sync.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    sync.start = 2600, sync.end = 2700, sync.correlation = 33, sync.context = 2, sync.stream = 7;
    sync.event = 0xffffffffu;
    fake_cupti().deliver({bytes_of(kernel(1000, 1500, 21, "k1"), sizes.kernel),
                          bytes_of(copy, sizes.copy), bytes_of(peer, sizes.peer),
                          bytes_of(fill, sizes.fill), bytes_of(graph, sizes.graph),
                          bytes_of(overhead, sizes.overhead), bytes_of(sync, sizes.sync),
                          bytes_of(kernel(3000, 3000, 34, "k2"), sizes.kernel)});

    const auto kernels = recorded<trace::Kernel>();
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].start == 1000);
    CHECK(kernels[0].duration == 500);
    CHECK(kernels[0].correlation == 21);
    CHECK(kernels[0].blocks == 24);
    CHECK(kernels[0].threads == 256);
    CHECK(text_of(kernels[0].name) == "k1");
    CHECK(text_of(kernels[1].name) == "k2");
    CHECK(queue_of(kernels[0].queue).device == 1);
    CHECK(queue_of(kernels[0].queue).stream == 7);
    const auto copies = recorded<trace::Memcpy>();
    REQUIRE(copies.size() == 2);
    CHECK(copies[0].bytes == 512);
    CHECK(copies[0].dst_kind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
    CHECK(copies[0].correlation == 22);
    CHECK(copies[1].correlation == 25);
    CHECK(recorded<trace::Memset>().at(0).bytes == 99);
    CHECK(recorded<trace::GraphRun>().at(0).graph == 17);
    const auto overheads = recorded<trace::Overhead>();
    REQUIRE(overheads.size() == 1);
    CHECK(overheads[0].correlation == (sizes.version >= 20 ? 31u : 0u));
    const auto syncs = recorded<trace::SyncActivity>();
    REQUIRE(syncs.size() == 1);
    CHECK(queue_of(syncs[0].queue).device == 1);
    CHECK(syncs[0].event == 0);
    CHECK(losses(trace::LossKind::ActivityInvalid) == 0);
    CHECK(losses(trace::LossKind::ActivityUnknown) == 0);
  }
}

TEST_CASE("zero and reversed times, unknown kinds and CUPTI's drops are counted") {
  start(kVersions[5]);
  fake_cupti().dropped = 12;
  CUpti_ActivityMarker2 marker{};
  marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
  fake_cupti().deliver({bytes_of(kernel(0, 0, 1, "k"), 216), bytes_of(kernel(10, 5, 2, "k"), 216),
                        bytes_of(kernel(0, 5, 3, "k"), 216), bytes_of(marker, 48),
                        bytes_of(kernel(5, uint64_t{1} << 62, 3, "k"), 216),
                        bytes_of(kernel(5, 9, 4, nullptr), 216)});
  CHECK(recorded<trace::Kernel>().size() == 1);
  CHECK(recorded<trace::Kernel>()[0].name == 0);
  CHECK(losses(trace::LossKind::ActivityInvalid) == 4);
  CHECK(losses(trace::LossKind::ActivityUnknown) == 1);
  CHECK(losses(trace::LossKind::CuptiDropped) == 12);
}

TEST_CASE("records that arrive after the recording are counted, not written") {
  start(kVersions[5]);
  interpose::g_state = interpose::State::Off;
  interpose::g_recording = false;
  fake_cupti().deliver({bytes_of(kernel(1, 2, 1, "k"), 216), bytes_of(kernel(3, 4, 2, "k"), 216)});
  CHECK(recorded<trace::Kernel>().empty());
  CHECK(losses(trace::LossKind::AfterExit) == 2);
}

TEST_CASE("late buffers of a closed window are still written") {
  start(kVersions[5]);
  interpose::g_recording = false;
  fake_cupti().deliver({bytes_of(kernel(1, 2, 1, "k"), 216)});
  CHECK(recorded<trace::Kernel>().size() == 1);
}

TEST_CASE("buffers are zeroed, never null, and come back") {
  std::vector<uint8_t*> all;
  for (int i = 0; i < 70; ++i) {
    uint8_t* buffer = take_buffer();
    REQUIRE(buffer != nullptr);
    REQUIRE(is_our_buffer(buffer));
    REQUIRE(buffer[0] == 0);
    REQUIRE(buffer[kBufferBytes - 1] == 0);
    buffer[0] = buffer[kBufferBytes - 1] = 1;
    all.push_back(buffer);
  }
  CHECK(buffers_in_flight() == 70);
  for (uint8_t* buffer : all) return_buffer(buffer);
  CHECK(buffers_in_flight() == 0);
  uint8_t* again = take_buffer();
  CHECK(again[0] == 0);
  return_buffer(again);
  uint8_t foreign[16];
  CHECK_FALSE(is_our_buffer(foreign));
}
