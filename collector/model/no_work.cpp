#include "collector/model/no_work.h"

#include <algorithm>

#include "collector/analyze/link.h"

namespace gpustall::collect {
namespace {

size_t submissions(const Recording& r, uint32_t process) {
  size_t count = 0;
  for (size_t i = 0; i < r.calls.size(); ++i)
    count +=
        launches_work(r.calls.call[i]) && raw(r.threads[raw(r.calls.thread[i])].process) == process;
  return count;
}

// Of a device that was not observed from the start to the end; null: it was.
const Unobserved* blind(const Recording& r, uint32_t process) {
  using trace::NoticeKind;
  for (const Unobserved& u : r.unobserved)
    if (raw(u.process) == process &&
        (u.what == NoticeKind::CuptiRefused || u.what == NoticeKind::CuptiMissing ||
         u.what == NoticeKind::CuptiYielded))
      return &u;
  return nullptr;
}

}  // namespace

std::string no_work_sentence(const Recording& r) {
  const std::string nothing = "No GPU work was recorded";
  size_t most = 0;
  uint32_t who = 0;
  for (uint32_t p = 0; p < r.processes.size(); ++p) {
    const size_t count = submissions(r, p);
    if (count > most) who = p, most = count;
  }
  if (most == 0) {
    for (const Process& p : r.processes)
      if (!p.clean_end && p.role == trace::Role::Trainer)
        return nothing + ": process " + std::to_string(p.pid) +
               " was killed, or still ran, before any of it was written.";
    return nothing + ".";
  }
  const Process& process = r.processes[who];
  const std::string pieces = most == 1 ? "1 piece" : std::to_string(most) + " pieces";
  const std::string it =
      ": process " + std::to_string(process.pid) + " submitted " + pieces + " of work, but ";
  if (const Unobserved* u = blind(r, who)) return nothing + it + u->text + ".";
  if (!process.clean_end)
    return nothing + it +
           "was killed, or still ran, before the device had handed over any of it (which takes up "
           "to a second).";
  return nothing + it + "the device handed over none of it.";
}

}  // namespace gpustall::collect
