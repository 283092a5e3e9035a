// Texts for people who have just met the program. Subcommands come from commands.def.
#include "viewer-cli/help.h"

#include <CLI/CLI.hpp>

#include "libinterpose/trace/format.h"
#include "viewer-cli/build_info.h"

namespace gpustall::cli {

namespace {

struct Entry {
  const char* name;
  const char* summary;
  bool advanced;
};

constexpr Entry kEntries[] = {
#define GPUSTALL_COMMAND(name, summary, advanced) {#name, summary, advanced},
#include "viewer-cli/commands.def"
#undef GPUSTALL_COMMAND
};

std::string entries(bool advanced) {
  std::string text;
  for (const Entry& entry : kEntries) {
    if (entry.advanced != advanced) continue;
    std::string name = entry.name;
    name.resize(13, ' ');
    text += "  " + name + entry.summary + "\n";
  }
  return text;
}

}  // namespace

std::string short_help() {
  return "Why is the GPU idle, which line of the program is to blame, and what would fixing it "
         "gain?\n"
         "\n"
         "  gpustall run -- python train.py           record, then tell the verdict\n"
         "  gpustall report gpustall-train-...        the report: causes, lines, what to do\n"
         "  gpustall run --simulate -- python train.py    the same without a GPU\n"
         "\n"
         "Commands:\n" +
         entries(false) +
         "\n"
         "Options for all: -q quiet, -v verbose, --color auto|always|never, --version.\n"
         "More: gpustall COMMAND --help, gpustall help all\n";
}

std::string full_help(const CLI::App& program) {
  std::string text = short_help() + "\nFurther commands:\n" + entries(true);
  for (const CLI::App* command : program.get_subcommands({})) {
    text += "\n" + command->help();
  }
  return text;
}

std::string version_text() {
  const std::string revision = kRevision[0] == '\0' ? "" : std::string(", ") + kRevision;
  return std::string("gpustall ") + kVersion + revision + "\ntrace format " +
         std::to_string(trace::kFormatVersion) + " (reads " +
         std::to_string(trace::kOldestReadable) + " to " + std::to_string(trace::kFormatVersion) +
         ")\nbuilt with " + kCompiler + ", " + kBuildType + "\n";
}

}  // namespace gpustall::cli
