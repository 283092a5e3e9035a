// A file that a command writes: under a name of its own first, in place as a whole at the end. What
// exists already is never replaced without -f, and never with it when it is no regular file or one
// of the command's inputs; what was not finished is not left behind.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "viewer-cli/output.h"

namespace gpustall::cli {

class OutputFile {
 public:
  // Opens it at once: who waited for an analysis must not hear of a forbidden place then. Throws
  // Failure. `inputs`: the files and folders that the command reads.
  OutputFile(std::string path, bool force, const std::vector<std::string>& inputs);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text) { out_->write(text); }  // throws Failure
  void place();                                             // throws Failure
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail_with(int error) const;
  std::string path_, fresh_;
  bool force_;
  int fd_;
  std::unique_ptr<Output> out_;
};

}  // namespace gpustall::cli
