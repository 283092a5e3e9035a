// Definitions of the recorder's interface for the unit tests.
#include "test/cupti/unit/fake_recorder.h"

#include <cstdlib>
#include <cstring>
#include <map>

#include "libinterpose/dictionary.h"
#include "libinterpose/fork.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/window.h"

namespace gpustall::test {
namespace {

std::map<std::string, uint32_t> g_strings;
std::vector<QueueParts> g_queues;
std::vector<Chunk> g_chunks;
std::vector<Said> g_said;
uint64_t g_losses[32];
std::vector<interpose::Job> g_jobs;
alignas(64) interpose::ThreadState g_thread;

}  // namespace

const std::vector<Chunk>& chunks() {
  return g_chunks;
}
const std::vector<Said>& notices() {
  return g_said;
}
uint64_t losses(trace::LossKind kind) {
  return g_losses[static_cast<int>(kind)];
}
QueueParts queue_of(uint64_t id) {
  return g_queues.at(id - 1);
}
std::string text_of(uint64_t id) {
  for (const auto& [text, number] : g_strings)
    if (number == id) return text;
  return {};
}

void reset_recorder() {
  for (Chunk& chunk : g_chunks) free(chunk.header);
  g_chunks.clear();
  g_said.clear();
  g_strings.clear();
  g_queues.clear();
  g_jobs.clear();
  memset(g_losses, 0, sizeof g_losses);
  memset(static_cast<void*>(&g_thread), 0, sizeof g_thread);
  interpose::tls_thread = nullptr;
  interpose::g_state = interpose::State::On;
  interpose::g_recording = true;
}

void run_helper(interpose::Round round) {
  interpose::HookGuard guard{interpose::HookGuard::AnyWindow{}};
  for (interpose::Job job : g_jobs) job(guard, round);
}

}  // namespace gpustall::test

namespace gpustall::interpose {

using namespace gpustall::test;

bool g_clock_is_tsc = false;
std::atomic<State> g_state{State::On};
std::atomic<bool> g_recording{true};
Settings g_settings;
__thread ThreadState* tls_thread __attribute__((tls_model("initial-exec"))) = nullptr;

int64_t ticks_from_ns(int64_t ns) noexcept {
  return ns;
}
ThreadState* attach_thread() noexcept {
  g_thread.tid = 1;
  tls_thread = &g_thread;
  return tls_thread;
}
void count_reentry() noexcept {
  count_loss(trace::LossKind::HookReentered);
}
void count_after_exit() noexcept {
  count_loss(trace::LossKind::AfterExit);
}
trace::FileHeader* file_header() noexcept {
  static trace::FileHeader header;
  return &header;
}
void set_header_flag(trace::HeaderFlag) noexcept {}
void count_loss(trace::LossKind kind, uint64_t count) noexcept {
  g_losses[static_cast<int>(kind)] += count;
}
void notice(HookGuard&, trace::NoticeKind kind, int64_t code, std::string_view text) noexcept {
  g_said.push_back({kind, code, std::string(text)});
}
bool next_chunk(ChunkStream& s, trace::StreamKind kind, uint32_t tid, int64_t base) noexcept {
  auto* header = static_cast<trace::ChunkHeader*>(calloc(1, trace::kChunkBytes));
  header->tid = tid;
  header->base_time = base;
  s.chunk = header;
  s.at = reinterpret_cast<uint8_t*>(header + 1);
  s.end = reinterpret_cast<uint8_t*>(header) + trace::kChunkBytes;
  s.run = {base, 0};
  g_chunks.push_back({kind, header});
  return true;
}
static ChunkStream g_shared;
SharedStream::SharedStream(HookGuard&) noexcept {}
SharedStream::~SharedStream() noexcept {}
ChunkStream& SharedStream::stream() noexcept {
  bool known = false;
  for (const Chunk& chunk : g_chunks) known |= chunk.header == g_shared.chunk;
  if (!known) g_shared = {};
  return g_shared;
}
uint32_t intern_string(HookGuard&, std::string_view text) noexcept {
  const auto id = static_cast<uint32_t>(g_strings.size() + 1);
  return g_strings.emplace(std::string(text), id).first->second;
}
uint32_t intern_queue(HookGuard&, uint64_t device, uint64_t context, uint64_t stream) noexcept {
  for (size_t i = 0; i < g_queues.size(); ++i) {
    const QueueParts& q = g_queues[i];
    if (q.device == device && q.context == context && q.stream == stream)
      return static_cast<uint32_t>(i + 1);
  }
  g_queues.push_back({device, context, stream});
  return static_cast<uint32_t>(g_queues.size());
}
bool add_device_job(Job job, int64_t) noexcept {
  g_jobs.push_back(job);
  return true;
}
bool start_recording(StartReason) noexcept {
  return is_on();
}
void profiler_range(bool begins) noexcept {
  g_recording = begins;
}
bool is_window_range(std::string_view) noexcept {
  return false;
}
void open_window() noexcept {
  g_recording = true;
}
void close_window() noexcept {
  g_recording = false;
}

namespace stacks {
uint32_t python_stack(HookGuard&) noexcept {
  return 7;
}
uint32_t native_stack(HookGuard&) noexcept {
  return 9;
}
}  // namespace stacks

// No fork is under way in these tests.
LoaderUse::LoaderUse() noexcept : allowed_(true) {}
LoaderUse::~LoaderUse() noexcept = default;

bool is_forked() noexcept {
  return false;
}

}  // namespace gpustall::interpose
