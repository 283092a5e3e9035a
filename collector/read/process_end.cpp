#include "collector/read/process_end.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

using trace::NoticeKind;

std::string process_name(const Process& p) {
  std::string text = "process " + std::to_string(p.pid);
  if (p.rank >= 0) text += " (rank " + std::to_string(p.rank) + ")";
  return text;
}

// The notice that ends what this one began; Other: it lasts to the end.
NoticeKind ended_by(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::CuptiYielded:
    case NoticeKind::CuptiRefused:
    case NoticeKind::CuptiMissing:
      return NoticeKind::CuptiResumed;
    case NoticeKind::WindowClosed:
      return NoticeKind::WindowOpened;
    default:
      return NoticeKind::Other;
  }
}

bool begins_interval(NoticeKind kind) {
  return ended_by(kind) != NoticeKind::Other || kind == NoticeKind::CapReached ||
         kind == NoticeKind::DiskFull;
}

// A source that is missing as a whole, in words; null: the notice is about something else.
const char* missing_source(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::PythonStacksOff:
      return "Python stacks";
    case NoticeKind::NativeStacksOff:
      return "native stacks";
    case NoticeKind::SamplerOff:
      return "samples of what the threads did";
    case NoticeKind::FileCut:
      return "a part of the recording";
    case NoticeKind::ClockStepped:
      return "a steady clock";
    default:
      return nullptr;
  }
}

class Describer {
 public:
  Describer(Recording& recording, const FileContext& context, FileEvents& events)
      : r_(recording), c_(context), e_(events), p_(recording.processes[raw(context.process)]) {}

  void times(HostClock& clock) {
    const trace::FileHeader& h = c_.file.header;
    start_ = clock.to_ns(h.start_ticks);
    if (e_.first_ns > e_.last_ns) e_.first_ns = e_.last_ns = clock.to_ns(h.start_ticks);
    p_.first_ns = e_.first_ns;
    p_.last_ns = e_.last_ns;
    end_ = p_.clean_end ? std::max(p_.last_ns, clock.to_ns(h.end_ticks)) : p_.last_ns;
  }

  void notices() {
    std::stable_sort(e_.notices.begin(), e_.notices.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    for (size_t i = 0; i < e_.notices.size(); ++i) {
      const TimedNotice& n = e_.notices[i];
      if (begins_interval(n.kind)) unobserved(n.kind, n.at, end_of(i), n.text);
      if (const char* source = missing_source(n.kind)) not_observed(source, n.text);
      // A window that opens late says by itself what came before it.
      const TraceTime begin = std::min(p_.first_ns, start_);
      if (n.kind == NoticeKind::WindowOpened && first_of_window(i) && n.at > begin)
        unobserved(NoticeKind::WindowClosed, begin, n.at, "before the recording window");
    }
    if (p_.cap_reached && !seen(NoticeKind::CapReached))
      unobserved(NoticeKind::CapReached, p_.last_ns, end_, "the size cap was reached");
  }

  // The header's counters are all that was lost; Loss records may repeat a part of them.
  void losses() {
    for (size_t kind = 0; kind < e_.losses.size(); ++kind) {
      const uint64_t count = std::max(e_.losses[kind], c_.file.header.losses[kind]);
      if (count != 0) r_.losses.push_back({c_.process, static_cast<trace::LossKind>(kind), count});
    }
  }

 private:
  TraceTime end_of(size_t i) const {
    const NoticeKind end = ended_by(e_.notices[i].kind);
    for (size_t k = i + 1; end != NoticeKind::Other && k < e_.notices.size(); ++k)
      if (e_.notices[k].kind == end) return e_.notices[k].at;
    return std::max(end_, e_.notices[i].at);
  }
  bool first_of_window(size_t i) const {
    return std::none_of(
        e_.notices.begin(), e_.notices.begin() + static_cast<long>(i), [](const auto& n) {
          return n.kind == NoticeKind::WindowOpened || n.kind == NoticeKind::WindowClosed;
        });
  }
  bool seen(NoticeKind kind) const {
    return std::any_of(e_.notices.begin(), e_.notices.end(),
                       [kind](const auto& n) { return n.kind == kind; });
  }
  void unobserved(NoticeKind kind, TraceTime start, TraceTime end, const std::string& text) {
    r_.unobserved.push_back({c_.process, kind, start, end, text});
  }
  void not_observed(const std::string& source, const std::string& reason) {
    std::string text = source + " of " + process_name(p_);
    if (!reason.empty()) text += ": " + reason;
    if (std::find(r_.not_observed.begin(), r_.not_observed.end(), text) == r_.not_observed.end())
      r_.not_observed.push_back(std::move(text));
  }

  Recording& r_;
  const FileContext& c_;
  FileEvents& e_;
  Process& p_;
  TraceTime start_ = 0, end_ = 0;  // of the file
};

}  // namespace

void describe_process_end(Recording& recording, const FileContext& context, FileEvents& events,
                          HostClock& clock) {
  Describer describer(recording, context, events);
  describer.times(clock);
  describer.notices();
  describer.losses();
}

namespace {
// A process that went on as another program (exec) wrote all that it had before.
bool went_on(const Recording& recording, const Process& p) {
  return std::any_of(recording.processes.begin(), recording.processes.end(),
                     [&](const Process& next) {
                       return &next != &p && next.pid == p.pid && next.parent_pid == p.parent_pid &&
                              next.host == p.host && next.first_ns >= p.last_ns;
                     });
}
}  // namespace

void describe_cut_ends(Recording& recording) {
  for (Process& p : recording.processes)
    if (!p.clean_end) p.clean_end = went_on(recording, p);
  const auto cut = [&](bool forked, const char* why) {
    std::string pids;
    size_t count = 0;
    for (const Process& p : recording.processes) {
      if (p.clean_end || p.forked != forked) continue;
      if (++count <= 8) pids += (count == 1 ? "" : ", ") + std::to_string(p.pid);
    }
    if (count == 0) return;
    if (count > 8) pids += " and " + std::to_string(count - 8) + " more";
    recording.not_observed.push_back((count == 1 ? "the end of " : "the ends of ") +
                                     std::string(forked ? "worker " : "") +
                                     (count == 1 ? "process " : "processes ") + pids + ": " + why);
  };
  cut(false,
      "killed, or still running when this was read; the last moments (20 ms of the host, up to a "
      "second of the device) are missing");
  cut(true, "killed, or still running when this was read");
}

}  // namespace gpustall::collect
