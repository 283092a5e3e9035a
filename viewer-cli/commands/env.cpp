// `gpustall env`: the variables that `run` would set, for launchers that start the program
// themselves.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "viewer-cli/command.h"
#include "viewer-cli/export/json_text.h"
#include "viewer-cli/launch/output_dir.h"
#include "viewer-cli/launch/variables.h"
#include "viewer-cli/option_checks.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Print the variables that record without `run`, for srun, compose, Kubernetes.\n"
    "\n"
    "  eval \"$(gpustall env -o trace)\"; srun --export=ALL python train.py\n"
    "  docker run $(gpustall env --format docker) image python train.py\n"
    "  gpustall env --format k8s\n"
    "\n"
    "With -o the folder is created now and shared by all processes; without it each run makes\n"
    "its own in its current folder.\n";

enum class Format { Shell, Docker, Kubernetes };

// For the shell's eval: nothing in single quotes is special but the single quote.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char byte : text) out += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return out + "'";
}

std::string printed(const std::string& name, const std::string& value, Format format) {
  if (format == Format::Docker) return "-e " + name + "=" + value + "\n";
  if (format == Format::Kubernetes) {
    return "- name: " + name + "\n  value: " + json_quoted(value) + "\n";
  }
  return "export " + name + "=" + quoted(value) + "\n";
}

// Between $( and ) no quoting helps: the shell splits at blanks and takes patterns for file names.
void check_docker_word(const std::string& name, const std::string& value) {
  if (value.find_first_of(" \t\r\n*?[") == std::string::npos) return;
  fail(name +
       " would hold a blank or one of *?[, which the shell takes apart in docker run $(...); " +
       "choose another name, or use --format sh");
}

// A manifest is UTF-8; a path need not be.
void check_manifest_text(const std::string& name, const std::string& value) {
  if (valid_utf8(value) == value) return;
  fail(name + " would hold bytes that are no UTF-8, which a manifest cannot; choose another name");
}

class EnvCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    options_.declare(app);
    app.add_option("--format", format_, "sh (default), docker, k8s")
        ->type_name("FORMAT")
        ->transform(one_of<Format>(
            {{"sh", Format::Shell}, {"docker", Format::Docker}, {"k8s", Format::Kubernetes}}));
  }

  int run(Session& session) override {
    options_.verbose = session.verbose;
    Preparation preparation = prepare(options_);
    if (format_ == Format::Docker) {  // before a folder is made
      for (const auto& [name, value] : preparation.variables) check_docker_word(name, value);
      if (!options_.output.empty())
        check_docker_word("GPUSTALL_OUT",
                          std::filesystem::absolute(expand_pattern(options_.output)).string());
    }
    if (!options_.output.empty()) {
      name_run(preparation, create_output(options_.output, "run", options_.force));
    }
    if (format_ == Format::Kubernetes)
      for (const auto& [name, value] : preparation.variables) check_manifest_text(name, value);
    for (const std::string& taken : preparation.notes) note(session, taken);
    for (const auto& [name, value] : preparation.variables) {
      session.out.write(printed(name, value, format_));
    }
    return 0;
  }

 private:
  RecordOptions options_;
  Format format_ = Format::Shell;
};

}  // namespace

std::unique_ptr<Command> make_env_command() {
  return std::make_unique<EnvCommand>();
}

}  // namespace gpustall::cli
