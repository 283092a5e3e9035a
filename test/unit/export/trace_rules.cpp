#include "test/unit/export/trace_rules.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace gpustall::test {

namespace {

namespace dom = simdjson::dom;

constexpr size_t kMostSentences = 20;

struct Slice {
  int64_t start, end;
  std::string name;
  bool flat;
};

struct Arrow {
  int from = 0, to = 0;
  int64_t from_time = 0, to_time = 0;
};

struct ArrowEnd {
  std::pair<int64_t, int64_t> track;
  int64_t time;
};

class Checker {
 public:
  std::vector<std::string> run(std::string_view json) {
    dom::parser parser;
    dom::element file;
    const simdjson::padded_string text(json);
    if (const auto error = parser.parse(text).get(file); error != simdjson::SUCCESS)
      return {std::string("no valid JSON: ") + simdjson::error_message(error)};
    dom::array events;
    if (file["traceEvents"].get(events) != simdjson::SUCCESS) return {"no traceEvents"};
    collect_frames(file);
    for (const dom::element event : events) take(event);
    check_tracks();
    check_arrows();
    check_names();
    return std::move(broken_);
  }

 private:
  void say(const std::string& sentence) {
    if (broken_.size() < kMostSentences) broken_.push_back(sentence);
  }

  static int64_t ns(dom::element event, const char* key) {
    double us = 0;
    if (event[key].get(us) != simdjson::SUCCESS) return INT64_MIN;
    return std::llround(us * 1000);  // exact below 104 days
  }
  static int64_t whole(dom::element event, const char* key) {
    int64_t value = 0;
    return event[key].get(value) == simdjson::SUCCESS ? value : INT64_MIN;
  }
  static std::string text(dom::element event, const char* key) {
    std::string_view value;
    return event[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
  }

  void collect_frames(dom::element file) {
    dom::object frames;
    if (file["stackFrames"].get(frames) != simdjson::SUCCESS) return;
    for (const auto& [id, frame] : frames) frames_.insert(std::string(id));
    for (const auto& [id, frame] : frames) {
      std::string_view parent;
      if (frame["parent"].get(parent) == simdjson::SUCCESS &&
          frames_.count(std::string(parent)) == 0)
        say("stack frame " + std::string(id) + " has no parent " + std::string(parent));
    }
  }

  void take(dom::element event) {
    const std::string phase = text(event, "ph"), name = text(event, "name");
    const int64_t pid = whole(event, "pid"), tid = whole(event, "tid"), start = ns(event, "ts");
    if (pid == INT64_MIN) return say("a row without pid: " + name);
    if (phase == "M") {
      if (name == "process_name") ++process_names_[pid];
      if (name == "thread_name") ++thread_names_[{pid, tid}];
      return;
    }
    if (start < 0) return say("a row without time, or before the base: " + name);
    if (phase == "C") return check_counter(event, pid, start);
    if (tid == INT64_MIN) return say("a row without tid: " + name);
    if (phase == "s" || phase == "f") {
      const int64_t id = whole(event, "id");
      Arrow& arrow = arrows_[id];
      ++(phase == "s" ? arrow.from : arrow.to);
      (phase == "s" ? arrow.from_time : arrow.to_time) = start;
      ends_.push_back({{pid, tid}, start});
      if (phase == "f" && text(event, "bp") != "e") say("an arrow that ends at the next slice");
      return;
    }
    if (phase != "X") return say("a row of a kind that is not expected: " + phase);
    const int64_t length = ns(event, "dur");
    if (length < 0) say("a slice of negative or no length: " + name);
    const std::string category = text(event, "cat");
    const bool flat = category == "kernel" || category.starts_with("gpu_mem") ||
                      category.starts_with("gpustall_");
    slices_[{pid, tid}].push_back({start, start + length, name, flat});
    int64_t frame = 0;
    if (event["sf"].get(frame) == simdjson::SUCCESS && frames_.count(std::to_string(frame)) == 0)
      say("no stack frame " + std::to_string(frame));
  }

  // Of a counter with several series, or one that goes back, viewers draw something else.
  void check_counter(dom::element event, int64_t pid, int64_t time) {
    const std::string name = text(event, "name");
    dom::object values;
    if (event["args"].get(values) != simdjson::SUCCESS) return say("a counter without values");
    if (values.size() != 1) say("a counter with not one series: " + name);
    for (const auto& [key, value] : values) {
      double number = -1;
      if (value.get(number) != simdjson::SUCCESS || number < 0)
        say("a counter with a value that is none: " + name);
      const auto [at, first] = counters_.try_emplace({pid, name}, time, std::string(key));
      if (at->second.second != key) say("a counter that changes its series: " + name);
      if (at->second.first > time) say("a counter that goes back in time: " + name);
      at->second.first = time;
    }
  }

  void check_tracks() {
    for (auto& [track, slices] : slices_) {
      std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
        return a.start != b.start ? a.start < b.start : a.end > b.end;
      });
      std::vector<const Slice*> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back()->end <= slice.start) open.pop_back();
        if (!open.empty() && (slice.end > open.back()->end || slice.flat))
          say("on track " + std::to_string(track.first) + "/" + std::to_string(track.second) + " " +
              slice.name + " overlaps " + open.back()->name + " at " + std::to_string(slice.start));
        open.push_back(&slice);
      }
    }
  }

  void check_arrows() {
    for (const auto& [id, arrow] : arrows_)
      if (arrow.from != 1 || arrow.to != 1)
        say("arrow " + std::to_string(id) + " has not two ends");
    for (const ArrowEnd& end : ends_)
      if (!in_slice(end)) say("an arrow ends in no slice at " + std::to_string(end.time));
  }
  bool in_slice(const ArrowEnd& end) {
    const auto& slices = slices_[end.track];  // sorted by start
    auto at = std::upper_bound(slices.begin(), slices.end(), end.time,
                               [](int64_t time, const Slice& s) { return time < s.start; });
    while (at != slices.begin())
      if ((--at)->end > end.time) return true;
    return false;
  }

  void check_names() {
    std::set<int64_t> pids;
    for (const auto& [track, slices] : slices_) {
      pids.insert(track.first);
      if (!slices.empty() && thread_names_[track] != 1)
        say("track " + std::to_string(track.first) + "/" + std::to_string(track.second) + " has " +
            std::to_string(thread_names_[track]) + " names");
    }
    for (const auto& [counter, at] : counters_) pids.insert(counter.first);
    for (const int64_t pid : pids)
      if (process_names_[pid] != 1)
        say("process " + std::to_string(pid) + " has " + std::to_string(process_names_[pid]) +
            " names");
  }

  std::vector<std::string> broken_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Slice>> slices_;
  std::map<std::pair<int64_t, int64_t>, int> thread_names_;
  std::map<int64_t, int> process_names_;
  std::map<std::pair<int64_t, std::string>, std::pair<int64_t, std::string>>
      counters_;  // last time, series
  std::map<int64_t, Arrow> arrows_;
  std::vector<ArrowEnd> ends_;
  std::set<std::string> frames_;
};

}  // namespace

std::vector<std::string> broken_rules(std::string_view json) {
  return Checker().run(json);
}

}  // namespace gpustall::test
