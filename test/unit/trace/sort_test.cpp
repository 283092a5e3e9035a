// The order of the event tables, against a plain stable sort.
#include "collector/sort.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::collect;

namespace {

std::mt19937 g_random(11);

// Rows that ascend but for `disorder` of 100, which lie up to `reach` too early.
Recording make_ranges(size_t n, unsigned disorder, int64_t reach) {
  Recording r;
  Ranges& t = r.ranges;
  for (size_t i = 0; i < n; ++i) {
    const bool late = g_random() % 100 < disorder;
    const auto start =
        static_cast<int64_t>(i) * 3 - (late ? static_cast<int64_t>(g_random()) % (reach + 1) : 0);
    t.thread.push_back(ThreadIndex(0));
    t.kind.push_back(RangeKind::Nvtx);
    t.start.push_back(start);
    t.end.push_back(start + static_cast<int64_t>(g_random() % 4));
    t.domain.push_back(StringId(0));
    t.name.push_back(StringId(static_cast<uint32_t>(i)));  // the row's identity
  }
  return r;
}

void check_sorted_like_stable_sort(Recording r) {
  const Ranges before = r.ranges;
  std::vector<size_t> order(before.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (before.start[a] != before.start[b]) return before.start[a] < before.start[b];
    return before.end[a] > before.end[b];
  });
  sort_events(r);
  for (size_t i = 0; i < order.size(); ++i) REQUIRE(raw(r.ranges.name[i]) == order[i]);
}

}  // namespace

TEST_CASE("tables are sorted stably, whatever their disorder") {
  for (const unsigned disorder : {0, 1, 5, 30, 100})
    for (const int64_t reach : {1, 4, 20, 10'000})
      for (const size_t n : {0, 1, 2, 3, 10, 300})
        for (int round = 0; round < 5; ++round)
          check_sorted_like_stable_sort(make_ranges(n, disorder, reach));
}
