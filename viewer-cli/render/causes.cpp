// Everything printed here stands in causes.def.
#include "viewer-cli/render/causes.h"

#include <algorithm>

#include "collector/cause.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

constexpr unsigned kProseWidth = 100;

std::string described(const collect::CauseText& cause, const Terminal& terminal) {
  const unsigned width = std::min(terminal.width, kProseWidth);
  std::string text =
      paint(terminal, Paint::Bold, cause.id) + "  " + std::string(cause.title) + "\n";
  text += "    " + wrapped(cause.meaning, width, 4) + "\n";
  if (!cause.remedy.empty()) text += "    Remedy: " + wrapped(cause.remedy, width, 4) + "\n";
  return text;
}

}  // namespace

std::string render_causes(const Terminal& terminal) {
  Table table({{"id", Align::Left, false}, {"cause", Align::Left, true}});
  for (const collect::CauseText& cause : collect::kCauses) {
    table.add({std::string(cause.id), std::string(cause.title)});
  }
  std::string text;
  for (const std::string& line : table.lines(terminal.width)) text += line + "\n";
  return text + "\nNext:  gpustall causes ID, or a family: gpustall causes sync\n";
}

std::string render_causes(std::string_view id_or_family, const Terminal& terminal) {
  std::string text;
  for (const collect::CauseText& cause : collect::kCauses) {
    if (collect::belongs_to(cause.id, id_or_family)) text += described(cause, terminal);
  }
  return text;
}

}  // namespace gpustall::cli
