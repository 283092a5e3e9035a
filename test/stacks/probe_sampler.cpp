// The probe's sampler: a thread that reads another thread's stacks as fast as it is told, without
// the share that bounds the real one, and judges each; and a run of the real periodic job.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/stacks/guarded_walk.h"
#include "libinterpose/stacks/sampler.h"
#include "libinterpose/stacks/thread_part.h"
#include "test/stacks/fake_core.h"

#define PROBE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace gpustall;
using namespace gpustall::interpose;

std::atomic<bool> g_run{false};
pthread_t g_thread;
ThreadState* g_target;
int g_hz;

struct Counts {
  std::atomic<int> walks = 0;
  int failed = 0, unreadable = 0, bad_root = 0, bad_link = 0;
  int64_t cpu_ns = 0;
} g_counts;

void reset_counts() {
  g_counts.walks = 0;
  g_counts.failed = g_counts.unreadable = g_counts.bad_root = g_counts.bad_link = 0;
  g_counts.cpu_ns = 0;
}

// N of "level_N", also behind a qualified name's last dot; -1 for other names.
int level_of(const std::string& function) {
  const std::string name = function.substr(function.rfind('.') + 1);
  int level = 0, length = 0;
  const int got = std::sscanf(name.c_str(), "level_%d%n", &level, &length);
  return got == 1 && length == static_cast<int>(name.size()) ? level : -1;
}

// The hostile program's rule: level_N is only ever called by level_(N-1), or the first by <module>.
void judge(const std::vector<fake::Line>& lines) {
  if (lines.empty() || lines.back().function != "<module>") ++g_counts.bad_root;
  bool link = false;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    const int level = level_of(lines[i].function);
    size_t caller = i + 1;
    while (caller + 1 < lines.size() && lines[caller].function.back() == '>') ++caller;
    if (level > 0 && level_of(lines[caller].function) != level - 1) link = true;
  }
  if (link) ++g_counts.bad_link;
}

void sample_once(HookGuard& guard, GuardedMemory& memory, MemoryView& view, GuardedThread& thread) {
  const PythonLayout& l = *python_layout();
  ++g_counts.walks;
  const int64_t begin = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const bool good = walk_guarded(l, memory, view, thread);
  g_counts.cpu_ns += read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
  if (!good) {
    ++g_counts.failed;
    return;
  }
  StackArea* area = stack_area(guard.thread());
  uint32_t node = 0;
  for (unsigned i = thread.count; i-- > 0;) {
    node = area->nodes.child(guard, l, view, node, thread.frames[i].frame, area->text);
    if (node == 0) {
      ++g_counts.unreadable;
      return;
    }
  }
  judge(fake::lines_of(node));
}

void* run_hostile(void*) {
  HookGuard guard{HookGuard::OwnThread{}};
  GuardedMemory memory;
  memory.open(getpid());
  auto* view = static_cast<MemoryView*>(map_wiped(sizeof(MemoryView)));
  auto* thread = static_cast<GuardedThread*>(map_wiped(sizeof(GuardedThread)));
  thread->tstate = part_of<StacksPart>(*g_target, ThreadPart::Stacks).tstate;
  thread->pthread = g_target->pthread;
  while (g_run.load()) {
    sample_once(guard, memory, *view, *thread);
    const timespec pause{0, 1000000000 / g_hz};
    nanosleep(&pause, nullptr);
  }
  memory.close();
  return nullptr;
}

void* run_job(void*) {
  HookGuard guard{HookGuard::OwnThread{}};
  stacks::start(guard);
  while (g_run.load()) {
    for (const Job job : fake::jobs) job(guard, Round::Periodic);
    const timespec pause{0, 1000000000 / g_hz};
    nanosleep(&pause, nullptr);
  }
  g_counts.cpu_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
  fake::sampled = &guard.thread();
  return nullptr;
}

}  // namespace

// As a container's filter does: process_vm_readv fails with EPERM from now on, in all threads.
PROBE_EXPORT int probe_refuse_readv() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter));
}

// The caller's thread is the target; it must have captured a stack before. kind 1: the real job.
PROBE_EXPORT void probe_sampler_start(int kind, int hz) {
  g_target = tls_thread;
  g_hz = hz;
  g_settings.sample_hz = static_cast<uint32_t>(hz);
  g_run = true;
  reset_counts();
  pthread_create(&g_thread, nullptr, kind == 0 ? run_hostile : run_job, nullptr);
}

PROBE_EXPORT int probe_sampler_walks() {
  return g_counts.walks;
}

// walks failed unreadable bad_root bad_link cpu_ns
PROBE_EXPORT const char* probe_sampler_stop() {
  static char text[256];
  g_run = false;
  pthread_join(g_thread, nullptr);
  const Counts& c = g_counts;
  std::snprintf(text, sizeof text, "%d %d %d %d %d %lld", c.walks.load(), c.failed, c.unreadable,
                c.bad_root, c.bad_link, static_cast<long long>(c.cpu_ns));
  return text;
}

PROBE_EXPORT void probe_child_started(int pid) {
  stacks::child_started(static_cast<uint32_t>(pid));
}

// The Sample records of the real job: "pid tid state flags cpu_ns runnable_ns function line" each,
// with the innermost Python frame.
PROBE_EXPORT const char* probe_samples() {
  static std::string text;
  text.clear();
  if (fake::sampled == nullptr) return "";
  const ChunkStream& s = fake::sampled->stream;
  if (s.chunk == nullptr) return "";
  const auto* begin = reinterpret_cast<const uint8_t*>(s.chunk + 1);
  trace::Reader in(begin, s.at);
  trace::Running run{s.chunk->base_time, 0};
  uint8_t tag = 0;
  std::string_view payload;
  while (trace::next_record(in, tag, payload)) {
    trace::Sample r;
    if (tag != static_cast<uint8_t>(trace::Tag::Sample) || !trace::decode(payload, run, r))
      continue;
    const auto lines = fake::lines_of(static_cast<uint32_t>(r.stack));
    char row[256];
    std::snprintf(
        row, sizeof row, "%llu %llu %llu %llu %llu %llu %s\n",
        static_cast<unsigned long long>(r.pid), static_cast<unsigned long long>(r.tid),
        static_cast<unsigned long long>(r.state), static_cast<unsigned long long>(r.flags),
        static_cast<unsigned long long>(r.cpu_ns), static_cast<unsigned long long>(r.runnable_ns),
        lines.empty() ? "-" : lines.front().function.c_str());
    text += row;
  }
  for (const auto& [kind, count] : fake::losses)
    text += "loss " + std::to_string(static_cast<int>(kind)) + ' ' + std::to_string(count) + '\n';
  for (const std::string& n : fake::notices) text += "notice " + n + '\n';
  return text.c_str();
}
