// Texts for people who have just met the program. Subcommands come from commands.def.
#include "viewer-cli/help.h"

#include <CLI/CLI.hpp>

#include "libinterpose/trace/format.h"
#include "viewer-cli/build_info.h"
#include "viewer-cli/render/table.h"

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

constexpr unsigned kHelpWidth = 80;
constexpr unsigned kNameWidth = 28;

class Layout : public CLI::Formatter {
 public:
  Layout() { column_width(kNameWidth); }

  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string text = "Usage: gpustall " + app->get_name() + " [OPTIONS]";
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) text += " " + make_option_usage(option);
    }
    return text + "\n";
  }
  // CLI11 hangs the validators' names on the type, after a colon.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || option->get_type_size() == 0) return {};
    const std::string type = option->get_type_name();
    return " " + type.substr(0, type.find(':'));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kHelpWidth - kNameWidth, 0);
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_layout() {
  return std::make_shared<Layout>();
}

std::string short_help() {
  return "Why is the GPU idle, which line of the program is to blame, and what would fixing it "
         "gain?\n"
         "\n"
         "  gpustall run -- python train.py               record, then tell the verdict\n"
         "  gpustall report gpustall-train-...            causes, lines, what to do\n"
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
