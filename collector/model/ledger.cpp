#include "collector/model/ledger.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace gpustall::collect {
namespace {

const char* loss_text(trace::LossKind kind) {
  switch (kind) {
    case trace::LossKind::NoChunk:
      return "records had no room (size cap or full disk)";
    case trace::LossKind::RecordTooLong:
      return "records were too long and were cut";
    case trace::LossKind::DictionaryFull:
      return "names or stacks had no room";
    case trace::LossKind::CuptiDropped:
      return "device records were dropped by CUPTI";
    case trace::LossKind::ActivityInvalid:
      return "device records had no valid time";
    case trace::LossKind::ActivityUnknown:
      return "device records were of an unknown kind";
    case trace::LossKind::StackUnreadable:
      return "Python stacks could not be read";
    case trace::LossKind::HookReentered:
      return "calls came from inside gpustall itself";
    case trace::LossKind::UnlinkedWaker:
      return "wakers could not be told";
    case trace::LossKind::AfterExit:
      return "events came after the final flush";
    case trace::LossKind::SampleMissed:
      return "stack samples were missed";
    case trace::LossKind::Count:
      break;
  }
  return "records were lost";
}

// Whether the kind takes something out of the sums; the others only make evidence thinner.
bool loses_records(trace::LossKind kind) {
  return kind == trace::LossKind::NoChunk || kind == trace::LossKind::CuptiDropped ||
         kind == trace::LossKind::ActivityInvalid || kind == trace::LossKind::ActivityUnknown ||
         kind == trace::LossKind::AfterExit;
}

// Gaps and slices must agree to the nanosecond; if they ever do not, the report says so itself.
bool adds_up(const Analysis& a) {
  std::map<uint32_t, int64_t> idle;
  for (size_t s = 0; s < a.slices.size(); ++s)
    idle[raw(a.gaps.device[a.slices.gap[s]])] += a.slices.end[s] - a.slices.start[s];
  return std::all_of(a.timelines.begin(), a.timelines.end(), [&](const DeviceTimeline& line) {
    return idle[raw(line.device)] == line.idle_ns();
  });
}

std::string seconds(TraceTime ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", double(ns) / 1e9);
  return text;
}

// Why the device was not watched for a while, in words.
std::string reason_of(const Unobserved& u) {
  if (u.what == trace::NoticeKind::CuptiYielded)
    return "gpustall stood aside while the program used CUPTI itself (torch.profiler; " + u.text +
           ")";
  return u.text;
}

}  // namespace

Ledger ledger_of(const Recording& recording, const Analysis& analysis) {
  Ledger ledger;
  ledger.unlinked_activities = analysis.unlinked_activities;
  ledger.overhead_ns = static_cast<int64_t>(recording.own_overhead_ns);
  for (const Process& p : recording.processes)
    ledger.clock_error_ns = std::max(ledger.clock_error_ns, p.device_clock.error_ns);
  for (const Loss& loss : recording.losses) {
    if (loss.count == 0) continue;
    if (loses_records(loss.kind)) ledger.lost_records += loss.count;
    ledger.losses.push_back(std::to_string(loss.count) + " " + loss_text(loss.kind) + " (pid " +
                            std::to_string(recording.processes[raw(loss.process)].pid) + ")");
  }
  for (const std::string& damage : recording.damage) ledger.losses.push_back(damage);
  if (!adds_up(analysis))
    ledger.losses.push_back("internal error: the causes do not add up to the idle time");
  ledger.not_observed = recording.not_observed;
  for (const Unobserved& u : recording.unobserved) {
    const Process& p = recording.processes[raw(u.process)];
    ledger.not_observed.push_back("device work of pid " + std::to_string(p.pid) + " from " +
                                  seconds(u.start - p.first_ns) + " to " +
                                  seconds(u.end - p.first_ns) + ": " + reason_of(u));
  }
  return ledger;
}

std::map<std::string, std::string> environment_of(const Recording& recording) {
  // Of the process that trains; paths and arguments are not part of a card that is passed around.
  static const std::set<std::string> kPrivate = {"argv", "cwd", "script"};
  const Process* trainer = nullptr;
  for (const Process& p : recording.processes)
    if (trainer == nullptr ||
        (p.role == trace::Role::Trainer && trainer->role != trace::Role::Trainer))
      trainer = &p;
  std::map<std::string, std::string> card;
  if (trainer == nullptr) return card;
  for (const auto& [key, value] : trainer->info)
    if (!kPrivate.count(key)) card.emplace(key, value);
  return card;
}

}  // namespace gpustall::collect
