// What to do about the largest causes. No advice without a remedy, and none where the verdict says
// that there is nothing to gain.
#include "viewer-cli/render/sections.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "collector/model/advice.h"
#include "collector/model/line_costs.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::CauseRow;
using collect::Gain;

// A cause below this share of all time is not worth a paragraph.
constexpr double kWorthAdvice = 0.01;
constexpr double kWorthSaying = 1;  // percent of the step that another repair gains

bool is_busy_row(const View& view, const CauseRow& row) {
  const auto& rows = view.window->busy_causes;
  return !rows.empty() && &row >= rows.data() && &row < rows.data() + rows.size();
}

// "20.00 -> 16.00..17.00 ms/step"
std::string step_times(const View& view, const Gain& gain) {
  const double step_ns = static_cast<double>(view.process->steps->mean_ns);
  const int decimals = decimals_for(step_ns);
  return milliseconds(step_ns, decimals) + " -> " +
         milliseconds(step_ns * (1 - gain.high_pct / 100), decimals) + ".." +
         milliseconds(step_ns * (1 - gain.low_pct / 100), decimals) + " ms/step";
}

bool has_steps(const View& view) {
  return view.process != nullptr && view.process->steps;
}

// Rows of one cause whose gain is one and the same, or of which none is known.
using Group = std::vector<const CauseRow*>;

bool belongs_together(const View& view, const CauseRow& a, const CauseRow& b) {
  const bool same_kind = a.cause == b.cause && a.object == b.object && a.group == b.group &&
                         is_busy_row(view, a) == is_busy_row(view, b);
  if (!same_kind || a.gain.has_value() != b.gain.has_value()) return false;
  return !a.gain || (a.gain->ns_per_step == b.gain->ns_per_step && a.gain->pct == b.gain->pct);
}

int64_t time_of(const Group& group) {
  int64_t ns = 0;
  for (const CauseRow* row : group) ns += row->ns;
  return ns;
}

// The lines of a window: several causes of one line may go away with one repair of it.
class Lines {
 public:
  explicit Lines(const collect::Window& window) : lines_(collect::line_costs(window.causes)) {
    for (const collect::LineCost& line : lines_)
      for (const CauseRow* row : line.rows) of_row_[row] = &line;
  }
  // Null where the row has no line.
  const collect::LineCost* of(const CauseRow& row) const {
    const auto at = of_row_.find(&row);
    return at == of_row_.end() ? nullptr : at->second;
  }
  static bool leads(const CauseRow& row, const collect::LineCost* line) {
    return line != nullptr && line->rows.front() == &row;
  }
  // The largest line in which a row of the group is the largest; null: none.
  const collect::LineCost* led_by(const Group& group) const {
    const collect::LineCost* largest = nullptr;
    for (const CauseRow* row : group)
      if (const collect::LineCost* line = of(*row);
          leads(*row, line) && (largest == nullptr || line->ns > largest->ns))
        largest = line;
    return largest;
  }
  // Of the group's rows, and of what else happens at the lines that they lead.
  int64_t time_of(const Group& group) const {
    std::set<const CauseRow*> rows(group.begin(), group.end());
    for (const CauseRow* row : group)
      if (const collect::LineCost* line = of(*row); leads(*row, line))
        rows.insert(line->rows.begin(), line->rows.end());
    int64_t ns = 0;
    for (const CauseRow* row : rows) ns += row->ns;
    return ns;
  }

 private:
  std::vector<collect::LineCost> lines_;
  std::map<const CauseRow*, const collect::LineCost*> of_row_;
};

// What findings said already. The states of a thread while it ran a line (waiting for a core, page
// faults) and its launches are told with the line, unless their own repair gains more.
class Told {
 public:
  explicit Told(const Lines& lines) : lines_(lines) {}
  void add(const Group& group) {
    for (const CauseRow* row : group)
      if (const collect::LineCost* line = lines_.of(*row); Lines::leads(*row, line))
        lines_told_.insert(line);
  }
  bool knows(const Group& group) const {
    return std::all_of(group.begin(), group.end(), [this](const CauseRow* row) {
      const collect::CauseFamily family = family_of(row->cause);
      const bool follows =
          family == collect::CauseFamily::Host || family == collect::CauseFamily::Launch;
      const collect::LineCost* line = lines_.of(*row);
      return follows && lines_told_.count(line) != 0 &&
             gain_of(*row) <= gain_of(*line->rows.front());
    });
  }

 private:
  static double gain_of(const CauseRow& row) { return row.gain ? row.gain->pct : 0; }
  const Lines& lines_;
  std::set<const collect::LineCost*> lines_told_;
};

std::string gain_text(const View& view, const Group& group) {
  const CauseRow& row = *group.front();
  if (std::string gain = repair_gain(view, row); !gain.empty()) return gain;
  const int64_t ns = time_of(group);
  return (is_busy_row(view, row) ? "busy without computing " : "idle ") +
         duration(view.per_unit(ns)) + " per " + view.unit() + " (" + percent(view.share(ns)) + ")";
}

std::string count_note(const View& view, const Group& group) {
  uint64_t gaps = 0;
  for (const CauseRow* row : group) gaps += row->count;
  if (gaps == 0) return {};
  const char* what = is_busy_row(view, *group.front()) ? "piece" : "gap";
  std::string note;
  if (view.steps > 0) {
    const double count = static_cast<double>(gaps) / view.divisor;
    note = quantity(count) + " " + what + (count == 1 ? "" : "s") + " per step";
  } else {
    note = grouped(gaps) + " " + what + (gaps == 1 ? "" : "s");
  }
  const auto& every = group.front()->every_steps;
  if (group.size() == 1 && every && *every > 1)
    note += ", every " + std::to_string(*every) + " steps";
  return note + ".";
}

// The largest repair of that cause that would remove time of this row.
const CauseRow* alternative(const View& view, const CauseRow& row, collect::Cause cause) {
  for (const CauseRow& other : view.window->alternatives) {
    const auto& instead_of = other.also;
    if (other.cause == cause &&
        std::find(instead_of.begin(), instead_of.end(), row.cause) != instead_of.end())
      return &other;
  }
  return nullptr;
}

std::string also_note(const View& view, const CauseRow& row, const Places& places) {
  if (row.also.empty()) return {};
  std::string note;
  for (size_t i = 0; i < row.also.size(); ++i) {
    const CauseRow* other = alternative(view, row, row.also[i]);
    if (other != nullptr && other->gain && other->gain->pct < kWorthSaying) continue;
    note += (note.empty() ? "" : "; ") + std::string(text_of(row.also[i]).title);
    if (other == nullptr) continue;
    if (other->site) note += " at " + places.where(other->site);
    if (other->gain && has_steps(view)) note += " (" + step_times(view, *other->gain) + ")";
  }
  return note.empty() ? note : "The same time would also go away without: " + note + ".";
}

// Who took the CPUs away that a thread waits for.
std::vector<std::string> affinity_notes(const View& view, const CauseRow& row,
                                        const Places& places) {
  const bool starved =
      row.cause == collect::Cause::HostStarved || row.cause == collect::Cause::DataWorkerStarved;
  std::vector<std::string> notes;
  if (!starved) return notes;
  for (const collect::ModelProcess& process : view.model->processes) {
    const bool worker = process.role == "loader_worker";
    if (worker != (row.cause == collect::Cause::DataWorkerStarved)) continue;
    for (const collect::Narrowing& n : process.narrowed) {
      std::string note = worker ? "A worker" : "The process";
      note += " may use only " + std::to_string(n.after);
      if (n.before > 0) note += " of " + std::to_string(n.before);
      note += n.after == 1 && n.before <= 1 ? " CPU" : " CPUs";
      if (n.site)
        note += " since sched_setaffinity at " + places.where(n.site);
      else if (!n.by.empty())
        note += " since sched_setaffinity by " + printable(n.by);
      else
        note += ", fewer than at its start";
      note += ".";
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

std::string group_note(const View& view, const CauseRow& row, const Places& places) {
  // A first use is not fixed, so not together with anything either.
  if (row.group == 0 || family_of(row.cause) == collect::CauseFamily::Cold) return {};
  std::string members;
  for (const CauseRow& other : view.window->causes) {
    const std::string place = places.where(other.site);
    if (other.group != row.group || place == places.where(row.site)) continue;
    if (members.find(place) == std::string::npos) members += (members.empty() ? "" : ", ") + place;
  }
  return members.empty() ? std::string{} : "Helps only when fixed together with " + members + ".";
}

// What the largest line of the group costs in all, where it has several causes.
std::string line_note(const View& view, const Group& group, const Lines& lines,
                      const Places& places) {
  const collect::LineCost* line = lines.led_by(group);
  if (line == nullptr) return {};
  const std::vector<collect::CauseCost> causes = main_causes(*line);
  if (causes.size() < 2) return {};
  std::string note = places.where(line->rows.front()->site) + " costs " +
                     duration(view.per_unit(line->ns)) + " per " + view.unit() + " in all: ";
  for (size_t i = 0; i < causes.size(); ++i)
    note += (i == 0 ? "" : ", ") + std::string(text_of(causes[i].cause).id) + " " +
            duration(view.per_unit(causes[i].ns));
  return note + ".";
}

Finding finding_of(const View& view, const Group& group, const Lines& lines,
                   const ReportOptions& options, const Places& places) {
  const CauseRow& largest = *group.front();
  Finding finding;
  finding.title = std::string(text_of(largest.cause).id) + ": " + title_of(largest);
  finding.gain = gain_text(view, group);
  for (const CauseRow* row : group) {
    Finding::Site site{places.where(row->site), {}, row};
    if (row->site && !row->site->file.empty())  // else the place is the function
      site.source = printable(row->site->text.empty() ? row->site->function : row->site->text);
    finding.sites.push_back(std::move(site));
  }
  finding.remedy = collect::advice_for(*view.model, *view.device, largest.cause);
  for (std::string note : {line_note(view, group, lines, places), count_note(view, group),
                           group_note(view, largest, places), also_note(view, largest, places)}) {
    if (!note.empty()) finding.notes.push_back(std::move(note));
  }
  for (std::string& note : affinity_notes(view, largest, places))
    finding.notes.push_back(std::move(note));
  if (options.stacks) {
    for (const std::string& frame : largest.stack) finding.stack.push_back(places.frame(frame));
  }
  return finding;
}

// All rows worth advice, by cause; the order is that of the largest sum.
std::vector<Group> groups_of(const View& view, const Lines& lines, bool all) {
  std::vector<Group> groups;
  for (const auto* causes : {&view.window->causes, &view.window->busy_causes}) {
    for (const CauseRow& row : *causes) {
      if (text_of(row.cause).remedy.empty() || row.ns == 0) continue;
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return belongs_together(view, *group.front(), row);
      });
      if (same == groups.end()) {
        groups.push_back({&row});
      } else {
        same->push_back(&row);
      }
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [&lines](const Group& a, const Group& b) {
    return lines.time_of(a) > lines.time_of(b);
  });
  // What a replay found to gain nothing comes last, however long it takes.
  std::stable_partition(groups.begin(), groups.end(), [](const Group& group) {
    return !group.front()->gain || group.front()->gain->high_pct >= 100 * kWorthAdvice;
  });
  if (!all)
    std::erase_if(groups, [&](const Group& group) {
      return view.share(lines.time_of(group)) < kWorthAdvice;
    });
  return groups;
}

}  // namespace

std::vector<Finding> findings(const View& view, const ReportOptions& options,
                              const Places& places) {
  std::vector<Finding> found;
  const bool asked = options.top == 0 || options.stacks;
  if (verdict_for(*view.model, view.choice, options.device).code == "healthy" && !asked)
    return found;
  const Lines lines(*view.window);
  Told told(lines);
  for (const Group& group : groups_of(view, lines, asked)) {
    if (found.size() == options.advice) break;
    if (!asked && told.knows(group)) continue;
    told.add(group);
    found.push_back(finding_of(view, group, lines, options, places));
  }
  return found;
}

std::string repair_gain(const View& view, const CauseRow& row) {
  return row.gain && has_steps(view) ? step_times(view, *row.gain) + " if fixed" : std::string{};
}

std::string together_line(const View& view) {
  const collect::Combined& combined = view.model->combined;
  if (!combined.gain || !has_steps(view) || combined.causes.size() < 2) return {};
  std::string names;
  for (const collect::Cause cause : combined.causes) {
    names += (names.empty() ? "" : ", ") + std::string(text_of(cause).id);
  }
  return "All of " + names + " together: " + step_times(view, *combined.gain) + ".";
}

}  // namespace gpustall::cli
