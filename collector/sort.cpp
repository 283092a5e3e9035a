// Sorting of structure-of-arrays tables that are nearly in order: records are written when calls
// end, so only the calls around a nested one are out of place. Finds the stretches that are, and
// sorts and moves those alone.
#include "collector/sort.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "collector/columns.h"

namespace gpustall::collect {
namespace {

using Key = std::tuple<uint32_t, int64_t, int64_t>;  // group, start, tie

struct Stretch {
  size_t first, last;  // inclusive
  Key high;            // the highest of its rows
};

// Disjoint stretches in ascending order; all rows outside are where they belong, and no row of a
// stretch belongs outside of it.
template <typename KeyOf>
std::vector<Stretch> unsorted_stretches(size_t n, KeyOf key) {
  std::vector<Stretch> found;
  if (n == 0) return found;
  Key highest = key(0);
  size_t highest_at = 0;
  for (size_t i = 1; i < n; ++i) {
    const Key k = key(i);
    if (!(k < highest)) {
      highest = k;
      highest_at = i;
      continue;
    }
    // Row i belongs before the highest one: that is in the last stretch, or directly before i.
    if (found.empty() || highest_at > found.back().last) found.push_back({i - 1, i, highest});
    found.back().last = i;
    // Backwards to where it belongs, swallowing stretches on the way.
    while (found.back().first > 0) {
      const size_t before = found.back().first - 1;
      if (found.size() > 1 && found[found.size() - 2].last == before) {
        if (!(k < found[found.size() - 2].high)) break;
        found.pop_back();
        found.back() = {found.back().first, i, highest};
      } else if (k < key(before)) {
        found.back().first = before;
      } else {
        break;
      }
    }
  }
  return found;
}

// Mostly a few runs that are in order each, one behind the other: buffers whose records were
// written in turns. Those are merged, pairs of neighbours at a time. `order` holds ascending rows.
template <typename KeyOf>
void sort_rows(std::vector<uint32_t>& order, KeyOf key) {
  const auto before = [&key](uint32_t a, uint32_t b) { return key(a) < key(b); };
  std::vector<size_t> begin{0};  // of each run
  for (size_t i = 1; i < order.size(); ++i)
    if (before(order[i], order[i - 1])) begin.push_back(i);
  if (begin.size() * 4 > order.size()) {
    std::stable_sort(order.begin(), order.end(), before);
    return;
  }
  std::vector<uint32_t> merged(order.size());
  while (begin.size() > 1) {
    std::vector<size_t> next;
    const auto at = [&](size_t run) {
      return order.begin() + static_cast<ptrdiff_t>(run < begin.size() ? begin[run] : order.size());
    };
    for (size_t run = 0; run < begin.size(); run += 2) {
      next.push_back(begin[run]);
      std::merge(at(run), at(run + 1), at(run + 1), at(run + 2),
                 merged.begin() + static_cast<ptrdiff_t>(begin[run]), before);
    }
    order.swap(merged);
    begin.swap(next);
  }
}

template <typename Table, typename KeyOf>
void sort_stretch(Table& table, const Stretch& stretch, KeyOf key) {
  const size_t n = stretch.last - stretch.first + 1;
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), static_cast<uint32_t>(stretch.first));
  sort_rows(order, key);
  each_column(table, [&](auto& column) {
    std::remove_reference_t<decltype(column)> moved(n);
    for (size_t i = 0; i < n; ++i) moved[i] = column[order[i]];
    if (n == column.size())
      column.swap(moved);
    else
      std::copy(moved.begin(), moved.end(), column.begin() + static_cast<long>(stretch.first));
  });
}

template <typename Table, typename KeyOf>
void sort_table(Table& table, KeyOf key) {
  for (const Stretch& s : unsorted_stretches(table.size(), key)) sort_stretch(table, s, key);
}

// Of two intervals that start together, the outer one comes first.
template <typename Table>
void sort_by_thread_and_start(Table& t) {
  sort_table(t, [&t](size_t i) { return Key(raw(t.thread[i]), t.start[i], -t.end[i]); });
}

}  // namespace

void sort_events(Recording& recording) {
  Activities& a = recording.activities;
  sort_table(a, [&](size_t i) { return Key(raw(recording.device_of(i)), a.start[i], a.end[i]); });
  sort_by_thread_and_start(recording.calls);
  sort_by_thread_and_start(recording.waits);
  sort_by_thread_and_start(recording.ranges);
  std::stable_sort(recording.card_states.begin(), recording.card_states.end(),
                   [](const CardState& x, const CardState& y) {
                     return Key(raw(x.device), x.time, 0) < Key(raw(y.device), y.time, 0);
                   });
  Samples& s = recording.samples;
  sort_table(s, [&s](size_t i) { return Key(raw(s.thread[i]), s.time[i], 0); });
  Counters& c = recording.counters;
  sort_table(c, [&c](size_t i) { return Key(raw(c.process[i]), c.time[i], 0); });
}

}  // namespace gpustall::collect
