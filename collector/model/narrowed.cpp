#include "collector/model/narrowed.h"

#include <charconv>

#include "collector/analyze/frame_kind.h"

namespace gpustall::collect {
namespace {

std::string_view text_of(const Process& process, const char* key) {
  const auto at = process.info.find(key);
  return at == process.info.end() ? std::string_view() : std::string_view(at->second);
}

// 0: none.
int leading_number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The user's innermost frame; none without Python.
std::optional<ModelSite> user_site(const Recording& r, StackId stack) {
  for (StackId at = stack; raw(at) < r.stacks.size(); at = r.stacks[raw(at)].parent) {
    const Frame& f = r.frames[raw(r.stacks[raw(at)].frame)];
    if (kind_of_frame(r.text(f.file), r.text(f.function)).owner != CodeOwner::User) continue;
    return ModelSite{std::string(r.text(f.file)), std::string(r.text(f.function)), f.line, {}};
  }
  return {};
}

// "8 to 1 by /path/of/library.so", from before the recording.
Narrowing before_recording(std::string_view text) {
  Narrowing out;
  out.before = leading_number(text);
  if (const size_t to = text.find(" to "); to != std::string_view::npos)
    out.after = leading_number(text.substr(to + 4));
  if (const size_t by = text.find(" by "); by != std::string_view::npos)
    out.by = text.substr(by + 4);
  return out;
}

}  // namespace

std::vector<Narrowing> narrowings(const Recording& r, ProcessIndex process) {
  const Process& p = r.processes[raw(process)];
  std::vector<Narrowing> out;
  const int allowed = leading_number(text_of(p, "cpu.allowed"));
  const int at_start = leading_number(text_of(p, "cpu.at_start"));
  if (const std::string_view text = text_of(p, "cpu.narrowed"); !text.empty())
    out.push_back(before_recording(text));
  else if (allowed > 0 && at_start > allowed)  // by a system call of its own, or from outside
    out.push_back({at_start, allowed, {}, {}});
  int now = allowed;
  for (size_t i = 0; i < r.waits.size(); ++i) {
    if (r.waits.wait[i] != trace::WaitId::SchedSetaffinity || r.waits.result[i] <= 0 ||
        r.threads[raw(r.waits.thread[i])].process != process)
      continue;
    const auto cpus = static_cast<int>(r.waits.result[i]);
    if (cpus < now || now == 0) out.push_back({now, cpus, user_site(r, r.waits.stack[i]), {}});
    now = cpus;
  }
  return out;
}

}  // namespace gpustall::collect
