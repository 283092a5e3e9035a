// Sorting of structure-of-arrays tables: one stable permutation, applied column by column.
#include "collector/sort.h"

#include <algorithm>
#include <numeric>

#include "collector/columns.h"

namespace gpustall::collect {
namespace {

template <typename Table, typename Less>
void sort_table(Table& table, Less less) {
  const size_t n = table.size();
  bool sorted = true;
  for (size_t i = 1; sorted && i < n; ++i) sorted = !less(i, i - 1);
  if (sorted) return;
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), less);
  each_column(table, [&](auto& column) {
    std::remove_reference_t<decltype(column)> moved(n);
    for (size_t i = 0; i < n; ++i) moved[i] = column[order[i]];
    column = std::move(moved);
  });
}

// Of two intervals that start together, the outer one comes first.
template <typename Table>
void sort_by_thread_and_start(Table& t) {
  sort_table(t, [&t](size_t a, size_t b) {
    if (t.thread[a] != t.thread[b]) return raw(t.thread[a]) < raw(t.thread[b]);
    if (t.start[a] != t.start[b]) return t.start[a] < t.start[b];
    return t.end[a] > t.end[b];
  });
}

}  // namespace

void sort_events(Recording& recording) {
  Activities& a = recording.activities;
  sort_table(a, [&](size_t x, size_t y) {
    const DeviceIndex dx = recording.device_of(x), dy = recording.device_of(y);
    if (dx != dy) return raw(dx) < raw(dy);
    if (a.start[x] != a.start[y]) return a.start[x] < a.start[y];
    return a.end[x] < a.end[y];
  });
  sort_by_thread_and_start(recording.calls);
  sort_by_thread_and_start(recording.waits);
  sort_by_thread_and_start(recording.ranges);
  Samples& s = recording.samples;
  sort_table(s, [&s](size_t x, size_t y) {
    if (s.thread[x] != s.thread[y]) return raw(s.thread[x]) < raw(s.thread[y]);
    return s.time[x] < s.time[y];
  });
}

}  // namespace gpustall::collect
