// Every change is one write: the program's own writes come before or after it, never between. ESC 7
// and ESC 8 keep its cursor and colours.
#include "viewer-cli/launch/status_line.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

constexpr unsigned kFewestRows = 4;
constexpr auto kBetweenPlainLines = std::chrono::seconds(10);

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::strcmp(term, "dumb") == 0;
}

// The cursor, with its colours.
constexpr const char* kSave = "\0337";
constexpr const char* kRestore = "\0338";
constexpr const char* kClearRow = "\033[2K";

std::string go_to_row(unsigned row) {
  return "\033[" + std::to_string(row) + ";1H";
}

// Only these rows scroll; the cursor is lost.
std::string scroll_rows_to(unsigned last) {
  return "\033[1;" + std::to_string(last) + "r";
}

}  // namespace

StatusLine::StatusLine(int fd) : fd_(fd), plain_(is_dumb()) {}

void StatusLine::show(const std::string& text) {
  winsize size{};
  if (plain_ || ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_row < kFewestRows) {
    erase();
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kBetweenPlainLines) return;
    last_ = now;
    return put("gpustall: " + text + "\n");
  }
  std::string bytes;
  if (rows_ != size.ws_row) {
    rows_ = size.ws_row;
    // One row down and up again: the cursor must not stand in the row that is taken.
    bytes = std::string("\033D\033[1A") + kSave + scroll_rows_to(rows_ - 1) + kRestore;
  }
  const size_t room = size.ws_col > 10 ? size.ws_col - 1u : 9;
  put(bytes + kSave + go_to_row(rows_) + "\033[0;2m" + kClearRow + cut(text, room) + kRestore);
}

void StatusLine::erase() {
  if (rows_ == 0) return;
  put(kSave + scroll_rows_to(rows_) + go_to_row(rows_) + kClearRow + kRestore);
  rows_ = 0;
}

// A terminal that was stopped (Ctrl-S) must not stop us: then this change is left out.
void StatusLine::put(const std::string& bytes) const {
  pollfd ready{fd_, POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1) return;
  if (write(fd_, bytes.data(), bytes.size()) < 0) return;  // gone: nothing to tell, and nobody
}

}  // namespace gpustall::cli
