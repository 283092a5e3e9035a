#include "viewer-cli/annotations.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "collector/compare/verdict.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMost = 5;  // GitHub shows ten of a step; more than five are not read

// Properties end at a comma or colon, messages at the end of the line.
std::string escaped(std::string_view text, bool is_property) {
  std::string safe;
  for (const char byte : text) {
    switch (byte) {
      case '%':
        safe += "%25";
        break;
      case '\r':
        safe += "%0D";
        break;
      case '\n':
        safe += "%0A";
        break;
      case ':':
        safe += is_property ? "%3A" : ":";
        break;
      case ',':
        safe += is_property ? "%2C" : ",";
        break;
      default:
        safe += byte;
    }
  }
  return safe;
}

void place(Annotation& annotation, const std::optional<collect::ModelSite>& site) {
  if (!site) return;
  annotation.file = path_in_repository(site->file);
  if (!annotation.file.empty()) annotation.line = site->line;
}

std::string time_text(double ns) {
  return (ns < 0 ? "-" : "+") + duration(std::abs(ns));
}

}  // namespace

std::string path_in_repository(const std::string& path) {
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  const fs::path root = workspace != nullptr && *workspace != '\0' ? workspace : ".";
  std::error_code error;
  // "/" + "a/b.py" would leave the root: only ends of the path, never the whole of an absolute one.
  std::string_view rest(path);
  while (!rest.empty()) {
    if (rest.front() != '/' && fs::is_regular_file(root / rest, error)) return std::string(rest);
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return {};
}

std::string annotation_line(const Annotation& annotation) {
  std::string text = annotation.is_error ? "::error " : "::warning ";
  if (!annotation.file.empty())
    text += "file=" + escaped(printable(annotation.file), true) +
            ",line=" + std::to_string(annotation.line) + ",";
  return text + "title=" + escaped(annotation.title, true) +
         "::" + escaped(printable(annotation.message), false) + "\n";
}

std::vector<Annotation> annotations_of(const collect::Comparison& comparison,
                                       collect::Judgement judgement) {
  const bool is_error = judgement == collect::Judgement::Exceeded;
  std::vector<Annotation> annotations;
  if (is_error || judgement == collect::Judgement::Inconclusive ||
      comparison.outcome == collect::Outcome::Slower)
    annotations.push_back({is_error, {}, 0, "gpustall diff", comparison.verdict});
  if (comparison.devices.empty() || comparison.outcome != collect::Outcome::Slower)
    return annotations;
  for (const collect::ChangeRow* row : collect::culprits(comparison.devices.front())) {
    if (annotations.size() > kMost || row->kind != collect::ChangeRow::Kind::Cause) continue;
    Annotation annotation{is_error, {}, 0, "gpustall: " + std::string(text_of(row->cause).id), {}};
    place(annotation, row->next_site ? row->next_site : row->base_site);
    const std::vector<collect::Cause> causes = collect::telling_causes(*row);
    for (size_t i = 1; i < causes.size(); ++i)
      annotation.title += ", " + std::string(text_of(causes[i]).id);
    annotation.message = std::string(text_of(row->cause).title) +
                         (causes.size() > 1 ? " and more at this line: " : ": ") +
                         time_text(row->change.change()) + " per step (+-" +
                         duration(row->change.margin.value_or(0)) + "). " +
                         std::string(text_of(row->cause).remedy);
    annotations.push_back(std::move(annotation));
  }
  return annotations;
}

std::vector<Annotation> annotations_of(const std::vector<collect::LimitResult>& results) {
  std::vector<Annotation> annotations;
  for (const collect::LimitResult& result : results) {
    if (result.judgement == collect::Judgement::Passed) continue;
    const bool is_error = result.judgement == collect::Judgement::Exceeded;
    Annotation annotation{is_error, {}, 0, "gpustall check", result.sentence};
    if (!result.rows.empty()) {
      const collect::CauseRow& largest = result.rows.front();
      place(annotation, largest.site);
      annotation.message += " Most of it: " + std::string(text_of(largest.cause).id) + ", " +
                            std::string(text_of(largest.cause).title) + ". " +
                            std::string(text_of(largest.cause).remedy);
    }
    annotations.push_back(std::move(annotation));
  }
  return annotations;
}

}  // namespace gpustall::cli
