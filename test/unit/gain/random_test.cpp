// 2,000 random programs with known counterfactuals: what the replay promises against what really
// disappears, and what the rules charge.
#include <algorithm>
#include <cstdio>
#include <map>

#include "test/catch.h"
#include "test/unit/gain/verified.h"

using namespace gpustall::test;
using gpustall::collect::CauseFamily;

namespace {

#ifdef GPUSTALL_SANITIZED
constexpr uint32_t kPrograms = 200;  // ten times slower
#else
constexpr uint32_t kPrograms = 2000;
#endif
constexpr double kPoints = 3;      // of the step
constexpr double kTooSmall = 0.5;  // of the step: no gain, or no charge

struct Survey {
  std::vector<Verified> all;
  double worst_calibration_pct = 0;
  int without_steps = 0, unusable = 0;
};

Survey make_survey() {
  Survey out;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    const sim::Program program = sim::random_program(seed);
    const VerifiedProgram verified(program);
    if (!verified.has_steps()) {
      ++out.without_steps;
      continue;
    }
    out.unusable += !verified.predictor().usable();
    out.worst_calibration_pct = std::max(out.worst_calibration_pct, verified.calibration_pct());
    for (Verified& v : verified.verify()) {
      v.seed = seed;
      out.all.push_back(v);
    }
  }
  return out;
}

const Survey& survey() {
  static const Survey made = make_survey();
  return made;
}

bool matters(const Verified& v) {
  return v.truth >= kPoints || v.gain.pct >= kPoints;
}
bool is_right(const Verified& v) {
  return std::abs(v.gain.pct - v.truth) <= kPoints;
}
bool is_covered(const Verified& v) {
  return v.truth >= v.gain.low_pct && v.truth <= v.gain.high_pct;
}

template <typename Of, typename What>
double share(const std::vector<Verified>& all, Of of, What what) {
  double among = 0, yes = 0;
  for (const Verified& v : all)
    if (of(v)) ++among, yes += what(v);
  return among > 0 ? 100 * yes / among : 100;
}
bool any(const Verified&) {
  return true;
}

// What is charged beyond the true gain, in points of the step: "name: 1 % 5 % 50 % 95 % 99 %".
void print_charges(const char* name, CauseFamily family) {
  std::vector<double> over;
  for (const Verified& v : survey().all)
    if (v.family == family && !v.together) over.push_back(v.charged - v.truth);
  std::sort(over.begin(), over.end());
  if (over.empty()) return;
  std::printf("charged - gained, %-7s %5zu causes:", name, over.size());
  for (double q : {0.01, 0.05, 0.5, 0.95, 0.99})
    std::printf("  %2.0f %%: %5.1f", q * 100,
                over[static_cast<size_t>(q * double(over.size() - 1))]);
  std::printf("\n");
}

}  // namespace

TEST_CASE("nearly every random program has steps, and its replay is usable") {
  CHECK(survey().without_steps * 50 <= int(kPrograms));
  CHECK(survey().unusable == 0);
  CHECK(survey().all.size() > 4 * kPrograms);
  // Enough that there is something to predict.
  CHECK(share(survey().all, any, matters) > 25);
}

TEST_CASE("the replay of an untouched recording reproduces every step boundary") {
  CHECK(survey().worst_calibration_pct <= 0.1);  // of a step
}

TEST_CASE("replayed gains are within 3 points of the truth for 95 % of the causes") {
  const double all = share(survey().all, any, is_right);
  const double some = share(survey().all, matters, is_right);
  std::printf("within 3 points: %.1f %% of %zu causes, %.1f %% of those that gain something\n", all,
              survey().all.size(), some);
  CHECK(all >= 95);
  CHECK(some >= 95);
}

TEST_CASE("the range holds the truth for 80 % of the causes that gain something") {
  const double covered = share(survey().all, matters, is_covered);
  std::vector<double> width;
  for (const Verified& v : survey().all)
    if (matters(v)) width.push_back(v.gain.high_pct - v.gain.low_pct);
  std::nth_element(width.begin(), width.begin() + long(width.size() / 2), width.end());
  std::printf("range holds the truth: %.1f %%, median width %.1f points\n", covered,
              width[width.size() / 2]);
  CHECK(covered >= 80);
}

TEST_CASE("what gains nothing is not charged as a synchronisation") {
  for (const Verified& v : survey().all) {
    if (v.truth > kTooSmall || v.run_truth > kTooSmall) continue;
    INFO("seed " << v.seed << ", " << v.cause << ": gains " << v.truth << ", charged "
                 << v.charged_as_sync << " of " << v.idle_pct << " idle");
    CHECK(v.charged_as_sync - std::max(0.0, v.truth) <= std::max(kTooSmall, 0.05 * v.idle_pct));
  }
}

TEST_CASE("what is charged to a synchronisation is hardly ever more than it gains") {
  print_charges("sync", CauseFamily::Sync);
  print_charges("data", CauseFamily::Data);
  print_charges("copy", CauseFamily::Copy);
  print_charges("alloc", CauseFamily::Alloc);
  print_charges("launch", CauseFamily::Launch);
  print_charges("host", CauseFamily::Host);
  const auto sync = [](const Verified& v) { return v.family == CauseFamily::Sync && !v.together; };
  CHECK(share(survey().all, sync,
              [](const Verified& v) { return v.charged_as_sync - v.truth <= kPoints; }) >= 95);
}
