// Standard output or a file of a command: buffered, checked. A reader that went away (EPIPE) ends
// the program quietly, as it does for other filters; any other failure (disk full, closed) is an
// error.
#pragma once
#include <string>
#include <string_view>

namespace gpustall::cli {

class Output {
 public:
  // `name` and `remedy` stand in the error: "cannot write to NAME: no space; REMEDY".
  explicit Output(int fd, std::string name = "standard output",
                  std::string remedy = "redirect it to a place with room")
      : fd_(fd), name_(std::move(name)), remedy_(std::move(remedy)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void flush();  // throws Failure, or ReaderGone

 private:
  int fd_;
  std::string name_, remedy_, buffer_;
};

// Thrown when nobody reads any more; main() ends quietly.
struct ReaderGone {};

}  // namespace gpustall::cli
