#include "viewer-cli/export/strings.h"

#include <algorithm>

#include "collector/base_name.h"
#include "viewer-cli/export/json_text.h"

namespace gpustall::cli {

std::string without_user_names(std::string_view text) {
  std::string out(text);
  for (const std::string_view parent : {"/home/", "/Users/"}) {
    for (size_t at = out.find(parent); at != std::string::npos; at = out.find(parent, at + 1)) {
      const size_t name = at + parent.size();
      const size_t end = std::min(out.find_first_of("/:; ()'\"", name), out.size());
      if (end > name) out.replace(name, end - name, "~");
    }
  }
  return out;
}

ExportStrings::ExportStrings(const collect::Recording& recording)
    : recording_(recording),
      texts_(recording.strings.size()),
      json_(recording.strings.size()),
      places_(recording.frames.size()) {}

const std::string& ExportStrings::text(collect::StringId id) {
  std::string& known = texts_[raw(id)];
  if (known.empty()) known = without_user_names(valid_utf8(recording_.text(id)));
  return known;
}

const std::string& ExportStrings::json(collect::StringId id) {
  std::string& known = json_[raw(id)];
  if (known.empty()) known = json_quoted(text(id));
  return known;
}

std::string ExportStrings::place(collect::StringId file, int32_t line, collect::StringId function) {
  std::string place = collect::base_name(text(file));
  if (!place.empty()) place += ":" + std::to_string(line);
  if (raw(function) != 0) place += (place.empty() ? "" : " ") + text(function);
  return place;
}

const std::string& ExportStrings::frame_place(collect::FrameId id) {
  std::string& known = places_[raw(id)];
  if (!known.empty()) return known;
  const collect::Frame& frame = recording_.frames[raw(id)];
  std::string_view path = text(frame.file);
  for (const std::string_view root : {"/site-packages/", "/dist-packages/"})
    if (const size_t at = path.rfind(root); at != std::string_view::npos)
      path.remove_prefix(at + root.size());
  known = path.empty() ? "built-in" : std::string(path) + ":" + std::to_string(frame.line);
  return known;
}

}  // namespace gpustall::cli
