// What to do, one cause after the other: gain, the lines to blame, the remedy, the stack.
#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/parts.h"

namespace gpustall::cli {

namespace {

constexpr size_t kSitesShown = 3;

std::string excerpt(const std::vector<SourceLine>& lines, int32_t blamed) {
  std::string out = "<pre>";
  for (const SourceLine& line : lines) {
    out += std::string("<code") + (line.number == blamed ? " class=\"hit\"" : "") + "><i>" +
           std::to_string(line.number) + "</i>" + escaped(line.text) + "</code>";
  }
  return out + "</pre>";
}

// The first place with its neighbourhood, the others as one line each.
std::string site(const Finding::Site& site, const Excerpts* excerpts) {
  if (site.where == "-") return {};
  std::string out = "<div class=\"site\"><p class=\"where\">" + escaped(site.where);
  std::vector<SourceLine> lines;
  if (excerpts != nullptr && *excerpts && site.row->site) lines = (*excerpts)(*site.row->site);
  if (lines.empty()) return out + " <code>" + escaped(site.source) + "</code></p></div>";
  const std::string& function = site.row->site->function;
  if (!function.empty()) out += " <span>in " + escaped(function) + "</span>";
  return out + "</p>" + excerpt(lines, site.row->site->line) + "</div>";
}

std::string stack(const std::vector<std::string>& frames, const Places& places) {
  if (frames.empty()) return {};
  std::string out = "<details><summary>Stack of the longest</summary><ol class=\"stack\">";
  for (const std::string& frame : frames) out += "<li>" + escaped(places.frame(frame)) + "</li>";
  return out + "</ol></details>";
}

}  // namespace

std::string findings_list(const std::vector<Finding>& found, const Places& places,
                          const Palette& palette, const Excerpts& excerpts) {
  std::string out = "<ol class=\"findings\">";
  for (const Finding& finding : found) {
    const collect::CauseRow& row = *finding.sites.front().row;
    out += "<li data-s=\"" + std::to_string(palette.of(row.cause)) + "\"><h3><i class=\"swatch " +
           palette.style_of(row.cause).style + "\"></i>" + escaped(finding.title) +
           "</h3><p class=\"gain\">" + typeset(finding.gain) + "</p><p class=\"remedy\">" +
           escaped(finding.remedy) + "</p>";
    for (size_t i = 0; i < finding.sites.size() && i < kSitesShown; ++i)
      out += site(finding.sites[i], i == 0 ? &excerpts : nullptr);
    if (finding.sites.size() > kSitesShown) {
      out += "<p class=\"note\">and " + std::to_string(finding.sites.size() - kSitesShown) +
             " more places</p>";
    }
    for (const std::string& note : finding.notes)
      out += "<p class=\"note\">" + typeset(note) + "</p>";
    out += stack(row.stack, places) +
           "<button type=\"button\" class=\"copy\" data-copy=\"finding\" hidden>Copy as "
           "Markdown</button></li>";
  }
  return out + "</ol>";
}

}  // namespace gpustall::cli
