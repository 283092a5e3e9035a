// Messages of the simulated device.
#include "notice.h"

#include <stdarg.h>
#include <stdio.h>

#include "raw_syscall.h"

namespace simgpu {

void notice(const char* format, ...) {
  char line[512];
  int used = snprintf(line, sizeof line, "simgpu: ");
  va_list args;
  va_start(args, format);
  const int more =
      vsnprintf(line + used, sizeof line - static_cast<size_t>(used) - 1, format, args);
  va_end(args);
  if (more > 0) used += more;
  if (used > static_cast<int>(sizeof line) - 2) used = sizeof line - 2;
  line[used++] = '\n';
  raw_syscall(SYS_write, 2, raw_arg(line), used);
}

int missing(const char* library, const char* function, std::atomic<bool>* said, int code) {
  if (!said->exchange(true)) notice("%s: %s is not modelled, answers %d", library, function, code);
  return code;
}

}  // namespace simgpu
