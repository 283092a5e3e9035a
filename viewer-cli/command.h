// What a subcommand is. One file per subcommand in commands/, listed in commands.def; each defines
//   std::unique_ptr<Command> make_<name>_command();
// A command declares its options once, then runs. It writes its result to session.out and nothing
// else to stdout; it reports trouble by throwing Failure, which main() prints as one line
// "gpustall: error: cause; remedy".
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "viewer-cli/output.h"
#include "viewer-cli/terminal.h"

namespace CLI {
class App;
}

namespace gpustall::cli {

inline constexpr int kWorkFailed = 1;  // the work could not be done
inline constexpr int kUsage = 2;       // the command line makes no sense
// Answers of `check` and of `diff --gate`, for builds.
inline constexpr int kLimitExceeded = 3;
inline constexpr int kInconclusive = 4;  // the data cannot tell

class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& sentence, int exit_code = kWorkFailed)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// Throws Failure; sentence is "cause; remedy" without a trailing newline.
[[noreturn]] void fail(const std::string& sentence);
[[noreturn]] void fail_usage(const std::string& sentence);

struct Session {
  Output& out;        // stdout, buffered; flushed by main()
  Terminal terminal;  // of stdout: width, colour
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> program;  // of `run`: the program to run and its arguments
};

// A note for people on stderr, "gpustall: sentence"; nothing with -q.
void note(const Session& session, std::string_view sentence);

class Command {
 public:
  virtual ~Command() = default;
  // Adds options and positionals; `app` is this subcommand's own. Called once, before run().
  virtual void declare(CLI::App& app) = 0;
  // Returns the exit status.
  virtual int run(Session& session) = 0;
};

}  // namespace gpustall::cli
