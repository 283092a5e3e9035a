// `gpustall completions`: generated from the option table, so it cannot be out of date.
#include <CLI/CLI.hpp>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
    for (const std::string& name : option->get_snames()) words += " -" + name;
  }
  return words.empty() ? words : words.substr(1);
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* app) { return !app->get_name().empty(); });
}

std::string names_of(const CLI::App& program) {
  std::string names;
  for (const CLI::App* command : commands_of(program)) names += command->get_name() + " ";
  return names + "help";
}

// After the program of `run`, completion is the program's own business; files are offered.
std::string bash(const CLI::App& program) {
  std::string text =
      "_gpustall() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} options=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      names_of(program) +
      "' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(program)) {
    text += "    " + command->get_name() + ") options='" + option_words(*command) + "' ;;\n";
  }
  return text +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options " +
         option_words(program) +
         "\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _gpustall gpustall\n";
}

std::string zsh(const CLI::App& program) {
  return "autoload -U +X bashcompinit && bashcompinit\n" + bash(program);
}

std::string fish(const CLI::App& program) {
  std::string text;
  for (const CLI::App* command : commands_of(program)) {
    const std::string name = command->get_name();
    text += "complete -c gpustall -n __fish_use_subcommand -a " + name + "\n";
    for (const CLI::Option* option : command->get_options()) {
      text += "complete -c gpustall -n '__fish_seen_subcommand_from " + name + "'";
      for (const std::string& word : option->get_lnames()) text += " -l " + word;
      for (const std::string& word : option->get_snames()) text += " -s " + word;
      text += "\n";
    }
  }
  return text;
}

class CompletionsCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Print shell completions.\n"
        "\n"
        "  eval \"$(gpustall completions bash)\"\n"
        "  gpustall completions fish > ~/.config/fish/completions/gpustall.fish\n");
    app.add_option("shell", shell_, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    program_ = app.get_parent();
  }

  int run(Session& session) override {
    session.out.write(shell_ == "fish"  ? fish(*program_)
                      : shell_ == "zsh" ? zsh(*program_)
                                        : bash(*program_));
    return 0;
  }

 private:
  std::string shell_;
  const CLI::App* program_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_completions_command() {
  return std::make_unique<CompletionsCommand>();
}

}  // namespace gpustall::cli
