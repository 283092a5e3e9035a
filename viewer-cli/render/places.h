// How files are shown: short, yet enough to find them. The folder that all of the user's files
// share is left out; files of installed packages start at the package.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "collector/base_name.h"
#include "collector/model.h"

namespace gpustall::cli {

using collect::base_name;

class Places {
 public:
  // Looks at every site of the model.
  explicit Places(const collect::Model& model);
  explicit Places(const std::vector<std::string>& files);

  std::string file(std::string_view path) const;
  // "file:line function" with the file shortened.
  std::string frame(const std::string& text) const;
  // "train.py:88", "train (train.py:80)" where only the def is known; "-" without a site.
  std::string where(const std::optional<collect::ModelSite>& site) const;

 private:
  std::string shared_;  // ends with '/', or is empty
};

}  // namespace gpustall::cli
