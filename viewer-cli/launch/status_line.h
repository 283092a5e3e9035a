// One line at the bottom of a terminal that another program writes to as well. The last row is
// taken out of what scrolls, as apt does for its progress, so what the program prints stays whole.
// Where the terminal cannot do that (TERM=dumb), lines come now and then among the program's.
#pragma once
#include <chrono>
#include <string>

namespace gpustall::cli {

class StatusLine {
 public:
  explicit StatusLine(int fd);
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text);
  // Gives the row back.
  void erase();

 private:
  void put(const std::string& bytes) const;
  int fd_;
  bool plain_;
  unsigned rows_ = 0;  // when the row was taken; 0: it is not
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace gpustall::cli
