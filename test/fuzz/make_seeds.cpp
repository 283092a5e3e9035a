// Writes seed inputs for the fuzzer into a directory: small whole traces, in the compact layout of
// read_fuzz.cpp.
#include <string>

#include "test/builder/damage.h"
#include "test/builder/sample_traces.h"

using namespace gpustall;
using namespace gpustall::test;

static std::string compact(const std::string& bytes) {
  std::string out = bytes.substr(0, 440);
  for (size_t i = 0; i < chunk_count(bytes); ++i) {
    const std::string chunk = bytes.substr(chunk_offset(bytes, i), chunk_size(bytes));
    const size_t length =
        48 + static_cast<uint8_t>(chunk[4]) + 256u * static_cast<uint8_t>(chunk[5]);
    out += static_cast<char>(length % 256);
    out += static_cast<char>(length / 256);
    out += chunk.substr(0, length);
  }
  return out;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  write_file(folder + "host", compact(host_trace().bytes()));
  write_file(folder + "device", compact(device_trace().bytes()));
  write_file(folder + "clocks", compact(clocks_trace().bytes()));
  return 0;
}
