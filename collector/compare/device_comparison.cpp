#include "collector/compare/device_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "collector/compare/resample.h"

namespace gpustall::collect {
namespace {

// A difference below this share of the step is no finding, however sure it is.
constexpr double kMatters = 0.001;
// Runs whose numbers of steps are that close are compared step by step.
constexpr double kSameLength = 0.9;
// A cause is judged if no more than this share of its change lies in rows kept as means only.
constexpr double kMostlyKnown = 0.1;

// One quantity on both sides: [run][step].
struct Quantity {
  std::vector<std::vector<int64_t>> base, next;
};

using Quantities = std::vector<const Quantity*>;

int64_t sum_of(const std::vector<std::vector<int64_t>>& runs) {
  int64_t sum = 0;
  for (const std::vector<int64_t>& run : runs)
    for (const int64_t ns : run) sum += ns;
  return sum;
}

void add(std::vector<std::vector<int64_t>>& to, const std::vector<std::vector<int64_t>>& of,
         int64_t sign) {
  for (size_t run = 0; run < to.size(); ++run)
    for (size_t step = 0; step < to[run].size(); ++step) to[run][step] += sign * of[run][step];
}

void add(Quantity& to, const Quantity& of, int64_t sign = 1) {
  add(to.base, of.base, sign);
  add(to.next, of.next, sign);
}

// Threads that waited for a core now and then show that something else ran there. It stretched more
// than what is seen of it: a thread also loses its core inside of calls. 20 runs of one program
// beside compilers took up to 3.5 times longer than they waited for a core.
constexpr double kLoadSeen = 4;

// Rows that are judged together.
constexpr unsigned kAlone = 0, kRows = 1, kCauses = 2, kLines = 3;

struct Candidate {
  ChangeRow row;
  Quantity quantity;
  uint32_t site = kNoSite;
  bool stepped = false;   // known step by step, on one side at least
  bool listable = false;  // and large enough: it can be judged
};

class Comparer {
 public:
  Comparer(const std::vector<DeviceRun>& base, const std::vector<DeviceRun>& next,
           const CompareOptions& options, double level)
      : base_(base), next_(next), options_(options) {
    resample_.level = level;
    resample_.seed = options.seed;
    out_.unit = base.front().has_steps ? Unit::Step : Unit::Second;
    out_.base_units = units_of(base);
    out_.next_units = units_of(next);
  }

  DeviceComparison run() {
    span_ = totals(&DeviceRun::span);
    busy_ = totals(&DeviceRun::busy);
    idle_ = totals(&DeviceRun::idle);
    out_.span = change_of(span_);
    out_.busy = change_of(busy_);
    out_.idle = change_of(idle_);
    collect_candidates();
    add_compute();
    // Sums of all rows, before some are listed.
    std::vector<Candidate> causes = by_cause();
    measure_load(causes);
    line_rows_ = by_line();
    std::vector<Candidate> idle = listed(idle_rows_, idle_), busy = listed(busy_rows_, busy_),
                           lines = listed(line_rows_, idle_);
    judge_all(idle, busy, causes, lines);
    out_.idle_rows = rows_of(idle);
    out_.busy_rows = rows_of(busy);
    out_.cause_rows = rows_of(causes);
    out_.line_rows = rows_of(lines);
    if (out_.unit == Unit::Step) {
      out_.base_steps_ns = span_.base;
      out_.next_steps_ns = span_.next;
    }
    return std::move(out_);
  }

 private:
  double units_of(const std::vector<DeviceRun>& runs) const {
    double units = 0;
    for (const DeviceRun& run : runs)
      units += out_.unit == Unit::Step ? double(run.span.size()) : run.seconds;
    return units;
  }

  Quantity zero() const {
    Quantity none;
    for (const DeviceRun& run : base_) none.base.emplace_back(run.span.size());
    for (const DeviceRun& run : next_) none.next.emplace_back(run.span.size());
    return none;
  }

  Quantity totals(std::vector<int64_t> DeviceRun::*series) const {
    Quantity all;
    for (const DeviceRun& run : base_) all.base.push_back(run.*series);
    for (const DeviceRun& run : next_) all.next.push_back(run.*series);
    return all;
  }

  Change change_of(const Quantity& quantity) const {
    Change change;
    change.base_ns = sum_of(quantity.base);
    change.next_ns = sum_of(quantity.next);
    change.base = out_.base_units > 0 ? double(change.base_ns) / out_.base_units : 0;
    change.next = out_.next_units > 0 ? double(change.next_ns) / out_.next_units : 0;
    return change;
  }

  void add_side(const std::vector<DeviceRun>& runs, bool is_base,
                std::map<RowKey, Candidate>& found) {
    for (size_t r = 0; r < runs.size(); ++r) {
      for (const auto& [key, row] : runs[r].rows) {
        const auto [at, fresh] = found.try_emplace(key);
        Candidate& candidate = at->second;
        if (fresh) candidate.quantity = zero();
        (is_base ? candidate.quantity.base : candidate.quantity.next)[r] = row.ns;
        candidate.row.cause = key.cause;
        candidate.site = key.site;
        (is_base ? candidate.row.in_base : candidate.row.in_next) = true;
        // The latest sight of a side is the one that its source still shows.
        (is_base ? candidate.row.base_site : candidate.row.next_site) = row.site;
        if (fresh || candidate.row.object == row.object)
          candidate.row.object = row.object;
        else
          candidate.row.object = key.object;
        candidate.stepped |= row.stepped || out_.unit == Unit::Second;
        if (row.period > 1) resample_.period = std::max<size_t>(resample_.period, row.period);
      }
    }
  }

  void collect_candidates() {
    std::map<RowKey, Candidate> found;
    add_side(base_, true, found);
    add_side(next_, false, found);
    for (auto& [key, candidate] : found) {
      candidate.row.change = change_of(candidate.quantity);
      candidate.listable = candidate.stepped && is_large(candidate.row.change);
      (key.busy ? busy_rows_ : idle_rows_).push_back(std::move(candidate));
    }
  }

  bool is_large(const Change& change) const {
    return std::max(change.base, change.next) >=
           options_.min_share * std::max(out_.span.base, out_.span.next);
  }

  // What no copy and no collective claims.
  void add_compute() {
    Candidate compute;
    compute.row.kind = ChangeRow::Kind::Compute;
    compute.row.in_base = compute.row.in_next = true;
    compute.quantity = busy_;
    for (const Candidate& row : busy_rows_) add(compute.quantity, row.quantity, -1);
    compute.stepped = compute.listable = true;
    compute.row.change = change_of(compute.quantity);
    busy_rows_.push_back(std::move(compute));
  }

  static std::vector<RunSeries> series_of(const Quantities& quantities, bool base,
                                          const std::vector<DeviceRun>& runs, bool per_second) {
    std::vector<RunSeries> series(runs.size());
    for (size_t r = 0; r < runs.size(); ++r) {
      const double scale = per_second && runs[r].seconds > 0 ? 1 / runs[r].seconds : 1;
      for (const Quantity* quantity : quantities) {
        const auto& ns = base ? quantity->base[r] : quantity->next[r];
        std::vector<double>& values = series[r].values.emplace_back();
        for (const int64_t value : ns) values.push_back(double(value) * scale);
      }
    }
    return series;
  }

  // Step by step: what a step costs in both runs, because of its data, is no noise.
  static void pair_steps(std::vector<RunSeries>& base, std::vector<RunSeries>& next) {
    if (base.size() != 1 || next.size() != 1) return;
    const size_t a = base[0].steps(), b = next[0].steps(), both = std::min(a, b);
    if (double(both) < kSameLength * double(std::max(a, b))) return;
    for (size_t q = 0; q < base[0].values.size(); ++q) {
      std::vector<double>& change = next[0].values[q];
      change.resize(both);
      for (size_t s = 0; s < both; ++s) change[s] -= base[0].values[q][s];
      base[0].values[q].assign(both, 0.0);
    }
  }

  std::vector<Margin> margins_of(const Quantities& quantities,
                                 const std::vector<unsigned>& families) const {
    const bool per_second = out_.unit == Unit::Second;
    std::vector<RunSeries> base = series_of(quantities, true, base_, per_second);
    std::vector<RunSeries> next = series_of(quantities, false, next_, per_second);
    if (!per_second) pair_steps(base, next);
    return margins(base, next, families, resample_);
  }

  void judge(Change& change, double margin, double by_load) const {
    change.margin = margin + by_load;
    margin += by_load;
    const double moved = std::abs(change.change());
    change.distinguishable = moved > margin && moved >= kMatters * out_.span.base;
  }

  // Everything in one resampling. A row is judged together with all that could have been listed in
  // its place: the largest of many changes is often chance.
  void judge_all(std::vector<Candidate>& idle, std::vector<Candidate>& busy,
                 std::vector<Candidate>& causes, std::vector<Candidate>& lines) {
    Quantities quantities = {&span_, &busy_, &idle_};
    std::vector<unsigned> families = {kAlone, kAlone, kAlone};
    for (auto* rows : {&idle, &busy, &causes, &lines, &idle_rows_, &busy_rows_, &line_rows_})
      for (const Candidate& candidate : *rows) {
        if (!candidate.listable) continue;
        quantities.push_back(&candidate.quantity);
        const bool line = rows == &lines || rows == &line_rows_;
        families.push_back(rows == &causes ? kCauses : line ? kLines : kRows);
      }
    const std::vector<Margin> known = margins_of(quantities, families);
    if (known.empty()) return;
    judge(out_.span, known[0].alone, out_.load_ns);
    judge(out_.busy, known[1].alone, 0);
    judge(out_.idle, known[2].alone, out_.load_ns);
    size_t at = 3;
    for (auto* rows : {&idle, &busy, &causes, &lines})
      for (Candidate& candidate : *rows)
        if (candidate.listable)
          judge(candidate.row.change, known[at++].together, load_of(candidate.row, rows == &busy));
  }

  static bool is_starved(Cause cause) {
    return cause == Cause::HostStarved || cause == Cause::DataWorkerStarved;
  }

  // What threads of one run waited for a core, ns per step.
  struct Waited {
    double mean = 0, irregular = 0;  // of the mean what comes and goes: the most that others did
    double irregular_share() const { return mean > 0 ? irregular / mean : 0; }
  };

  static Waited waited(const std::vector<Candidate>& causes, bool of_base) {
    std::vector<double> steps;
    for (const Candidate& candidate : causes) {
      if (candidate.row.kind != ChangeRow::Kind::Cause || !is_starved(candidate.row.cause))
        continue;
      const Quantity& quantity = candidate.quantity;
      const std::vector<int64_t>& series = (of_base ? quantity.base : quantity.next).front();
      steps.resize(series.size());
      for (size_t s = 0; s < series.size(); ++s) steps[s] += double(series[s]);
    }
    Waited out;
    double squares = 0;
    for (const double ns : steps) out.mean += ns / double(steps.size());
    for (const double ns : steps) squares += (ns - out.mean) * (ns - out.mean);
    if (steps.size() > 1)
      out.irregular = std::min(out.mean, std::sqrt(squares / double(steps.size() - 1)));
    return out;
  }

  // One run cannot tell the machine's other load from the program's own; several runs can. What is
  // waited for alike in every step is taken for the program's own.
  void measure_load(const std::vector<Candidate>& causes) {
    if (base_.size() != 1 || next_.size() != 1 || out_.unit != Unit::Step) return;
    const Waited base = waited(causes, true), next = waited(causes, false);
    const auto share = [](const Waited& side, double idle) {
      return idle > 0 ? std::min(1.0, kLoadSeen * side.irregular / idle) : 0;
    };
    out_.load_ns = kLoadSeen * std::max(base.irregular, next.irregular);
    base_load_ = {share(base, out_.idle.base), base.irregular_share()};
    next_load_ = {share(next, out_.idle.next), next.irregular_share()};
  }

  // Idle time is stretched alike, and so is what waited for a core.
  double load_of(const ChangeRow& row, bool busy) const {
    if (busy) return 0;
    const bool starved = row.kind == ChangeRow::Kind::Cause && is_starved(row.cause);
    const auto of = [starved](const Load& load, double ns) {
      return ns * (starved ? std::max(load.of_waits, load.of_idle) : load.of_idle);
    };
    return std::max(of(base_load_, row.change.base), of(next_load_, row.change.next));
  }

  static bool is_larger(const Candidate& a, const Candidate& b) {
    const Change &x = a.row.change, &y = b.row.change;
    const double moved = std::abs(x.change()), other = std::abs(y.change());
    return moved != other ? moved > other : x.base > y.base;
  }

  // Time without a cause is always told, however little it is.
  static bool is_kept(const Candidate& candidate) {
    return candidate.row.kind == ChangeRow::Kind::Compute ||
           family_of(candidate.row.cause) == CauseFamily::Unknown;
  }

  // Takes the rows that are listed by themselves, and makes one of what they leave of `total`.
  std::vector<Candidate> listed(std::vector<Candidate>& candidates, const Quantity& total) const {
    std::stable_sort(candidates.begin(), candidates.end(), is_larger);
    std::vector<Candidate> rows, rest;
    for (Candidate& candidate : candidates) {
      const bool room = options_.rows == 0 || rows.size() < options_.rows;
      const bool alone = candidate.listable && (room || is_kept(candidate));
      (alone ? rows : rest).push_back(std::move(candidate));
    }
    add_others(rows, total, rest.size());
    candidates = std::move(rest);
    return rows;
  }

  void add_others(std::vector<Candidate>& rows, const Quantity& total, size_t merged) const {
    Candidate others;
    others.row.kind = ChangeRow::Kind::Others;
    others.row.in_base = others.row.in_next = true;
    others.quantity = total;
    for (const Candidate& row : rows) add(others.quantity, row.quantity, -1);
    others.row.change = change_of(others.quantity);
    const bool empty = others.row.change.base_ns == 0 && others.row.change.next_ns == 0;
    if (merged == 0 && empty) return;
    others.row.merged = std::max<size_t>(merged, 1);
    others.listable = true;
    rows.push_back(std::move(others));
  }

  // Idle rows summed by what key_of(row) says; add_row(sum, row) adds what is no quantity.
  template <typename KeyOf, typename AddRow>
  std::vector<Candidate> summed(KeyOf&& key_of, AddRow&& add_row) const {
    struct Sum {
      Candidate all;
      double mean_only = 0;  // the part of the change whose spread is not known
    };
    std::map<decltype(key_of(idle_rows_.front())), Sum> sums;
    for (const Candidate& candidate : idle_rows_) {
      const auto [at, fresh] = sums.try_emplace(key_of(candidate));
      Candidate& sum = at->second.all;
      if (fresh) {
        sum.quantity = zero();
        sum.row.cause = candidate.row.cause;
        sum.site = candidate.site;
      }
      add(sum.quantity, candidate.quantity);
      sum.row.in_base |= candidate.row.in_base;
      sum.row.in_next |= candidate.row.in_next;
      sum.stepped |= candidate.stepped;
      if (!candidate.stepped) at->second.mean_only += candidate.row.change.change();
      add_row(sum.row, candidate.row);
    }
    std::vector<Candidate> rows;
    for (auto& [key, sum] : sums) {
      sum.all.row.change = change_of(sum.all.quantity);
      sum.all.listable =
          std::abs(sum.mean_only) <= kMostlyKnown * std::abs(sum.all.row.change.change());
      rows.push_back(std::move(sum.all));
    }
    return rows;
  }

  std::vector<Candidate> by_cause() const {
    std::vector<Candidate> rows =
        summed([](const Candidate& candidate) { return candidate.row.cause; },
               [](ChangeRow&, const ChangeRow&) {});
    std::stable_sort(rows.begin(), rows.end(), is_larger);
    add_others(rows, idle_, 0);
    return rows;
  }

  static void add_part(ChangeRow& line, const ChangeRow& row) {
    const bool first = line.parts.empty();
    if (first) line.object = row.object;
    if (line.object != row.object) line.object.clear();
    if (row.base_site) line.base_site = row.base_site;
    if (row.next_site) line.next_site = row.next_site;
    auto part = std::find_if(line.parts.begin(), line.parts.end(),
                             [&row](const LinePart& p) { return p.cause == row.cause; });
    if (part == line.parts.end()) part = line.parts.insert(part, LinePart{row.cause});
    part->base += row.change.base;
    part->next += row.change.next;
  }

  // One line is one place to repair, however many causes it has.
  std::vector<Candidate> by_line() const {
    std::vector<Candidate> rows = summed(
        [](const Candidate& candidate) {
          const bool nowhere = candidate.site == kNoSite;
          return std::pair(candidate.site, nowhere ? candidate.row.cause : Cause{});
        },
        add_part);
    for (Candidate& line : rows) {
      const double way = line.row.change.change() < 0 ? -1 : 1;
      std::stable_sort(line.row.parts.begin(), line.row.parts.end(),
                       [way](const LinePart& a, const LinePart& b) {
                         return a.change() * way > b.change() * way;
                       });
      line.row.cause = line.row.parts.front().cause;
      line.listable = line.listable && line.stepped && is_large(line.row.change);
    }
    return rows;
  }

  static std::vector<ChangeRow> rows_of(std::vector<Candidate>& candidates) {
    std::vector<ChangeRow> rows;
    for (Candidate& candidate : candidates) rows.push_back(std::move(candidate.row));
    return rows;
  }

  const std::vector<DeviceRun>& base_;
  const std::vector<DeviceRun>& next_;
  const CompareOptions& options_;
  ResampleOptions resample_;
  DeviceComparison out_;
  struct Load {  // shares of idle time, and of waits for a core, that other load may have added
    double of_idle = 0, of_waits = 0;
  };
  Load base_load_, next_load_;
  Quantity span_, busy_, idle_;
  std::vector<Candidate> idle_rows_, busy_rows_, line_rows_;
};

}  // namespace

DeviceComparison compare_device(const std::vector<DeviceRun>& base,
                                const std::vector<DeviceRun>& next, const CompareOptions& options,
                                double level) {
  return Comparer(base, next, options, level).run();
}

}  // namespace gpustall::collect
