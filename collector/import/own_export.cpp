#include "collector/import/own_export.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "collector/import/decimal.h"
#include "collector/import/json_cursor.h"
#include "collector/model/json_names.h"

namespace gpustall::collect {
namespace {

using Json = nlohmann::json;

constexpr int kNewestSchema = 1;
constexpr size_t kMostSteps = 100'000'000;

// The member, or the other value where it is missing or of another type: a file may be damaged.
template <typename T>
T member(const Json& object, const char* key, T otherwise) {
  const auto at = object.find(key);
  if (at == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, bool>) {
    return at->is_boolean() ? at->template get<bool>() : otherwise;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return at->is_number_integer() ? at->template get<T>() : otherwise;
  } else {
    return at->is_string() ? at->template get<T>() : otherwise;
  }
}

const Json& list(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : kNone;
}

std::optional<Cause> cause_of(std::string_view id) {
  for (unsigned c = 0; c < kCauseCount; ++c)
    if (kCauses[c].id == id) return static_cast<Cause>(c);
  return {};
}

uint32_t pid_of(std::string_view text) {
  return static_cast<uint32_t>(parse_count(text).value_or(0));
}

}  // namespace

bool OwnExport::read_header(const std::string& text) {
  const Json j = Json::parse(text, nullptr, false);
  if (!j.is_object()) return false;
  schema_ = member(j, "schema", 0);
  if (schema_ > kNewestSchema)
    incomplete_ = "was written by a newer gpustall; update this one";
  else if (!member(j, "complete", false))
    incomplete_ =
        "shows a part of a recording, so its idle time cannot be told; name the recording (" +
        member(j, "recording", std::string("unknown")) +
        "), or export it without --window and with --max-size 0";
  basis_ = basis_named(member(j, "basis", std::string())).value_or(Basis::Kineto);
  launch_latency_ns_ = member(j, "launch_latency_ns", int64_t{0});
  for (const Json& d : list(j, "devices")) {
    if (!d.is_object()) continue;
    Device& device = devices_[member(d, "pid", 0u)];
    device.ordinal = member(d, "device", 0u);
    device.uuid = member(d, "uuid", std::string());
    device.host = member(d, "host", std::string());
    device.name = member(d, "name", std::string());
    device.simulated = member(d, "simulated", false);
  }
  for (const Json& p : list(j, "processes")) {
    if (!p.is_object()) continue;
    Process& process = processes_[member(p, "pid", 0u)];
    process.pid = member(p, "os_pid", 0u);
    process.rank = member(p, "rank", -1);
    process.host = member(p, "host", std::string());
    process.role = static_cast<trace::Role>(std::min(member(p, "role", 0u), 3u));
    process.clean_end = member(p, "clean_end", false);
  }
  for (const Json& s : list(j, "steps")) {
    if (!s.is_object()) continue;
    Steps& steps = steps_[member(s, "pid", 0u)];
    steps.basis = member(s, "basis", std::string());
    steps.warmup = member(s, "warmup", 0u);
  }
  if (const auto ledger = j.find("ledger"); ledger != j.end() && ledger->is_object()) {
    unlinked_ = member(*ledger, "unlinked_activities", uint64_t{0});
    for (const char* key : {"losses", "not_observed"})
      for (const Json& sentence : list(*ledger, key))
        if (sentence.is_string()) not_observed_.push_back(sentence.get<std::string>());
  }
  not_observed_.push_back(
      "gains, waits and samples: this is an export; causes and steps are as gpustall wrote them");
  return is_export();
}

const Device* OwnExport::device(uint32_t pid) const {
  const auto at = devices_.find(pid);
  return at == devices_.end() ? nullptr : &at->second;
}

const Process* OwnExport::process(uint32_t pid) const {
  const auto at = processes_.find(pid);
  return at == processes_.end() ? nullptr : &at->second;
}

void OwnExport::row(const KinetoEvent& e, TraceTime start, TraceTime end) {
  const Json args = Json::parse(e.args, nullptr, false);
  if (!args.is_object()) return;
  const uint32_t pid = pid_of(e.pid);
  if (e.category == "gpustall_step") {
    if (devices_.count(pid) == 0)
      step_rows_.push_back({pid, start, end, member(args, "device_start_ns", int64_t{0}),
                            member(args, "device_end_ns", int64_t{0})});
    return;
  }
  const std::optional<Cause> cause = cause_of(e.name);
  if (!cause) return;
  Row row;
  row.pid = pid;
  row.start = start;
  row.end = end;
  row.cause = *cause;
  row.has_site = args.contains("site");
  row.site.file = tables_.string(member(args, "file", std::string()));
  row.site.line = member(args, "line", 0);
  row.site.function = tables_.string(member(args, "function", std::string()));
  row.object = tables_.string(member(args, "object", std::string()));
  row.group = member(args, "group", 0u);
  for (const Json& id : list(args, "also"))
    if (id.is_string())
      if (const auto also = cause_of(id.get<std::string>())) row.also |= bit_of(*also);
  if (const auto frame = parse_count(e.stack_frame)) row.frame = *frame + 1;
  (e.category == "gpustall_cause" ? idle_ : busy_).push_back(row);
}

void OwnExport::stack_frame(const KinetoStackFrame& f) {
  const auto id = parse_count(f.id);
  if (!id) return;
  RawFrame frame;
  if (const auto parent = parse_count(f.parent)) frame.parent = *parent + 1;
  frame.frame =
      tables_.frame(tables_.string(clean_text(f.file)), tables_.string(clean_text(f.function)),
                    static_cast<int32_t>(parse_decimal(f.line, 0).value_or(0)));
  frames_.emplace(*id + 1, frame);
}

// Iterative, and each frame once: in a damaged file stacks may be deep, or circles.
StackId OwnExport::stack_of(uint64_t id) {
  std::vector<RawFrame*> open;
  StackId stack = kNone<StackId>;
  while (id != 0) {
    const auto at = frames_.find(id);
    if (at == frames_.end()) break;
    if (at->second.resolved) {
      stack = at->second.stack;
      break;
    }
    at->second.resolved = true;
    open.push_back(&at->second);
    id = at->second.parent;
  }
  for (size_t i = open.size(); i-- > 0;)
    stack = open[i]->stack = tables_.stack(stack, open[i]->frame);
  return stack;
}

SiteId OwnExport::site_of(const Row& row, std::vector<Site>& sites) {
  if (!row.has_site) return kNone<SiteId>;
  const auto next = SiteId(static_cast<uint32_t>(sites.size()));
  const auto [at, fresh] =
      sites_.try_emplace({row.site.file, row.site.function, row.site.line}, next);
  if (fresh) sites.push_back(row.site);
  return at->second;
}

std::optional<DeviceIndex> OwnExport::place(const Row& row) const {
  const auto at = device_index.find(row.pid);
  return at == device_index.end() ? std::nullopt : std::optional(at->second);
}

// The rows must tile the gaps, in order; anything else is damage.
bool OwnExport::fill_idle(Analysis& out, int64_t base_ns) {
  size_t next = 0;
  for (uint32_t g = 0; g < out.gaps.size(); ++g) {
    out.gaps.first_slice.push_back(static_cast<uint32_t>(out.slices.size()));
    TraceTime reached = out.gaps.start[g];
    for (; reached < out.gaps.end[g]; ++next) {
      if (next == idle_.size()) return false;
      const Row& row = idle_[next];
      if (place(row) != out.gaps.device[g] || row.start + base_ns != reached ||
          row.end <= row.start)
        return false;
      reached = row.end + base_ns;
      out.slices.gap.push_back(g);
      out.slices.start.push_back(row.start + base_ns);
      out.slices.end.push_back(reached);
      out.slices.cause.push_back(row.cause);
      out.slices.site.push_back(site_of(row, out.sites));
      out.slices.object.push_back(row.object);
      out.slices.stack.push_back(stack_of(row.frame));
      out.slices.group.push_back(row.group);
      out.slices.push_other({.also = row.also});
    }
    if (reached != out.gaps.end[g]) return false;
  }
  out.gaps.first_slice.push_back(static_cast<uint32_t>(out.slices.size()));
  return next == idle_.size();
}

bool OwnExport::fill_busy(Analysis& out, const std::vector<ExposedStretch>& exposed,
                          const Recording& r, int64_t base_ns) {
  if (exposed.size() != busy_.size()) return false;
  for (size_t i = 0; i < exposed.size(); ++i) {
    const Row& row = busy_[i];
    const DeviceIndex device = r.device_of(exposed[i].activity);
    if (place(row) != device || row.start + base_ns != exposed[i].start ||
        row.end + base_ns != exposed[i].end)
      return false;
    out.busy_slices.device.push_back(device);
    out.busy_slices.start.push_back(exposed[i].start);
    out.busy_slices.end.push_back(exposed[i].end);
    out.busy_slices.cause.push_back(row.cause);
    out.busy_slices.site.push_back(site_of(row, out.sites));
    out.busy_slices.object.push_back(row.object);
    out.busy_slices.stack.push_back(stack_of(row.frame));
    out.busy_slices.activity.push_back(exposed[i].activity);
  }
  return true;
}

bool OwnExport::fill_steps(Analysis& out, int64_t base_ns) const {
  std::map<uint32_t, Steps> found = steps_;
  for (const StepRow& row : step_rows_) {
    const auto steps = found.find(row.pid);
    if (steps == found.end() || steps->second.boundary.size() > kMostSteps) return false;
    Steps& s = steps->second;
    const bool follows =
        s.boundary.empty() || (s.boundary.back() == row.start + base_ns &&
                               s.device_boundary.back() == row.device_start + base_ns);
    if (!follows || row.device_end < row.device_start) return false;
    if (s.boundary.empty()) {
      s.boundary.push_back(row.start + base_ns);
      s.device_boundary.push_back(row.device_start + base_ns);
    }
    s.boundary.push_back(row.end + base_ns);
    s.device_boundary.push_back(row.device_end + base_ns);
  }
  for (auto& [pid, steps] : found) {
    const auto process = process_index.find(pid);
    if (process == process_index.end() || steps.warmup > steps.count() || steps.count() == 0)
      return false;
    steps.process = process->second;
    out.steps.push_back(std::move(steps));
  }
  return true;
}

Result<std::shared_ptr<const Analysis>> OwnExport::analysis(const Recording& recording,
                                                            int64_t base_ns) {
  const auto by_time = [&](const Row& a, const Row& b) {
    return std::tuple(place(a), a.start) < std::tuple(place(b), b.start);
  };
  std::stable_sort(idle_.begin(), idle_.end(), by_time);
  std::stable_sort(busy_.begin(), busy_.end(), by_time);
  std::stable_sort(step_rows_.begin(), step_rows_.end(), [](const StepRow& a, const StepRow& b) {
    return std::tuple(a.pid, a.start) < std::tuple(b.pid, b.start);
  });
  Timelines timelines = build_timelines(recording);
  auto out = std::make_shared<Analysis>();
  out->gaps = std::move(timelines.gaps);
  if (!fill_idle(*out, base_ns) || !fill_busy(*out, timelines.exposed, recording, base_ns) ||
      !fill_steps(*out, base_ns))
    return Error{"the causes in this export do not fit its events; they were found anew"};
  out->timelines = std::move(timelines.devices);
  out->launch_latency_ns = launch_latency_ns_;
  out->unlinked_activities = unlinked_;
  return std::shared_ptr<const Analysis>(std::move(out));
}

}  // namespace gpustall::collect
