// The program: builds the command line from commands.def, runs one command, and turns whatever
// happens into one line and an exit status. The only place that prints errors.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "viewer-cli/command.h"
#include "viewer-cli/command_line.h"
#include "viewer-cli/help.h"
#include "viewer-cli/launch/target.h"
#include "viewer-cli/option_checks.h"

namespace gpustall::cli {

#define GPUSTALL_COMMAND(name, summary, advanced) std::unique_ptr<Command> make_##name##_command();
#include "viewer-cli/commands.def"
#undef GPUSTALL_COMMAND

namespace {

struct Program {
  CLI::App app{"", "gpustall"};
  bool quiet = false, verbose = false, version = false;
  ColorMode color = ColorMode::Auto;
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> commands;
};

void add(Program& program, std::unique_ptr<Command> command, const char* name,
         const char* summary) {
  CLI::App* app = program.app.add_subcommand(name, summary);
  app->fallthrough();  // -q -v --color may follow the subcommand
  command->declare(*app);
  program.commands.emplace_back(app, std::move(command));
}

void declare(Program& program) {
  program.app.formatter(help_layout());  // subcommands inherit it
  program.app.add_flag("-q,--quiet", program.quiet, "no notes on stderr (GPUSTALL_QUIET=1)");
  program.app.add_flag("-v,--verbose", program.verbose, "say more");
  program.app.add_flag("--version", program.version, "version, trace format, build");
  program.app.add_option("--color", program.color, "auto, always, never")
      ->type_name("WHEN")
      ->transform(one_of<ColorMode>(
          {{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}}));
  program.app.set_help_flag("-h,--help", "this help");
#define GPUSTALL_COMMAND(name, summary, advanced) \
  add(program, make_##name##_command(), #name, summary);
#include "viewer-cli/commands.def"
#undef GPUSTALL_COMMAND
}

// An unset variable of a script, mostly; it must not read as "not given".
void check_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw CLI::ValidationError(option->get_name() + " is empty");
}

// "--live=": for an option whose value may be left out, the parser takes it as left out.
void check_words(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw CLI::ValidationError(word.substr(0, word.size() - 1) + " is empty");
}

// Words behind the command are its own: a folder may be called "run".
void leave_only(Program& program, const std::string& name) {
  for (auto& [app, command] : program.commands) app->disabled(app->get_name() != name);
}

int run_command(Program& program, Output& out, const CommandLine& line) {
  check_words(line.arguments);
  if (!line.command_name.empty()) leave_only(program, line.command_name);
  std::vector<std::string> arguments(line.arguments.rbegin(), line.arguments.rend());
  program.app.parse(arguments);  // CLI11 wants them last first
  if (program.version) {
    out.write(version_text());
    return 0;
  }
  const char* silence = std::getenv("GPUSTALL_QUIET");
  const bool quiet = program.quiet || (silence != nullptr && *silence != '\0');
  Session session{out, terminal_of(STDOUT_FILENO, program.color), quiet, program.verbose,
                  line.program};
  for (auto& [app, command] : program.commands) {
    if (!app->parsed()) continue;
    check_values(*app);
    return command->run(session);
  }
  std::fputs(short_help().c_str(), stderr);
  return kUsage;
}

void check_command_name(const Program& program, const std::string& name) {
  if (name.empty()) return;
  for (const auto& [app, command] : program.commands) {
    if (app->get_name() == name) return;
  }
  fail_usage("no command '" + name + "'; gpustall help all lists them");
}

int help(const Program& program, Output& out, const std::vector<std::string>& words) {
  if (words.empty()) {
    out.write(short_help());
    return 0;
  }
  if (words[0] == "all") {
    out.write(full_help(program.app));
    return 0;
  }
  check_command_name(program, words[0]);
  out.write(program.app.get_subcommand(words[0])->help());
  return 0;
}

int guarded(Program& program, Output& out, const CommandLine& line) {
  if (line.wants_help) return help(program, out, line.help_words);
  check_command_name(program, line.command_name);
  try {
    return run_command(program, out, line);
  } catch (const CLI::CallForHelp&) {
    for (const auto& [app, command] : program.commands) {
      if (app->parsed()) return help(program, out, {app->get_name()});
    }
    return help(program, out, {});
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == '\n')) {
      sentence.pop_back();
    }
    throw Failure(sentence + "; see gpustall " + line.command_name +
                      (line.command_name.empty() ? "" : " ") + "--help",
                  line.command_name == "run" ? kCannotStart : kUsage);
  }
}

int report_failure(const char* sentence, int status) {
  std::fprintf(stderr, "gpustall: error: %s\n", sentence);
  return status;
}

}  // namespace
}  // namespace gpustall::cli

int main(int count, char** words) {
  using namespace gpustall::cli;
  Output out(STDOUT_FILENO);
  try {
    Program program;
    declare(program);
    const CommandLine line = split_command_line({words + 1, words + count}, program.app);
    const int status = guarded(program, out, line);
    out.flush();
    return status;
  } catch (const ReaderGone&) {
    return kWorkFailed;  // nobody listens, so nothing is said
  } catch (const Failure& failure) {
    return report_failure(failure.what(), failure.exit_code());
  } catch (const std::bad_alloc&) {
    return report_failure("out of memory; use a shorter recording (--duration, --max-size)",
                          kWorkFailed);
  } catch (const std::exception& error) {
    return report_failure((std::string(error.what()) + "; please report this").c_str(),
                          kWorkFailed);
  }
}
