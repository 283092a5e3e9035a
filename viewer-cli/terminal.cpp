// Colour and width. Nothing here writes.
#include "viewer-cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace gpustall::cli {

namespace {

constexpr unsigned kDefaultWidth = 80;
constexpr unsigned kNarrowest = 40;  // below this no table can be read: let the terminal wrap

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool wants_color(bool is_tty, ColorMode mode) {
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  if (is_set("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::strcmp(force, "0") != 0) return true;
  const char* term = std::getenv("TERM");
  return is_tty && term != nullptr && std::strcmp(term, "dumb") != 0;
}

unsigned width_of(int fd, bool is_tty) {
  winsize size{};
  unsigned width = 0;
  if (is_tty && ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (width == 0) {
    const char* columns = std::getenv("COLUMNS");
    if (columns != nullptr) width = static_cast<unsigned>(std::strtoul(columns, nullptr, 10));
  }
  if (width == 0) return kDefaultWidth;
  return width < kNarrowest ? kNarrowest : width;
}

}  // namespace

Terminal terminal_of(int fd, ColorMode mode) {
  Terminal terminal;
  terminal.is_tty = isatty(fd) == 1;
  terminal.color = wants_color(terminal.is_tty, mode);
  terminal.width = width_of(fd, terminal.is_tty);
  return terminal;
}

std::string paint(const Terminal& terminal, Paint paint, std::string_view text) {
  if (!terminal.color || text.empty()) return std::string(text);
  static constexpr const char* kCodes[] = {"1", "2", "1;31", "33", "32", "36"};
  std::string painted = "\x1b[";
  painted += kCodes[static_cast<int>(paint)];
  painted += 'm';
  painted += text;
  painted += "\x1b[0m";
  return painted;
}

}  // namespace gpustall::cli
