// The readers on arbitrary bytes. With clang: a libFuzzer target; with any compiler: a program that
// replays the files and directories given as arguments, in ordinary ctest.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "collector/read/dump.h"
#include "collector/read/read_traces.h"

using namespace gpustall::collect;

// Headers and chunks are mostly padding: the input is the bytes that matter, laid out here.
// 440 bytes of file header, then chunks of (48-byte header, payload) with a length byte pair.
static std::string laid_out(std::string_view input) {
  constexpr size_t kHead = 440, kHeader = 4096, kChunk = 4096;
  std::string bytes(input.substr(0, kHead));
  bytes.resize(kHeader, '\0');
  bytes.replace(0, 20, std::string_view("GPUSTALL\1\0\1\0\0\x10\0\0\0\x10\0\0", 20));
  input.remove_prefix(std::min(input.size(), kHead));
  while (input.size() > 2) {
    const size_t wanted =
        static_cast<uint8_t>(input[0]) + 256u * (static_cast<uint8_t>(input[1]) & 7);
    input.remove_prefix(2);
    std::string chunk(input.substr(0, wanted));
    input.remove_prefix(std::min(input.size(), wanted));
    chunk.resize(kChunk, '\0');
    chunk.replace(0, 4, "GSCH");
    bytes += chunk;
  }
  return bytes;
}

static void read_all(const std::string& bytes) {
  ReadOptions options;
  options.symbols = false;
  const auto recording = read_traces({{"fuzz.gst", bytes}}, {}, options);
  if (!recording && recording.error().message.empty()) abort();
  std::ostringstream out;
  DumpOptions dump;
  dump.resolve = false;
  dump_bytes("fuzz.gst", bytes, out, dump);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read_all(std::string(input));  // as it is
  read_all(laid_out(input));
  return 0;
}
