#include "test/unit/analysis/summary.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "test/builder/words.h"
#include "test/unit/analysis/invariants.h"

namespace gpustall::test {
namespace {

using namespace collect;

std::string us(int64_t ns) {
  char text[40];
  if (ns % 1000 == 0)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(ns / 1000));
  else
    std::snprintf(text, sizeof text, "%.3f", double(ns) / 1000);
  return text;
}

std::string owner(const Recording& r, const Analysis& a, size_t s) {
  std::string text(text_of(a.slices.cause[s]).id);
  if (const uint32_t site = raw(a.slices.site[s]); site < a.sites.size()) {
    std::string file(r.text(a.sites[site].file));
    file = file.substr(file.rfind('/') + 1);
    text += " " + file + ":" + std::to_string(a.sites[site].line) + " " +
            std::string(r.text(a.sites[site].function));
  }
  if (raw(a.slices.object[s]) != 0) text += " [" + std::string(r.text(a.slices.object[s])) + "]";
  for (unsigned c = 0; c < kCauseCount; ++c)
    if (a.slices.also(s) >> c & 1) text += " also " + std::string(kCauses[c].id);
  if (a.slices.group[s] != 0) text += " group " + std::to_string(a.slices.group[s]);
  return text;
}

}  // namespace

std::string causes_of(const Recording& recording) {
  const Analysis a = checked_analysis(recording);
  std::string out;
  for (const DeviceTimeline& line : a.timelines) {
    out += "device " + std::to_string(recording.devices[raw(line.device)].ordinal) + ": span " +
           us(line.span_ns()) + " us, busy " + us(line.busy_ns) + " us, idle " +
           us(line.idle_ns()) + " us\n";
    std::map<std::string, int64_t> sums;
    for (size_t s = 0; s < a.slices.size(); ++s)
      if (a.gaps.device[a.slices.gap[s]] == line.device)
        sums[owner(recording, a, s)] += a.slices.end[s] - a.slices.start[s];
    std::vector<std::pair<std::string, int64_t>> rows(sums.begin(), sums.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& x, const auto& y) { return x.second > y.second; });
    for (const auto& [name, ns] : rows) out += "  " + us(ns) + " us " + name + "\n";
  }
  return out;
}

std::string gaps_of(const Recording& recording) {
  const Analysis a = checked_analysis(recording);
  std::string out;
  for (size_t g = 0; g < a.gaps.size(); ++g) {
    out += "gap " + us(a.gaps.start[g]) + ".." + us(a.gaps.end[g]) + " us\n";
    for (uint32_t s = a.gaps.first_slice[g]; s < a.gaps.first_slice[g + 1]; ++s)
      out += "  " + us(a.slices.start[s]) + ".." + us(a.slices.end[s]) + " us " +
             owner(recording, a, s) + "\n";
  }
  return out;
}

std::string golden(std::string text) {
  if (!text.empty() && text[0] == '\n') text.erase(0, 1);
  const size_t margin = text.find_first_not_of(' ');
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.size() > margin) out += line.substr(margin) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace gpustall::test
