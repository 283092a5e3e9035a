// A wrong line would be worse than none: a file that was edited after the recording is not read.
#include "viewer-cli/source_lines.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestSource = 4 << 20;  // bytes; longer files are generated or no source
constexpr size_t kLongestLine = 200;

class Sources {
 public:
  explicit Sources(const std::string& recording) {
    std::error_code error;
    recorded_ = fs::last_write_time(recording, error);
    known_ = !error;
  }

  std::string line(const std::string& file, int32_t number) {
    const auto [found, fresh] = files_.try_emplace(file);
    if (fresh) found->second = read(file);
    const std::vector<std::string>& lines = found->second;
    const auto index = static_cast<size_t>(number) - 1;
    return number >= 1 && index < lines.size() ? lines[index] : std::string{};
  }

 private:
  std::vector<std::string> read(const std::string& file) const {
    std::vector<std::string> lines;
    std::error_code error;
    if (!known_ || file.empty() || file[0] != '/' || !fs::is_regular_file(file, error))
      return lines;
    if (fs::file_size(file, error) > kLargestSource || error) return lines;
    if (fs::last_write_time(file, error) > recorded_ || error) return lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const size_t start = line.find_first_not_of(" \t");
      lines.push_back(start == std::string::npos ? "" : line.substr(start, kLongestLine));
    }
    return lines;
  }

  std::map<std::string, std::vector<std::string>> files_;
  fs::file_time_type recorded_{};
  bool known_ = false;
};

void fill(collect::Window& window, Sources& sources) {
  for (auto* rows : {&window.causes, &window.busy_causes}) {
    for (collect::CauseRow& row : *rows) {
      if (row.site && row.site->text.empty()) {
        row.site->text = sources.line(row.site->file, row.site->line);
      }
    }
  }
}

}  // namespace

void add_source_lines(collect::Model& model, const std::string& recording) {
  Sources sources(recording);
  for (collect::ModelDevice& device : model.devices) {
    fill(device.whole, sources);
    if (device.warmup) fill(*device.warmup, sources);
    if (device.steady) fill(*device.steady, sources);
  }
}

}  // namespace gpustall::cli
