// The table of causes: one row per device, bin of steps, cause and site. What is busy has rows too,
// so that a bin's rows add up to its length: one query checks that nothing is missing.
#include <algorithm>
#include <map>

#include "viewer-cli/export/table_key.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr size_t kMostBins = 2'000;  // per device; then a bin holds several steps
constexpr std::string_view kColumns[] = {
    "schema",   "host",   "rank", "device", "gpu_uuid",  "step_first", "step_last",
    "start_ns", "end_ns", "kind", "cause",  "family",    "file",       "line",
    "function", "object", "ns",   "count",  "longest_ns"};

struct Bin {
  TraceTime start = 0, end = 0;
  size_t first = 0, last = 0;  // steps from 1; 0: before or after all steps
};

std::vector<Bin> bins_of(const DeviceTimeline& line, const Steps* steps) {
  if (steps == nullptr || steps->count() == 0) return {{line.first, line.last, 0, 0}};
  std::vector<TraceTime> edge = steps->device_boundary;
  for (TraceTime& e : edge) e = std::clamp(e, line.first, line.last);
  std::vector<Bin> bins;
  const auto add = [&](Bin bin) {
    if (bin.end > bin.start) bins.push_back(bin);
  };
  const size_t group = (steps->count() + kMostBins - 1) / kMostBins;
  add({line.first, edge.front(), 0, 0});
  for (size_t i = 0; i < steps->count(); i += group) {
    const size_t next = std::min(i + group, steps->count());
    add({edge[i], edge[next], i + 1, next});
  }
  add({edge.back(), line.last, 0, 0});
  return bins;
}

class CausesTable {
 public:
  CausesTable(TimelineInput& in, const TableWish& wish, TextSink& sink)
      : in_(in), a_(in.analysis), keys_(in), out_(sink, wish.format, "causes", kColumns) {}

  void device(const DeviceTimeline& line) {
    while (gap_ < a_.gaps.size() && a_.gaps.device[gap_] < line.device) ++gap_;
    while (exposed_ < a_.busy_slices.size() && a_.busy_slices.device[exposed_] < line.device)
      ++exposed_;
    size_t slice = gap_ < a_.gaps.size() ? a_.gaps.first_slice[gap_] : a_.slices.size();
    for (const Bin& bin : bins_of(line, in_.steps_of[raw(line.device)])) {
      rows_.clear();
      int64_t left = bin.end - bin.start;
      for (; slice < a_.slices.size() && is_of(line, slice) && a_.slices.start[slice] < bin.end;
           ++slice) {
        left -= add_idle(bin, slice);
        if (a_.slices.end[slice] > bin.end) break;  // the rest is the next bin's
      }
      const BusySlices& b = a_.busy_slices;
      for (;
           exposed_ < b.size() && b.device[exposed_] == line.device && b.start[exposed_] < bin.end;
           ++exposed_) {
        left -= add_exposed(bin, exposed_);
        if (b.end[exposed_] > bin.end) break;
      }
      write(line.device, bin, left);
    }
  }

 private:
  // Idle or busy, cause, site, object.
  using Key = std::tuple<bool, Cause, uint32_t, uint32_t>;
  struct Sum {
    int64_t ns = 0, longest_ns = 0;
    uint64_t count = 0;
    uint32_t last = 0xffffffffu;
  };

  bool is_of(const DeviceTimeline& line, size_t slice) const {
    return a_.gaps.device[a_.slices.gap[slice]] == line.device;
  }

  int64_t add(const Key& key, const Bin& bin, TraceTime start, TraceTime end, uint32_t counted_by) {
    const int64_t ns = std::min(end, bin.end) - std::max(start, bin.start);
    if (ns <= 0) return 0;
    Sum& sum = rows_[key];
    sum.ns += ns;
    sum.longest_ns = std::max(sum.longest_ns, ns);
    sum.count += sum.last != counted_by;
    sum.last = counted_by;
    return ns;
  }
  int64_t add_idle(const Bin& bin, size_t s) {
    const Slices& slices = a_.slices;
    return add({true, slices.cause[s], raw(slices.site[s]), raw(slices.object[s])}, bin,
               slices.start[s], slices.end[s], slices.gap[s]);
  }
  int64_t add_exposed(const Bin& bin, size_t i) {
    const BusySlices& b = a_.busy_slices;
    return add({false, b.cause[i], raw(b.site[i]), raw(b.object[i])}, bin, b.start[i], b.end[i],
               b.activity[i]);
  }

  void write(DeviceIndex device, const Bin& bin, int64_t compute) {
    for (const auto& [key, sum] : rows_) {
      const auto& [idle, cause, site, object] = key;
      start_row(device, bin);
      out_.value(std::string_view(idle ? "idle" : "busy"));
      out_.value(text_of(cause).id);
      out_.value(family_name(cause));
      write_site(out_, in_, SiteId{site});
      out_.value(std::string_view(in_.strings.text(StringId{object})));
      out_.value(sum.ns);
      out_.value(static_cast<int64_t>(sum.count));
      out_.value(sum.longest_ns);
      out_.end_row();
    }
    if (compute == 0) return;
    start_row(device, bin);
    out_.value(std::string_view("busy"));
    out_.value(std::string_view("compute"));
    for (int i = 0; i < 5; ++i) out_.none();  // family, site, object
    out_.value(compute);
    out_.none();
    out_.none();
    out_.end_row();
  }

  void start_row(DeviceIndex device, const Bin& bin) {
    keys_.write(out_, device);
    if (bin.first == 0) {
      out_.none();
      out_.none();
    } else {
      out_.value(static_cast<int64_t>(bin.first));
      out_.value(static_cast<int64_t>(bin.last));
    }
    out_.value(bin.start);
    out_.value(bin.end);
  }

  TimelineInput& in_;
  const Analysis& a_;
  const DeviceKeys keys_;
  TableText out_;
  size_t gap_ = 0, exposed_ = 0;
  std::map<Key, Sum> rows_;  // of one bin
};

}  // namespace

void write_causes_table(TimelineInput& in, const TableWish& wish, TextSink& sink) {
  CausesTable table(in, wish, sink);
  for (const DeviceTimeline& line : in.analysis.timelines)
    if (is_wanted(in, wish, line.device)) table.device(line);
}

}  // namespace gpustall::cli
