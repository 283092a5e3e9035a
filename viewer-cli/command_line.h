// The words of the command line, before CLI11 sees them. `run` is the reason: everything from the
// program's name on belongs to that program and must not be read as our options.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpustall::cli {

struct CommandLine {
  std::vector<std::string> arguments;  // for CLI11
  std::vector<std::string> program;    // of `run`: the program and its arguments
  std::string command_name;            // "" when there is none
  bool wants_help = false;             // gpustall, gpustall help ..., gpustall --help
  std::vector<std::string> help_words;
};

CommandLine split_command_line(const std::vector<std::string>& words, const CLI::App& app);

}  // namespace gpustall::cli
