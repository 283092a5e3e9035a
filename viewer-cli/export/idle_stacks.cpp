#include "viewer-cli/export/idle_stacks.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "viewer-cli/export/table_key.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

std::string device_name(const Recording& r, DeviceIndex device) {
  const Device& d = r.devices[raw(device)];
  std::string name = "GPU " + std::to_string(d.ordinal);
  if (!d.host.empty()) name += " of " + valid_utf8(d.host);
  return name;
}

std::string frame_name(TimelineInput& in, FrameId id) {
  const Frame& frame = in.recording.frames[raw(id)];
  return in.strings.text(frame.function) + " (" + in.strings.frame_place(id) + ")";
}

// Frames of the stack, outermost first.
std::vector<FrameId> frames_of(const Recording& r, StackId stack) {
  std::vector<FrameId> frames;
  for (StackId at = stack; raw(at) < r.stacks.size(); at = r.stacks[raw(at)].parent)
    frames.push_back(r.stacks[raw(at)].frame);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

// In this format ';' parts frames and a line is one stack.
std::string without_separators(std::string name) {
  for (char& c : name)
    if (c == ';' || static_cast<unsigned char>(c) < ' ') c = ':';
  return name;
}

class SpeedscopeFrames {
 public:
  explicit SpeedscopeFrames(TimelineInput& in) : in_(in) {}
  size_t named(const std::string& name) {
    const auto [at, fresh] = by_name_.try_emplace(name, count_);
    if (fresh) add(name, {}, 0);
    return at->second;
  }
  size_t of(FrameId id) {
    const auto [at, fresh] = by_frame_.try_emplace(raw(id), count_);
    const Frame& frame = in_.recording.frames[raw(id)];
    if (fresh) add(frame_name(in_, id), in_.strings.text(frame.file), frame.line);
    return at->second;
  }
  const std::string& json() const { return json_; }

 private:
  void add(const std::string& name, const std::string& file, int32_t line) {
    json_ += count_++ == 0 ? "\n{\"name\":" : ",\n{\"name\":";
    append_quoted(json_, name);
    append_member(json_, "file", file);
    if (!file.empty()) append_member(json_, "line", line);
    json_ += '}';
  }
  TimelineInput& in_;
  std::map<std::string, size_t> by_name_;
  std::unordered_map<uint32_t, size_t> by_frame_;
  size_t count_ = 0;
  std::string json_;
};

struct Profile {
  std::string samples, weights;
  int64_t ns = 0;
};

}  // namespace

std::vector<IdleStack> idle_stacks(const Recording& r, const Analysis& a,
                                   std::optional<uint32_t> device) {
  std::map<std::tuple<uint32_t, Cause, uint32_t>, int64_t> sums;
  for (size_t s = 0; s < a.slices.size(); ++s) {
    const DeviceIndex on = a.gaps.device[a.slices.gap[s]];
    if (device && r.devices[raw(on)].ordinal != *device) continue;
    sums[{raw(on), a.slices.cause[s], raw(a.slices.stack[s])}] +=
        a.slices.end[s] - a.slices.start[s];
  }
  std::vector<IdleStack> stacks;
  for (const auto& [key, ns] : sums)
    stacks.push_back(
        {DeviceIndex{std::get<0>(key)}, std::get<1>(key), StackId{std::get<2>(key)}, ns});
  return stacks;
}

void write_collapsed(TimelineInput& in, const std::vector<IdleStack>& stacks, TextSink& sink) {
  for (const IdleStack& stack : stacks) {
    std::string line = without_separators(device_name(in.recording, stack.device));
    line += ";" + std::string(family_name(stack.cause)) + ";";
    line += text_of(stack.cause).id;
    for (const FrameId frame : frames_of(in.recording, stack.stack))
      line += ";" + without_separators(frame_name(in, frame));
    sink.write(line + " " + std::to_string(stack.ns) + "\n");
  }
  sink.finish();
}

void write_speedscope(TimelineInput& in, const std::vector<IdleStack>& stacks,
                      const std::string& version, TextSink& sink) {
  SpeedscopeFrames frames(in);
  std::map<DeviceIndex, Profile> profiles;
  for (const IdleStack& stack : stacks) {
    Profile& profile = profiles[stack.device];
    std::string sample = std::to_string(frames.named(device_name(in.recording, stack.device)));
    sample += "," + std::to_string(frames.named(std::string(family_name(stack.cause))));
    sample += "," + std::to_string(frames.named(std::string(text_of(stack.cause).id)));
    for (const FrameId frame : frames_of(in.recording, stack.stack))
      sample += "," + std::to_string(frames.of(frame));
    profile.samples += (profile.samples.empty() ? "[" : ",\n[") + sample + "]";
    profile.weights += (profile.weights.empty() ? "" : ",") + std::to_string(stack.ns);
    profile.ns += stack.ns;
  }
  sink.write("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":" +
             json_quoted("gpustall " + version) + ",\"name\":\"idle time by cause and stack\",\n" +
             "\"shared\":{\"frames\":[" + frames.json() + "]},\n\"profiles\":[");
  bool first = true;
  for (const auto& [device, profile] : profiles) {
    sink.write(
        std::string(first ? "\n" : ",\n") + "{\"type\":\"sampled\",\"name\":" +
        json_quoted("idle time of " + device_name(in.recording, device)) +
        ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":" + std::to_string(profile.ns) +
        ",\n\"samples\":[" + profile.samples + "],\n\"weights\":[" + profile.weights + "]}");
    first = false;
  }
  sink.write("]}\n");
  sink.finish();
}

}  // namespace gpustall::cli
