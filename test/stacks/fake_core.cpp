// The recorder's core as far as stacks/ needs it, kept in maps of this process, so that a test can
// ask what a stack id stands for. For the probe library only; never part of the product.
#include "test/stacks/fake_core.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <tuple>

#include "libinterpose/dictionary.h"
#include "libinterpose/fork.h"
#include "libinterpose/helper.h"
#include "libinterpose/recorder.h"
#include "libinterpose/settings.h"

namespace gpustall::interpose {

std::atomic<State> g_state{State::On};
std::atomic<bool> g_recording{true};
bool g_clock_is_tsc = false;
Settings g_settings;
__thread ThreadState* tls_thread = nullptr;

namespace {

std::recursive_mutex g_mutex;
using CodeId = std::tuple<uint64_t, uint64_t, uint32_t, uint64_t>;
std::map<CodeId, uint32_t> g_code_ids;
std::map<std::tuple<uint32_t, uint32_t, int64_t>, uint32_t> g_node_ids;
std::map<std::vector<uint64_t>, uint32_t> g_native_ids;
ThreadState* g_threads = nullptr;

ThreadState* new_thread(bool inert) {
  auto* t = static_cast<ThreadState*>(map_wiped(sizeof(ThreadState)));
  t->tid.store(static_cast<uint32_t>(syscall(SYS_gettid)));
  t->pthread = pthread_self();
  t->inert = inert;
  const std::lock_guard lock(g_mutex);
  t->next = g_threads;
  g_threads = t;
  return tls_thread = t;
}

CodeId id_of(const CodeKey& k) {
  return {k.address, k.filename_address, k.first_line, k.checksum};
}

}  // namespace

std::vector<fake::Code> fake::codes(1);
std::vector<fake::Node> fake::nodes(1);
std::vector<std::vector<uint64_t>> fake::natives(1);
std::vector<Job> fake::jobs;
std::map<trace::LossKind, uint64_t> fake::losses;
std::vector<std::string> fake::notices;
trace::FileHeader fake::header;
ThreadState* fake::sampled = nullptr;

HookGuard::HookGuard(OwnThread) noexcept : errno_(errno) {
  thread_ = new_thread(true);
  thread_->depth = 1;
}
void count_reentry() noexcept {}
ThreadState* attach_thread() noexcept {
  return new_thread(false);
}
ThreadState* first_thread() noexcept {
  const std::lock_guard lock(g_mutex);
  return g_threads;
}
void* map_wiped(size_t bytes) noexcept {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  madvise(p, bytes, MADV_WIPEONFORK);
  return p;
}
LoaderUse::LoaderUse() noexcept : allowed_(true) {}
LoaderUse::~LoaderUse() noexcept = default;

uint32_t find_code(HookGuard&, const CodeKey& key) noexcept {
  const std::lock_guard lock(g_mutex);
  const auto found = g_code_ids.find(id_of(key));
  return found == g_code_ids.end() ? 0 : found->second;
}
uint32_t add_code(HookGuard&, const CodeKey& key, const CodeText& text) noexcept {
  const std::lock_guard lock(g_mutex);
  fake::codes.push_back({std::string(text.file), std::string(text.function), key.first_line,
                         std::string(text.line_table)});
  return g_code_ids[id_of(key)] = static_cast<uint32_t>(fake::codes.size() - 1);
}
uint32_t intern_frame(HookGuard&, uint32_t parent, uint32_t code, int64_t position) noexcept {
  const std::lock_guard lock(g_mutex);
  uint32_t& id = g_node_ids[{parent, code, position}];
  if (id == 0) {
    fake::nodes.push_back({parent, code, position});
    id = static_cast<uint32_t>(fake::nodes.size() - 1);
  }
  return id;
}
uint32_t intern_native(HookGuard&, const uint64_t* pcs, unsigned count) noexcept {
  const std::lock_guard lock(g_mutex);
  uint32_t& id = g_native_ids[{pcs, pcs + count}];
  if (id == 0) {
    fake::natives.emplace_back(pcs, pcs + count);
    id = static_cast<uint32_t>(fake::natives.size() - 1);
  }
  return id;
}

trace::FileHeader* file_header() noexcept {
  return &fake::header;
}
void count_loss(trace::LossKind kind, uint64_t count) noexcept {
  const std::lock_guard lock(g_mutex);
  fake::losses[kind] += count;
}
void notice(HookGuard&, trace::NoticeKind, int64_t, std::string_view text) noexcept {
  const std::lock_guard lock(g_mutex);
  fake::notices.emplace_back(text);
}
bool add_periodic(Job job, int64_t) noexcept {
  fake::jobs.push_back(job);
  return true;
}

// One chunk, used again when it is full: the probe decodes records before the next round.
bool next_chunk(ChunkStream& s, trace::StreamKind, uint32_t tid, int64_t base_time) noexcept {
  if (s.chunk == nullptr) s.chunk = static_cast<trace::ChunkHeader*>(map_wiped(trace::kChunkBytes));
  s.chunk->tid = tid;
  s.chunk->base_time = base_time;
  s.chunk->committed_bytes = 0;
  s.run = {base_time, 0};
  s.at = reinterpret_cast<uint8_t*>(s.chunk + 1);
  s.end = reinterpret_cast<uint8_t*>(s.chunk) + trace::kChunkBytes;
  return true;
}

std::vector<fake::Line> fake::lines_of(uint32_t stack) {
  const std::lock_guard lock(g_mutex);
  std::vector<Line> out;
  for (uint32_t node = stack; node != 0; node = nodes[node].parent) {
    const Code& code = codes[nodes[node].code];
    out.push_back(
        {code.file, code.function, code.first_line, nodes[node].position, code.line_table});
  }
  return out;
}

}  // namespace gpustall::interpose
