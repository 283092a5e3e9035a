// Asks the option table which options take a value; nothing is parsed here.
#include "viewer-cli/command_line.h"

#include <CLI/CLI.hpp>

namespace gpustall::cli {

namespace {

bool takes_value(const CLI::App& app, const std::string& option) {
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    const CLI::Option* found = level->get_option_no_throw(option);
    if (found != nullptr) return found->get_items_expected_max() > 0;
  }
  return false;  // unknown: CLI11 will complain
}

// Whether the next word is this option's value. "-fo" takes one when -o does, "-oDIR" has it.
bool next_is_value(const CLI::App& app, const std::string& word) {
  if (word.rfind("--", 0) == 0) {
    return word.find('=') == std::string::npos && takes_value(app, word);
  }
  for (size_t i = 1; i < word.size(); ++i) {
    if (takes_value(app, std::string("-") + word[i])) return i + 1 == word.size();
  }
  return false;
}

// The first word from `at` on that is neither an option nor an option's value.
size_t first_plain(const CLI::App& app, const std::vector<std::string>& words, size_t at) {
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--" || word.size() < 2 || word[0] != '-') return at;
    at += next_is_value(app, word) ? 2 : 1;
  }
  return words.size();
}

}  // namespace

CommandLine split_command_line(const std::vector<std::string>& words, const CLI::App& app) {
  CommandLine line;
  line.arguments = words;
  const size_t command = first_plain(app, words, 0);
  if (command >= words.size()) {
    const bool asks = !words.empty() && (words[0] == "--help" || words[0] == "-h");
    line.wants_help = asks;
    return line;
  }
  line.command_name = words[command];
  if (line.command_name == "help") {
    line.wants_help = true;
    line.help_words.assign(words.begin() + static_cast<long>(command) + 1, words.end());
  }
  if (line.command_name != "run") return line;
  size_t program = first_plain(*app.get_subcommand("run"), words, command + 1);
  line.arguments.resize(std::min(program, words.size()));
  if (program < words.size() && words[program] == "--") ++program;
  if (program < words.size()) {
    line.program.assign(words.begin() + static_cast<long>(program), words.end());
  }
  return line;
}

}  // namespace gpustall::cli
