// Help in two tiers: `gpustall --help` shows three commands to copy and the common subcommands,
// `gpustall help all` everything.
#pragma once
#include <memory>
#include <string>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace gpustall::cli {

// The layout of `gpustall COMMAND --help`: names and units, without the parser's own remarks.
std::shared_ptr<CLI::FormatterBase> help_layout();

std::string short_help();
std::string full_help(const CLI::App& program);
std::string version_text();

}  // namespace gpustall::cli
