#include "viewer-cli/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

// The path itself, or a folder above it. The output's own name may be a link; its folder counts.
bool is_in(const std::string& path, const std::string& input) {
  std::error_code error;
  if (fs::equivalent(path, input, error)) return true;
  fs::path above = fs::canonical(fs::absolute(path, error).parent_path(), error);
  for (; !error && !above.empty(); above = above.parent_path()) {
    if (fs::equivalent(above, input, error)) return true;
    if (above == above.root_path()) break;
  }
  return false;
}

// What the next command would read as a part of the folder.
bool is_read_from_folders(const std::string& path) {
  for (const char* end : {".gst", ".json", ".json.gz", ".json.zst", ".tar", ".tar.gz", ".tgz"})
    if (path.ends_with(end)) return true;
  return false;
}

void check_replaceable(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    for (const std::string& input : inputs)
      if (is_read_from_folders(path) && fs::is_directory(input, error) && is_in(path, input))
        fail(path + " would become a part of the input " + input + "; choose another folder");
    return;
  }
  if (!fs::is_regular_file(status))
    fail(path + " is no regular file, and nothing else is replaced; choose another file");
  for (const std::string& input : inputs)
    if (is_in(path, input))
      fail(path + " belongs to the input, which -f does not replace; choose another file");
}

}  // namespace

OutputFile::OutputFile(std::string path, bool force, const std::vector<std::string>& inputs)
    : path_(std::move(path)), force_(force) {
  std::error_code error;
  const bool other = fs::exists(path_, error) && !fs::is_regular_file(path_, error);
  if (!force_ && !other && access(path_.c_str(), F_OK) == 0)
    fail(path_ + " exists already; choose another file, or replace it with -f");
  check_replaceable(path_, inputs);
  fresh_ = path_ + "." + std::to_string(getpid()) + ".part";
  fd_ = open(fresh_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd_ < 0) fail_with(errno);
  out_ = std::make_unique<Output>(fd_, path_, "choose a place with room");
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!fresh_.empty()) unlink(fresh_.c_str());
}

// Without -f the name must still be free at the end: link fails where rename would replace.
void OutputFile::place() {
  out_->flush();
  const bool closed = close(fd_) == 0;
  fd_ = -1;
  if (!closed) fail_with(errno);
  if (force_ && rename(fresh_.c_str(), path_.c_str()) != 0) fail_with(errno);
  if (!force_ && link(fresh_.c_str(), path_.c_str()) != 0) fail_with(errno);
  unlink(fresh_.c_str());
  fresh_.clear();
}

void OutputFile::fail_with(int error) const {
  fail("cannot write " + path_ + ": " + std::strerror(error) + "; choose another");
}

}  // namespace gpustall::cli
