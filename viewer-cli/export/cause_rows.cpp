#include "viewer-cli/export/cause_rows.h"

#include "collector/analyze/frame_kind.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr size_t kFramesShown = 6;  // the whole stack stands in stackFrames

}  // namespace

// Near the report page's colours, and told apart by the colour-blind (test/html/colours_test.py).
const char* colour_of(CauseFamily family) {
  switch (family) {
    case CauseFamily::Sync:
      return "terrible";
    case CauseFamily::Data:
      return "light_memory_dump";
    case CauseFamily::Copy:
      return "rail_response";
    case CauseFamily::Alloc:
      return "cq_build_failed";
    case CauseFamily::Launch:
      return "bad";
    case CauseFamily::Host:
      return "background_memory_dump";
    case CauseFamily::Device:
      return "grey";
    case CauseFamily::Cold:
      return "startup";
    case CauseFamily::Tool:
      return "generic_work";
    case CauseFamily::Unknown:
      break;
  }
  return "black";
}

CauseRows::CauseRows(TimelineState& state) : s_(state), gains_(state.in.recording.devices.size()) {
  for (const CauseText& cause : kCauses) names_.push_back(json_quoted(cause.id));
  const Model& model = state.in.model;  // its devices stand in the order of the timelines
  for (size_t d = 0; d < model.devices.size() && d < state.in.analysis.timelines.size(); ++d) {
    for (const CauseRow& row : model.devices[d].whole.causes) {
      if (!row.gain) continue;
      const ModelSite site = row.site.value_or(ModelSite{});
      gains_[raw(state.in.analysis.timelines[d].device)]
            [{row.cause, site.file, site.line, site.function, row.object, row.group}] = *row.gain;
    }
  }
}

void CauseRows::open(Cause cause, Track track, int64_t start, int64_t end,
                     std::string_view category, StackId stack) {
  s_.out.slice(category, names_[static_cast<size_t>(cause)], track, start, end);
  s_.out.member("cname", std::string_view(colour_of(family_of(cause))));
  if (raw(stack) < s_.in.recording.stacks.size()) {
    s_.out.member("sf", raw(stack));
    s_.use(stack);
  }
}

void CauseRows::site(SiteId id) {
  if (raw(id) >= s_.in.analysis.sites.size()) return;
  const Site& site = s_.in.analysis.sites[raw(id)];
  ExportStrings& strings = s_.in.strings;
  s_.out.member("site", std::string_view(strings.place(site.file, site.line, site.function)));
  s_.out.member("file", std::string_view(strings.text(site.file)));
  s_.out.member("line", site.line);
  s_.out.member("function", std::string_view(strings.text(site.function)));
}

void CauseRows::stack(StackId stack) {
  if (raw(stack) < s_.in.recording.stacks.size()) s_.out.member_json("stack", user_frames(stack));
}

// The innermost frames of the user's own code, innermost first.
const std::string& CauseRows::user_frames(StackId stack) {
  const auto [at, made] = user_frames_.try_emplace(raw(stack));
  if (!made) return at->second;
  const Recording& r = s_.in.recording;
  std::string& json = at->second = "[";
  size_t shown = 0;
  for (StackId node = stack; raw(node) < r.stacks.size() && shown < kFramesShown;
       node = r.stacks[raw(node)].parent) {
    const Frame& frame = r.frames[raw(r.stacks[raw(node)].frame)];
    if (kind_of_frame(r.text(frame.file), r.text(frame.function)).owner != CodeOwner::User)
      continue;
    if (shown++ > 0) json += ',';
    append_quoted(json, s_.in.strings.place(frame.file, frame.line, frame.function));
  }
  return json += "]";
}

void CauseRows::gain(DeviceIndex device, size_t slice) {
  const auto& gains = gains_[raw(device)];
  if (gains.empty()) return;
  const Recording& r = s_.in.recording;
  const Slices& slices = s_.in.analysis.slices;
  Key key{slices.cause[slice], "", 0, "", r.text(slices.object[slice]), slices.group[slice]};
  if (raw(slices.site[slice]) < s_.in.analysis.sites.size()) {
    const Site& site = s_.in.analysis.sites[raw(slices.site[slice])];
    std::get<1>(key) = r.text(site.file);
    std::get<2>(key) = site.line;
    std::get<3>(key) = r.text(site.function);
  }
  const auto at = gains.find(key);
  if (at == gains.end()) return;
  s_.out.member("gain ns per step", at->second.ns_per_step);
}

}  // namespace gpustall::cli
