// How fast torch.profiler traces are read, against simdjson parsing the same bytes alone, in one
// run: kineto_bench [FILE.json[.gz] | --megabytes N]. Without a file a trace of N MB (default 256)
// is written to the temporary directory first. Prints ratios and the peak of memory.
#include <simdjson.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "collector/import/byte_stream.h"
#include "collector/import/import.h"

using namespace gpustall::collect;
namespace fs = std::filesystem;

namespace {

// CPU time: on a busy machine the wall's says nothing, and all of this runs on one thread.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Rows as torch writes them: three operators, a call and a kernel per launch.
void write_trace(const fs::path& path, uint64_t megabytes) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (out == nullptr) std::exit(1);
  std::fprintf(out, "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n");
  constexpr const char* kOperators[] = {"aten::linear", "aten::addmm", "aten::add_"};
  for (uint64_t i = 0, size = 0; size < megabytes << 20; ++i) {
    const double at = static_cast<double>(i) * 40;
    for (int k = 0; k < 3; ++k)
      size += static_cast<uint64_t>(std::fprintf(
          out,
          "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 24248, \"tid\":"
          " 24248,\n    \"ts\": %.3f, \"dur\": %d.250,\n    \"args\": {\n      \"External id\": "
          "%lu,\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\", \"1\"], \"Input "
          "type\": [\"float\", \"float\", \"float\", \"Scalar\"], \"Input Dims\": [[64, 1024], "
          "[1024, 1024], [1024], []], \"Ev Idx\": %lu\n    }\n  },\n",
          kOperators[k], at + k, 30 - 4 * k, 3 * i + static_cast<uint64_t>(k), 3 * i));
    size += static_cast<uint64_t>(std::fprintf(
        out,
        "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
        "\"pid\": 24248, \"tid\": 24248,\n    \"ts\": %.3f, \"dur\": 5.125,\n    \"args\": {\n     "
        " "
        "\"External id\": %lu, \"cbid\": 211, \"correlation\": %lu\n    }\n  },\n  {\n    \"ph\": "
        "\"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_kernel<4, "
        "at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, float)\", \"pid\": 0, "
        "\"tid\": 7,\n    \"ts\": %.3f, \"dur\": 14.016,\n    \"args\": {\n      \"External id\": "
        "%lu, \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": "
        "%lu, \"registers per thread\": 16,\n      \"shared memory\": 0, \"grid\": [128, 1, 1], "
        "\"block\": [64, 1, 1]\n    }\n  },\n",
        at + 5, 3 * i, i + 1, at + 15, 3 * i, i + 1));
  }
  std::fprintf(out, "  {\"ph\": \"M\", \"name\": \"end\"}\n  ]\n}\n");
  std::fclose(out);
}

std::string unpacked(const fs::path& path) {
  FileStream file(path);
  PeekStream packed(file);
  const auto inner = unpacking(packed, packed.peek(4));
  ByteStream& text = inner ? *inner : static_cast<ByteStream&>(packed);
  std::string all, part(1 << 20, '\0');
  while (const size_t got = text.read(part.data(), part.size())) all.append(part, 0, got);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const bool made = argc < 2 || std::string(argv[1]) == "--megabytes";
  const fs::path path =
      made ? fs::temp_directory_path() / "gpustall-kineto-bench.json" : fs::path(argv[1]);
  if (made) write_trace(path, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 256);

  double start = seconds();
  const Result<Recording> recording = import_kineto(path, {});
  double import_s = seconds() - start;
  const double memory = peak_mb();
  // Each several times: the first also pays for the pages that it touches first.
  constexpr int kRounds = 4;
  for (int i = 0; i < kRounds; ++i) {
    start = seconds();
    if (import_kineto(path, {})) import_s = std::min(import_s, seconds() - start);
  }
  if (!recording) {
    std::fprintf(stderr, "%s\n", recording.error().message.c_str());
    return 1;
  }
  const size_t rows =
      recording->activities.size() + recording->calls.size() + recording->ranges.size();

  start = seconds();
  const std::string text = unpacked(path);
  const double unpack_s = seconds() - start;
  const simdjson::padded_string padded(text);
  const double mb = static_cast<double>(text.size()) / 1e6;
  simdjson::dom::parser parser;
  if (parser.allocate(padded.size() + 64)) return 1;
  double simdjson_s = 1e9;
  bool parsed = true;
  for (int i = 0; i <= kRounds; ++i) {
    start = seconds();
    parsed = parsed && parser.parse(padded).error() == simdjson::SUCCESS;
    simdjson_s = std::min(simdjson_s, seconds() - start);
  }

  std::printf("%.0f MB of JSON, %zu rows\n", mb, rows);
  std::printf("import            %8.0f MB/s  %6.2f s  %.0f MB at its peak\n", mb / import_s,
              import_s, memory);
  std::printf("unpack alone      %8.0f MB/s\n", mb / unpack_s);
  std::printf("simdjson alone    %8.0f MB/s%s\n", mb / simdjson_s, parsed ? "" : "  (refused)");
  std::printf("ratio to simdjson %8.0f %%\n", 100 * simdjson_s / import_s);
  if (made) fs::remove(path);
  return 0;
}
