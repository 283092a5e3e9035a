// A wrong line would be worse than none: a file that was edited after the recording is not read.
#include "viewer-cli/source_lines.h"

#include <algorithm>
#include <fstream>

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestSource = 4 << 20;  // bytes; longer files are generated or no source
constexpr size_t kLongestLine = 200;
constexpr int32_t kNeighbours = 3;  // lines of an excerpt on either side

std::string without_indent(const std::string& line) {
  const size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start, kLongestLine);
}

template <typename Change>
void each_site(collect::Model& model, Change change) {
  const auto within = [&change](collect::Window& window) {
    for (auto* rows : {&window.causes, &window.busy_causes, &window.alternatives}) {
      for (collect::CauseRow& row : *rows) {
        if (row.site) change(*row.site);
      }
    }
  };
  for (collect::ModelDevice& device : model.devices) {
    within(device.whole);
    if (device.warmup) within(*device.warmup);
    if (device.steady) within(*device.steady);
  }
}

}  // namespace

SourceFiles::SourceFiles(const std::string& recording) {
  std::error_code error;
  recorded_ = fs::last_write_time(recording, error);
  known_ = !error;
}

const std::vector<std::string>& SourceFiles::lines(const std::string& file) {
  const auto [found, fresh] = files_.try_emplace(file);
  std::vector<std::string>& lines = found->second;
  std::error_code error;
  if (!fresh || !known_ || file.empty() || file[0] != '/' || !fs::is_regular_file(file, error))
    return lines;
  if (fs::file_size(file, error) > kLargestSource || error) return lines;
  if (fs::last_write_time(file, error) > recorded_ || error) return lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string SourceFiles::line(const std::string& file, int32_t number) {
  const std::vector<std::string>& all = lines(file);
  const auto index = static_cast<size_t>(number) - 1;
  return number >= 1 && index < all.size() ? without_indent(all[index]) : std::string{};
}

std::vector<SourceLine> SourceFiles::around(const collect::ModelSite& site) {
  std::vector<SourceLine> excerpt;
  if (site.text.empty() || line(site.file, site.line) != site.text) return excerpt;
  const std::vector<std::string>& all = lines(site.file);
  const int32_t last = std::min(static_cast<int32_t>(all.size()), site.line + kNeighbours);
  size_t shared = std::string::npos;
  for (int32_t n = std::max(1, site.line - kNeighbours); n <= last; ++n) {
    const std::string& text = all[static_cast<size_t>(n) - 1];
    shared = std::min(shared, text.find_first_not_of(" \t"));
    excerpt.push_back({n, text});
  }
  while (excerpt.back().text.empty()) excerpt.pop_back();  // the blamed line is not
  for (SourceLine& line : excerpt)
    line.text = line.text.size() > shared ? line.text.substr(shared, kLongestLine) : "";
  return excerpt;
}

void add_source_lines(collect::Model& model, const std::string& recording) {
  SourceFiles sources(recording);
  each_site(model, [&sources](collect::ModelSite& site) {
    if (site.text.empty()) site.text = sources.line(site.file, site.line);
  });
}

void remove_source_lines(collect::Model& model) {
  each_site(model, [](collect::ModelSite& site) { site.text.clear(); });
}

}  // namespace gpustall::cli
