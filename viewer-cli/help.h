// Help in two tiers: `gpustall --help` shows three commands to copy and the common subcommands,
// `gpustall help all` everything.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace gpustall::cli {

std::string short_help();
std::string full_help(const CLI::App& program);
std::string version_text();

}  // namespace gpustall::cli
