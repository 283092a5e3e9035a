// `gpustall run`: sets up the environment, starts the program, and on a terminal tells the verdict
// afterwards. The program's exit status is the exit status, whatever happens to us.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "viewer-cli/command.h"
#include "viewer-cli/launch/aftermath.h"
#include "viewer-cli/launch/child.h"
#include "viewer-cli/launch/live.h"
#include "viewer-cli/launch/output_dir.h"
#include "viewer-cli/launch/target.h"
#include "viewer-cli/launch/variables.h"
#include "viewer-cli/launch/witness.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Run a program and record why its GPU is idle.\n"
    "\n"
    "  gpustall run -- python train.py\n"
    "  gpustall run --delay 60 --duration 30 -o before -- python train.py --epochs 3\n"
    "  gpustall run --simulate -- python train.py      no GPU: simulated device\n"
    "  gpustall run --live -- python train.py          step time and main cause meanwhile\n"
    "\n"
    "The program's output and exit status are its own. On a terminal the verdict follows;\n"
    "otherwise gpustall replaces itself by the program. Exit status 125: gpustall could not\n"
    "start it, 126: not executable, 127: not found.\n"
    "\n"
    "--live takes the last row of the terminal for a line about the newest part of the run, every\n"
    "few seconds. --live=FILE appends it to FILE every ten seconds, also without a terminal: then\n"
    "a process that is nobody's child reads the recording and ends with the program. Either reads\n"
    "at low priority, takes at most a hundredth of one core, and never touches the program.\n";

constexpr char kOnTerminal[] = "true";  // what the parser makes of --live without a value

class RunCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    // Never filled: the words from the program on do not come here. For the help only.
    app.add_option("program", program_, "the program and its arguments; -- before it is optional");
    options_.declare(app);
    app.add_flag("--stay", stay_, "wait and tell the verdict even without a terminal");
    app.add_flag("--live", live_, "say meanwhile how the run goes, on the terminal or in =FILE")
        ->type_name("[=FILE]");
    app.add_flag("--anyway", anyway_, "start programs that gpustall would refuse");
  }

  int run(Session& session) override {
    // Any status below 125 must be the program's.
    try {
      return start(session);
    } catch (const Failure& failure) {
      const int status = failure.exit_code();
      throw Failure(failure.what(), status > kCannotStart ? status : kCannotStart);
    }
  }

 private:
  int start(const Session& session) {
    const std::vector<std::string>& program = session.program;
    if (program.empty()) fail("no program to run; name it: gpustall run -- python train.py");
    const std::string path = find_program(program[0]);
    if (!anyway_) check_program(path);
    if (session.verbose) note(session, "running " + path);
    if (const char* outer = std::getenv("GPUSTALL_RUN_ID"); outer != nullptr && *outer != '\0') {
      note(session, "an outer gpustall records this program already");
      exec_program(program, {});
    }
    options_.verbose = session.verbose;
    Preparation preparation = prepare(options_);
    for (const std::string& taken : preparation.notes) note(session, taken);
    LiveOptions live_options = live(session);  // may refuse, so before -f removes anything
    const std::string output = create_output(options_.output, run_name(program), options_.force);
    live_options.directory = output;
    name_run(preparation, output);
    try {
      return record(session, preparation.variables, live_options);
    } catch (const Failure&) {
      rmdir(output.c_str());  // nothing was started, so leave nothing behind
      throw;
    }
  }

  int record(const Session& session, const Variables& variables, const LiveOptions& live_options) {
    const std::string& output = live_options.directory;
    const std::string rank = rank_of_environment();
    if (rank.empty() || rank == "0" || session.verbose) {
      note(session, "recording to " + shown_path(output));
    }
    if (!stay_ && !wants_verdict(session)) {
      if (!live_options.file.empty()) start_detached_live(live_options, getpid());
      exec_program(session.program, variables);
    }
    Witness witness;
    Live live(live_options);
    const int status = run_program(
        session.program, variables,
        [&](pid_t child) {
          if (!has_recording(output)) witness.look(child);
          live.look(child);
        },
        [&live] { live.erase(); });
    live.end();
    run_apart([&] { tell_aftermath(output, witness, session); });
    end_like(status);
  }

  // Nothing may stay in the process tree of a rank or of a container; and without a terminal nobody
  // waits for a verdict.
  static bool wants_verdict(const Session& session) {
    return !session.quiet && isatty(STDERR_FILENO) == 1 && rank_of_environment().empty() &&
           getpid() != 1;
  }

  LiveOptions live(const Session& session) const {
    LiveOptions options;
    if (live_.empty()) return options;
    const bool stays = stay_ || wants_verdict(session);
    if (live_ == kOnTerminal) {
      options.terminal = stays && isatty(STDERR_FILENO) == 1;
      if (!options.terminal) note(session, "--live needs a terminal; --live=FILE needs none");
      return options;
    }
    options.file = std::filesystem::absolute(expand_pattern(live_)).string();
    check_live_file(options.file);
    return options;
  }

  std::vector<std::string> program_;
  RecordOptions options_;
  std::string live_;  // empty: no; kOnTerminal; else a file
  bool stay_ = false, anyway_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace gpustall::cli
