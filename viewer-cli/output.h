// Standard output of a command: buffered, checked. A reader that went away (EPIPE) ends the program
// quietly, as it does for other filters; any other failure (disk full, closed) is an error.
#pragma once
#include <string>
#include <string_view>

namespace gpustall::cli {

class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void flush();  // throws Failure, or ReaderGone

 private:
  int fd_;
  std::string buffer_;
};

// Thrown when nobody reads any more; main() ends quietly.
struct ReaderGone {};

}  // namespace gpustall::cli
