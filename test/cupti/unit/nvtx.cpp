// NVTX through the real header-only client: this program is one "library" that uses NVTX.
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>

#include "test/catch.h"
#include "test/cupti/unit/fake_recorder.h"

using namespace gpustall;
using namespace gpustall::test;

TEST_CASE("pushed ranges nest, marks and start/end ranges are recorded") {
  unsetenv("NVTX_INJECTION64_PATH");
  reset_recorder();
  CHECK(nvtxRangePushA("outer") == 0);
  CHECK(nvtxRangePushW(L"inn\u00e9r") == 1);
  nvtxMarkA("here");
  CHECK(nvtxRangePop() == 1);
  CHECK(nvtxRangePop() == 0);
  const nvtxRangeId_t id = nvtxRangeStartA("phase");
  nvtxRangeEnd(id);
  nvtxRangeEnd(id);  // stale
  const auto ranges = recorded<trace::Range>();
  REQUIRE(ranges.size() == 3);
  CHECK(text_of(ranges[0].name) == "inn\xc3\xa9r");
  CHECK(text_of(ranges[1].name) == "outer");
  CHECK(ranges[1].start <= ranges[0].start);
  CHECK(text_of(ranges[2].name) == "phase");
  CHECK(ranges[2].flags == 1);
  CHECK(text_of(recorded<trace::Mark>().at(0).name) == "here");
}

TEST_CASE("domains nest independently and registered strings are kept") {
  reset_recorder();
  const nvtxDomainHandle_t a = nvtxDomainCreateA("trainer");
  CHECK(nvtxDomainCreateA("trainer") == a);
  const nvtxStringHandle_t text = nvtxDomainRegisterStringA(a, "forward");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = text;
  nvtxDomainRangePushEx(a, &attributes);
  nvtxRangePushA("default");
  nvtxDomainRangePop(a);
  nvtxRangePop();
  const auto ranges = recorded<trace::Range>();
  REQUIRE(ranges.size() == 2);
  CHECK(text_of(ranges[0].domain) == "trainer");
  CHECK(text_of(ranges[0].name) == "forward");
  CHECK(ranges[1].domain == 0);
}

TEST_CASE("ranges of CUDA libraries are dropped, NCCL's collectives are kept") {
  reset_recorder();
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  for (const char* name : {"cuBLAS", "cublasLt", "CUDNN_GRAPH", "cuFFT", "NCCL"}) {
    const nvtxDomainHandle_t domain = nvtxDomainCreateA(name);
    attributes.message.ascii = "ncclAllReduce";
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
  }
  const auto ranges = recorded<trace::Range>();
  REQUIRE(ranges.size() == 1);
  CHECK(text_of(ranges[0].domain) == "NCCL");
  CHECK(text_of(ranges[0].name) == "ncclAllReduce");
}

TEST_CASE("deep nesting overflows without losing the balance") {
  reset_recorder();
  for (int i = 0; i < 40; ++i) nvtxRangePushA("deep");
  for (int i = 0; i < 40; ++i) nvtxRangePop();
  CHECK(recorded<trace::Range>().size() == 32);
  nvtxRangePushA("flat");
  CHECK(nvtxRangePop() == 0);
}

TEST_CASE("pops of ranges that were pushed while nothing was recorded are ignored") {
  reset_recorder();
  interpose::g_recording = false;
  nvtxRangePushA("unseen");
  interpose::g_recording = true;
  nvtxRangePop();
  CHECK(recorded<trace::Range>().empty());
}
