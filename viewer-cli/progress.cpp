// Progress never fails: what cannot be drawn is not drawn.
#include "viewer-cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace gpustall::cli {

namespace {

constexpr auto kPatience = std::chrono::seconds(2);  // shorter work needs no bar
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr size_t kBarWidth = 30;

}  // namespace

ProgressLine::ProgressLine(std::string what, bool quiet)
    : what_(std::move(what)),
      enabled_(!quiet && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::update(double share) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < kPatience || now - last_ < kInterval) return;
  last_ = now;
  draw(std::clamp(share, 0.0, 1.0), now);
}

std::function<void(double)> ProgressLine::callback() {
  return [this](double share) { update(share); };
}

void ProgressLine::draw(double share, Clock::time_point now) {
  const auto filled = static_cast<size_t>(share * static_cast<double>(kBarWidth));
  const std::string bar = std::string(filled, '=') + std::string(kBarWidth - filled, ' ');
  const double passed = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "\r%s [%s] %3.0f %%", what_.c_str(), bar.c_str(), share * 100);
  if (share > 0.01) std::fprintf(stderr, ", %.0f s left", passed / share * (1 - share));
  std::fputs("\x1b[K", stderr);
  drawn_ = true;
}

}  // namespace gpustall::cli
