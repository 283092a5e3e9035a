// Source lines of what a model blames, where the file is at hand and has not changed since it was
// recorded.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "collector/model.h"
#include "viewer-cli/render/html.h"

namespace gpustall::cli {

// `recording`: what the user named; files younger than it are left alone.
class SourceFiles {
 public:
  explicit SourceFiles(const std::string& recording);
  // Empty: no such line, or no such file at hand.
  std::string line(const std::string& file, int32_t number);
  // The line and its neighbours, indented as in the file but for what all share. Only where the
  // line still is what the model says.
  std::vector<SourceLine> around(const collect::ModelSite& site);

 private:
  const std::vector<std::string>& lines(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;
  std::filesystem::file_time_type recorded_{};
  bool known_ = false;
};

// Fills in the lines that the model has no text for.
void add_source_lines(collect::Model& model, const std::string& recording);
// For pages that leave the house without their source.
void remove_source_lines(collect::Model& model);

}  // namespace gpustall::cli
