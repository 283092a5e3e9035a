// What the output device can show: colour only on a terminal that wants it, and its width. Decided
// once, from the environment conventions that people already use.
#pragma once
#include <string>
#include <string_view>

namespace gpustall::cli {

enum class ColorMode { Auto, Always, Never };

struct Terminal {
  bool is_tty = false;
  bool color = false;
  unsigned width = 80;  // columns
};

// NO_COLOR, CLICOLOR_FORCE, TERM=dumb; width of the tty, else COLUMNS, else 80.
Terminal terminal_of(int fd, ColorMode mode);

enum class Paint { Bold, Dim, Red, Yellow, Green, Cyan };

// The text, coloured if the terminal shows colour. Never pad after painting: escapes have no width.
std::string paint(const Terminal& terminal, Paint paint, std::string_view text);

}  // namespace gpustall::cli
