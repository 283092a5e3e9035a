// One line of progress on stderr, for work that takes longer than two seconds, and only on a
// terminal. It is wiped before anything else is printed.
#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace gpustall::cli {

class ProgressLine {
 public:
  ProgressLine(std::string what, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(double share);  // 0..1; cheap enough to call often
  std::function<void(double)> callback();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double share, Clock::time_point now);

  std::string what_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace gpustall::cli
