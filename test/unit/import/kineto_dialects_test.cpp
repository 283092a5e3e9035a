// The dialects of torch.profiler and the traps of its rows, each on a trace of a few lines.
#include <algorithm>

#include "collector/analysis.h"
#include "collector/model.h"
#include "test/unit/import/kineto_text.h"

using namespace gpustall;
using namespace gpustall::collect;
using namespace gpustall::test;

namespace {

std::vector<std::string> stack_of(const Recording& r, StackId stack) {
  std::vector<std::string> frames;
  for (; stack != kNone<StackId>; stack = r.stacks[raw(stack)].parent) {
    const Frame& f = r.frames[raw(r.stacks[raw(stack)].frame)];
    frames.push_back(std::string(r.text(f.file)) + ":" + std::to_string(f.line) + " " +
                     std::string(r.text(f.function)));
  }
  return frames;
}

std::vector<std::string> symbols_of(const Recording& r, NativeStackId stack) {
  std::vector<std::string> symbols;
  if (stack != kNone<NativeStackId>)
    for (StringId s : r.native_stacks[raw(stack)]) symbols.emplace_back(r.text(s));
  return symbols;
}

}  // namespace

TEST_CASE("the base time is added wherever it stands") {
  const std::vector<std::string> rows{call("cudaLaunchKernel", 1, "10.5", "2"),
                                      kernel("k", 1, "20.25", "1.125")};
  const std::string base = R"("baseTimeNanoseconds": 1751410836000000000)";
  for (const std::string& text : {file(rows, base + ", "), file(rows, "", ", " + base)}) {
    const Recording r = imported(text);
    CHECK(r.activities.start[0] == 1751410836000020250);
    CHECK(r.activities.end[0] == 1751410836000021375);
    CHECK(r.calls.start[0] == 1751410836000010500);
  }
}

TEST_CASE("a bare array of events is a trace") {
  const Recording r =
      imported("[" + call("cudaLaunchKernel", 1, "1", "2") + "," + kernel("k", 1, "4", "1") + "]");
  CHECK(r.activities.size() == 1);
  CHECK(r.calls.call[0] == trace::Call::LaunchKernel);
}

TEST_CASE("the dialect of 2021 has other categories, text as thread ids, and call stacks") {
  const std::string stack =
      R"("Call stack": "torch/utils/data/_utils/fetch.py(44): fetch;train.py(7): main", )"
      R"("External id": 2)";
  const Recording r = imported(file({
      row("Operator", "aten::copy_", "50", "\"50\"", "1", "9", stack),
      row("Runtime", "cudaMemcpyAsync", "50", "\"50\"", "3", "2",
          R"("correlation": 9, "external id": 2)"),
      row("Memcpy", "Memcpy HtoD (Pageable -> Device)", "0", "\"stream 7\"", "4", "2",
          R"("device": 0, "context": 1, "stream": 7, "correlation": 9, "bytes": 64)"),
      row("Kernel", "k", "0", "\"stream 8\"", "8", "2", R"("correlation": 10)"),
      row("Memset", "Memset (Device)", "0", "\"stream 7\"", "12", "1", R"("correlation": 11)"),
      row("Operator", "ProfilerStep#3", "50", "\"50\"", "0", "20"),
  }));
  REQUIRE(r.activities.size() == 3);
  CHECK(r.activities.kind[0] == ActivityKind::Memcpy);
  CHECK(r.activities.copy_kind[0] == kHostToDevice);
  CHECK(r.activities.src_kind[0] == kPageable);
  CHECK(r.activities.dst_kind[0] == kDeviceMemory);
  CHECK(r.activities.bytes[0] == 64);
  CHECK(r.queues[raw(r.activities.queue[1])].stream == 8);
  REQUIRE(r.calls.size() == 1);
  CHECK(stack_of(r, r.calls.stack[0]) ==
        std::vector<std::string>{"site-packages/torch/utils/data/_utils/fetch.py:44 fetch",
                                 "train.py:7 main"});
  REQUIRE(r.ranges.size() == 2);
  CHECK(r.ranges.kind[0] == RangeKind::UserAnnotation);
  CHECK(r.ranges.kind[1] == RangeKind::CpuOp);
  CHECK(analyze(r).unlinked_activities == 2);
}

TEST_CASE("operators around a call are its native stack, Python functions its stack") {
  const Recording r = imported(file({
      row("python_function", "train.py(3): main", "50", "50", "0", "100"),
      row("python_function", "<built-in method item of Tensor object at 0x7f12>", "50", "50", "10",
          "50"),
      row("python_function", "threading.py(9): _bootstrap", "0", "0", "0", "100"),
      row("cpu_op", "aten::is_nonzero", "50", "50", "11", "45"),
      row("cpu_op", "aten::item", "50", "50", "12", "40"),
      row("cpu_op", "aten::_local_scalar_dense", "50", "50", "14", "30"),
      call("cudaMemcpyAsync", 1, "15", "5"),
      call("cudaStreamSynchronize", 2, "21", "10"),
      row("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", "0", "7", "18", "2",
          R"("device": 0, "stream": 7, "correlation": 1, "bytes": 4)"),
      kernel("k", 3, "40", "5"),
      call("cudaLaunchKernel", 3, "34", "3"),
  }));
  REQUIRE(r.calls.size() == 3);
  CHECK(symbols_of(r, r.calls.native_stack[0]) ==
        std::vector<std::string>{"at::_ops::_local_scalar_dense::call", "at::_ops::item::call",
                                 "at::_ops::is_nonzero::call"});
  CHECK(stack_of(r, r.calls.stack[1]) ==
        std::vector<std::string>{":0 <built-in method item of Tensor>", "train.py:3 main"});
  CHECK(r.threads.size() == 1);
  CHECK(r.samples.size() >= 2);
  const Analysis a = analyze(r);
  CHECK(std::count(a.slices.cause.begin(), a.slices.cause.end(), Cause::SyncItem) > 0);
}

TEST_CASE("names of calls are one vocabulary across runtime, driver, versions and ROCm") {
  const std::pair<const char*, trace::Call> known[] = {
      {"cudaMemcpyAsync_v3020", trace::Call::MemcpyAsync},
      {"cudaLaunchKernel_ptsz_v7000", trace::Call::LaunchKernel},
      {"cudaLaunchKernelExC_v11060", trace::Call::LaunchKernelEx},
      {"cuLaunchKernelEx", trace::Call::DriverLaunchKernelEx},
      {"cudaGraphLaunch_v10000", trace::Call::GraphLaunch},
      {"hipLaunchKernel", trace::Call::LaunchKernel},
      {"hipExtModuleLaunchKernel", trace::Call::DriverLaunchKernel},
      {"hipMemcpyWithStream", trace::Call::Memcpy},
      {"hipStreamSynchronize", trace::Call::StreamSynchronize},
      {"hipDeviceSynchronize", trace::Call::DeviceSynchronize},
      {"hipGraphLaunch", trace::Call::GraphLaunch},
      {"hipFree", trace::Call::Free},
      {"cuMemcpyDtoHAsync_v2", trace::Call::MemcpyAsync},
      {"cuMemFree_v2", trace::Call::Free},
      {"INVALID", trace::Call::CallOther},
      {"cudaFuncSetAttribute", trace::Call::CallOther},
  };
  std::vector<std::string> rows{kernel("k", 1, "1000", "1")};
  int at = 0;
  for (const auto& [name, unused] : known)
    rows.push_back(call(name, 100 + at, std::to_string(at), "1")), ++at;
  const Recording r = imported(file(rows));
  REQUIRE(r.calls.size() == std::size(known));
  for (size_t i = 0; i < r.calls.size(); ++i) {
    INFO(known[i].first);
    CHECK(r.calls.call[i] == known[i].second);
    if (known[i].second == trace::Call::CallOther) CHECK(r.text(r.calls.name[i]) == known[i].first);
  }
}

TEST_CASE("rows that are no work do not count as busy") {
  const Recording r = imported(file({
      call("cudaLaunchKernel", 1, "1", "1"),
      kernel("k", 1, "10", "5"),
      kernel("k", 1, "12", "5"),  // the same launch: a graph; and an overlap in one stream
      kernel("lost", 77, "30", "5"),
      row("cuda_sync", "Stream Sync", "0", "7", "100", "500", R"("stream": 7, "correlation": 2)"),
      row("gpu_user_annotation", "ProfilerStep#1", "0", "7", "5", "900"),
      row("Trace", "PyTorch Profiler (0)", "\"Spans\"", "\"PyTorch Profiler\"", "0", "999"),
      R"({"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 9e15})",
      row("kernel", "never finished", "0", "7", "0", "0"),
      row("kernel", "years away", "0", "7", "900000000000000", "1"),
  }));
  REQUIRE(r.activities.size() == 3);
  const Analysis a = analyze(r);
  REQUIRE(a.timelines.size() == 1);
  CHECK(a.timelines[0].span_ns() == 25'000);
  CHECK(a.timelines[0].busy_ns == 12'000);
  CHECK(a.unlinked_activities == 1);
  CHECK(r.damage.empty());  // rows of the device are losses
  REQUIRE(r.losses.size() == 1);
  CHECK(r.losses[0].kind == gpustall::trace::LossKind::ActivityInvalid);
  CHECK(r.losses[0].count == 2);
}

TEST_CASE("a device is described by its properties, and known without them") {
  const std::string about =
      R"("deviceProperties": [{"id": 0, "name": "Card \"A\"", "totalGlobalMem": 1024,)"
      R"( "computeMajor": 8, "computeMinor": 6, "numSms": 84}],)"
      R"( "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},)"
      R"( "metadata": {"deep": [[[{"x": "]}"}]]]}, )";
  const std::vector<std::string> rows{call("cudaLaunchKernel", 1, "1", "1"),
                                      kernel("k", 1, "3", "1")};
  const Recording r = imported(file(rows, about));
  REQUIRE(r.devices.size() == 1);
  CHECK(r.devices[0].name == "Card \"A\"");
  CHECK(r.devices[0].multiprocessors == 84);
  CHECK(r.devices[0].capability == 86);
  CHECK(r.processes[0].rank == 3);
  CHECK(r.processes[0].pid == 50);
  CHECK(imported(file(rows)).devices.size() == 1);
}

TEST_CASE("waiting for loader workers is a wait, whatever the workers did") {
  std::vector<std::string> rows;
  for (int i = 0; i < 5; ++i) {
    const int t = i * 1000;
    rows.push_back(row("user_annotation",
                       "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "50", "50",
                       std::to_string(t + 10), "900"));
    rows.push_back(call("cudaLaunchKernel", i + 1, std::to_string(t + 920), "5"));
    rows.push_back(kernel("k", i + 1, std::to_string(t + 930), "20"));
  }
  const Recording r = imported(file(rows));
  CHECK(r.waits.size() == 5);
  const Analysis a = analyze(r);
  int64_t waited = 0;
  for (size_t i = 0; i < a.slices.size(); ++i)
    if (a.slices.cause[i] == Cause::DataWait) waited += a.slices.end[i] - a.slices.start[i];
  CHECK(waited > 3'400'000);
}

TEST_CASE("overheads of the profiler are kept with their kind") {
  const Recording r = imported(file({
      call("cudaLaunchKernel", 1, "1", "1"),
      kernel("k", 1, "3", "1"),
      row("overhead", "Activity Buffer Request", "-1", "0", "5", "100"),
      row("overhead", "Command Buffer Full", "-1", "0", "200", "10"),
  }));
  REQUIRE(r.overheads.size() == 2);
  CHECK(r.overheads[0].kind == OverheadKind::BufferRequest);
  CHECK(r.overheads[1].kind == OverheadKind::CommandBufferFull);
}

TEST_CASE("JSON that is no trace, and traces without work, are told apart") {
  const auto message = [](const std::string& text) {
    const Result<Recording> r = import_kineto_bytes(text, "x.json");
    REQUIRE_FALSE(static_cast<bool>(r));
    return r.error().message;
  };
  CHECK_THAT(message(R"({"a": [1, 2]})"), contains("no trace of torch.profiler"));
  CHECK_THAT(message(R"({"traceEvents": []})"), contains("no GPU activity"));
  CHECK_THAT(message(""), contains("no trace of torch.profiler"));
}

TEST_CASE("a function is named with the line of its def, and as such") {
  std::vector<std::string> rows;
  for (int i = 0; i < 4; ++i) {
    const int at = 1000 * i;
    rows.push_back(
        row("python_function", "train.py(12): step", "50", "50", std::to_string(at), "900"));
    rows.push_back(call("cudaLaunchKernel", i + 1, std::to_string(at + 500), "5"));
    rows.push_back(kernel("k", i + 1, std::to_string(at + 510), "5"));
  }
  const Recording r = imported(file(rows));
  CHECK(r.lines_are_defs);
  const Model m = build_model(r, analyze(r));
  REQUIRE(m.devices.size() == 1);
  bool found = false;
  for (const CauseRow& cause : m.devices[0].whole.causes)
    if (cause.site && cause.site->function == "step") found = cause.site->is_def;
  CHECK(found);
  CHECK_THAT(m.verdict, contains(" in step (train.py:12)"));
  CHECK_THAT(to_json(m), contains("\"line_is\": \"def\""));
  const Result<Model> again = from_json(to_json(m));
  REQUIRE(again);
  CHECK(to_json(*again) == to_json(m));
  // The line of a "Call stack" is the one that ran.
  CHECK_FALSE(imported(file({call("cudaLaunchKernel", 1, "1", "1"), kernel("k", 1, "3", "1"),
                             row("cpu_op", "x", "50", "50", "1", "2",
                                 "\"Call stack\": \"train.py(3): main\"")}))
                  .lines_are_defs);
}
