// The one way for a command to give up, and its notes on stderr.
#include "viewer-cli/command.h"

#include <cstdio>

namespace gpustall::cli {

void fail(const std::string& sentence) {
  throw Failure(sentence, kWorkFailed);
}

void fail_usage(const std::string& sentence) {
  throw Failure(sentence, kUsage);
}

void note(const Session& session, std::string_view sentence) {
  if (session.quiet) return;
  std::fprintf(stderr, "gpustall: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}

}  // namespace gpustall::cli
