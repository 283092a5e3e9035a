#include "collector/model/overview_json.h"

#include "collector/model/json_list.h"
#include "collector/model/json_take.h"

namespace gpustall::collect {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered id_of(Cause cause) {
  return std::string(text_of(cause).id);
}

Ordered node_json(const IdleNode& node) {
  return {{"parent", node.parent},
          {"frame", node.frame},
          {"own", list_of(node.own_ns, [](const auto& own) {
             return Ordered{{"cause", id_of(own.first)}, {"idle_ns", own.second}};
           })}};
}

Ordered gap_json(const LongGap& gap) {
  Ordered j = {{"start_ns", gap.start_ns}, {"idle_ns", gap.ns}};
  j["step"] = gap.step < 0 ? Ordered(nullptr) : Ordered(gap.step);
  j["before"] = gap.before;
  j["in_time_order"] = gap.in_time_order;
  j["parts"] = list_of(gap.parts, [](const GapPart& part) {
    return Ordered{{"cause", id_of(part.cause)}, {"frame", part.frame}, {"idle_ns", part.ns}};
  });
  j["rest_ns"] = gap.rest_ns;
  j["stack"] = gap.stack;
  return j;
}

Ordered series_json(const std::vector<IdleSeries>& idle) {
  return list_of(idle, [](const IdleSeries& series) {
    return Ordered{{"cause", id_of(series.cause)}, {"idle_ns", series.ns}};
  });
}

void take_series(const Json& j, std::vector<IdleSeries>& idle) {
  take_list(j, "idle", idle, [](const Json& series) {
    return IdleSeries{read_cause(series.at("cause")),
                      series.at("idle_ns").get<std::vector<int64_t>>()};
  });
}

IdleNode read_node(const Json& j) {
  IdleNode node;
  take(j, "parent", node.parent);
  take(j, "frame", node.frame);
  take_list(j, "own", node.own_ns, [](const Json& own) {
    return std::pair(read_cause(own.at("cause")), own.at("idle_ns").get<int64_t>());
  });
  return node;
}

LongGap read_gap(const Json& j) {
  LongGap gap;
  take(j, "start_ns", gap.start_ns);
  take(j, "idle_ns", gap.ns);
  take(j, "step", gap.step);
  take(j, "before", gap.before);
  take(j, "in_time_order", gap.in_time_order);
  take_list(j, "parts", gap.parts, [](const Json& part) {
    GapPart out{read_cause(part.at("cause"))};
    take(part, "frame", out.frame);
    take(part, "idle_ns", out.ns);
    return out;
  });
  take(j, "rest_ns", gap.rest_ns);
  take(j, "stack", gap.stack);
  return gap;
}

// Whoever draws indexes without looking; a saved file may have been edited.
void check(const Overview& o) {
  bool good = !o.frames.empty() && (o.interval_ns > 0 || o.busy_ns.empty());
  for (const IdleSeries& series : o.idle) good = good && series.ns.size() == o.busy_ns.size();
  for (size_t i = 0; i < o.tree.size(); ++i)
    good = good && o.tree[i].frame < o.frames.size() && (i == 0 || o.tree[i].parent < i);
  for (const LongGap& gap : o.longest) {
    for (const GapPart& part : gap.parts) good = good && part.frame < o.frames.size();
    for (const uint32_t frame : gap.stack) good = good && frame < o.frames.size();
  }
  good = good && o.lengths.gaps.size() <= kGapLengthClasses;
  for (const IdleSeries& series : o.lengths.idle)
    good = good && series.ns.size() == o.lengths.gaps.size();
  if (!good) throw std::runtime_error("'overview' contradicts itself");
}

}  // namespace

Ordered overview_json(const Overview& o) {
  Ordered j = {{"interval_ns", o.interval_ns}, {"busy_ns", o.busy_ns}};
  j["idle"] = series_json(o.idle);
  j["frames"] = o.frames;
  j["tree"] = list_of(o.tree, node_json);
  j["longest"] = list_of(o.longest, gap_json);
  j["lengths"] = {{"gaps", o.lengths.gaps}, {"idle", series_json(o.lengths.idle)}};
  return j;
}

Ordered worker_time_json(const WorkerTime& worker) {
  Ordered j = {{"pid", worker.pid}};
  j["doing"] = list_of(worker.doing, [](const WorkerState& state) {
    return Ordered{{"cause", state.cause ? id_of(*state.cause) : Ordered(nullptr)},
                   {"frame", state.frame},
                   {"ns", state.ns}};
  });
  return j;
}

Overview read_overview(const Json& j) {
  Overview o;
  take(j, "interval_ns", o.interval_ns);
  take(j, "busy_ns", o.busy_ns);
  take_series(j, o.idle);
  take(j, "frames", o.frames);
  take_list(j, "tree", o.tree, read_node);
  take_list(j, "longest", o.longest, read_gap);
  if (const auto lengths = j.find("lengths"); lengths != j.end()) {
    take(*lengths, "gaps", o.lengths.gaps);
    take_series(*lengths, o.lengths.idle);
  }
  check(o);
  return o;
}

WorkerTime read_worker_time(const Json& j) {
  WorkerTime worker;
  take(j, "pid", worker.pid);
  take_list(j, "doing", worker.doing, [](const Json& state) {
    WorkerState out;
    if (const auto cause = state.find("cause"); cause != state.end() && !cause->is_null())
      out.cause = read_cause(*cause);
    take(state, "frame", out.frame);
    take(state, "ns", out.ns);
    return out;
  });
  return worker;
}

}  // namespace gpustall::collect
