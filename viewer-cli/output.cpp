// Writes all or throws; keeps at most one buffer of text in memory.
#include "viewer-cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {
constexpr size_t kBufferBytes = 64 * 1024;
}

void Output::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    const int error = errno;
    buffer_.clear();  // so that a second flush on the way out does not fail again
    if (error == EPIPE) throw ReaderGone{};
    fail("cannot write to " + name_ + ": " + std::strerror(error) + "; " + remedy_);
  }
  buffer_.clear();
}

}  // namespace gpustall::cli
