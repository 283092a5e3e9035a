// How fast traces are read: events per second of one core, file bytes to sorted Recording.
//   read_bench [million events, default 10] [rounds, default 3]
// Prints one line per round and "read: N events/s, B bytes/event" for the best one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "collector/read/read_traces.h"
#include "libinterpose/trace/names.h"
#include "libinterpose/trace/records.h"

using namespace gpustall;

namespace {

// One stream's chunks, written as the recorder writes them.
class Stream {
 public:
  Stream(std::string& file, trace::StreamKind kind, uint32_t tid)
      : file_(file), kind_(kind), tid_(tid) {}
  ~Stream() { seal(); }

  template <typename Record>
  void add(const Record& record, int64_t time) {
    if (open_ && write(record)) return;
    seal();
    run_ = {time, 0};
    base_time_ = time;
    open_ = true;
    write(record);
  }

 private:
  template <typename Record>
  bool write(const Record& record) {
    trace::Writer out(buffer_ + used_, buffer_ + sizeof buffer_);
    if (!trace::encode(record, run_, out)) return false;
    used_ += out.size();
    return true;
  }
  void seal() {
    if (!open_) return;
    trace::ChunkHeader h{};
    h.magic = trace::kChunkMagic;
    h.committed_bytes = static_cast<uint32_t>(used_);
    h.tid = tid_;
    h.stream_kind = static_cast<uint16_t>(kind_);
    h.sequence = sequence_++;
    h.base_time = base_time_;
    std::string chunk(trace::kChunkBytes, '\0');
    std::memcpy(chunk.data(), &h, sizeof h);
    std::memcpy(chunk.data() + sizeof h, buffer_, used_);
    file_ += chunk;
    used_ = 0;
    open_ = false;
  }

  std::string& file_;
  trace::StreamKind kind_;
  uint32_t tid_, sequence_ = 0;
  uint8_t buffer_[trace::kChunkBytes - sizeof(trace::ChunkHeader)];
  size_t used_ = 0;
  bool open_ = false;
  int64_t base_time_ = 0;
  trace::Running run_;
};

constexpr int64_t kTicksPerUs = 3000;

void add_definitions(Stream& s) {
  for (uint64_t id = 1; id <= 200; ++id) {
    const std::string name = "void at::native::vectorized_elementwise_kernel<" + std::to_string(id);
    s.add(trace::String{id, name}, 0);
    s.add(trace::Code{id, id, id, id * 10, std::string_view("\xef\x02", 2)}, 0);
    s.add(trace::Frame{id, id - 1, id, 2}, 0);
  }
  for (uint64_t id = 1; id <= 2; ++id) s.add(trace::Queue{id, 0, 1, 6 + id}, 0);
}

// Per 10 us: a launch with its kernel, every tenth time a copy and a wait: as a busy step looks.
std::string make_trace(uint64_t events) {
  std::string file(trace::kHeaderBytes, '\0');
  {
    Stream shared(file, trace::StreamKind::Dictionary, 0);
    Stream host(file, trace::StreamKind::Thread, 100), device(file, trace::StreamKind::Device, 101);
    add_definitions(shared);
    int64_t now = 1'000'000;
    for (uint64_t i = 1, n = 0; n < events; ++i) {
      now += 10 * kTicksPerUs + static_cast<int64_t>(i * 7919 % 900);
      const int64_t device_ns = 1'700'000'000'000'000'000 + now / 3;
      const auto jitter = i * 104729 % 500;
      trace::Api api;
      api.call = static_cast<uint64_t>(trace::Call::LaunchKernel);
      api.start = now;
      api.duration = 9'000 + jitter;
      api.correlation = i * 2;
      api.stack = 1 + i % 200;
      api.stream = 7;
      host.add(api, now);
      device.add(trace::Kernel{1 + i % 2, device_ns + 5'000 + static_cast<int64_t>(jitter), 4'000,
                               i * 2, 1 + i % 200, 512, 256, 0},
                 device_ns);
      n += 2;
      if (i % 10 == 0) {
        host.add(trace::Wait{20, now + 12'000, 6'000, 0, 0, 5, 102, 10, 0}, now);
        device.add(trace::Memcpy{1, device_ns + 9'500, 400, i * 2 + 1, 1, 4'096, 1, 3, 0},
                   device_ns);
        n += 2;
      }
      if (i % 100'000 == 0) shared.add(trace::Clock{now, now / 3, 0}, now);
      if (i % 50'000 == 0) host.add(trace::DeviceClock{now, device_ns, 50}, now);
    }
  }
  trace::FileHeader h{};
  std::memcpy(h.magic, trace::kMagic, sizeof h.magic);
  h.format_version = h.min_reader_version = trace::kFormatVersion;
  h.header_bytes = trace::kHeaderBytes;
  h.chunk_bytes = trace::kChunkBytes;
  h.flags = trace::kCleanEnd;
  h.chunks_claimed = (file.size() - trace::kHeaderBytes) / trace::kChunkBytes;
  h.pid = 100;
  h.rank = -1;
  h.clock_kind = static_cast<uint8_t>(trace::ClockKind::Tsc);
  h.start_ticks = 900'000;
  h.start_monotonic_ns = 300'000;
  std::memcpy(file.data(), &h, sizeof h);
  return file;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t events = 1'000'000 * static_cast<uint64_t>(argc > 1 ? std::atoi(argv[1]) : 10);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string file = make_trace(events);
  double best = 0;
  for (int i = 0; i < rounds; ++i) {
    // Time of the processor, not of the wall: other programs on the machine do not count.
    const std::clock_t start = std::clock();
    const auto recording = collect::read_traces({{"bench.gst", file}});
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!recording || !recording->damage.empty()) {
      std::fprintf(
          stderr, "read_bench: %s\n",
          recording ? recording->damage.front().c_str() : recording.error().message.c_str());
      return 1;
    }
    const size_t read =
        recording->calls.size() + recording->activities.size() + recording->waits.size();
    const double rate = static_cast<double>(read) / took;
    best = rate > best ? rate : best;
    std::printf("round %d: %zu events in %.3f s\n", i + 1, read, took);
  }
  std::printf("read: %.0f events/s, %.1f bytes/event\n", best,
              static_cast<double>(file.size()) / static_cast<double>(events));
  return 0;
}
