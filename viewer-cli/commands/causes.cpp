// `gpustall causes`: what the causes of a report mean.
#include "viewer-cli/render/causes.h"

#include <CLI/CLI.hpp>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

class CausesCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(
        "Explain the causes that reports name, with their remedies.\n"
        "\n"
        "  gpustall causes\n"
        "  gpustall causes sync.item\n"
        "  gpustall causes data\n");
    app.add_option("id", id_, "a cause or a family of causes");
  }

  int run(Session& session) override {
    const std::string text =
        id_.empty() ? render_causes(session.terminal) : render_causes(id_, session.terminal);
    if (text.empty()) fail_usage("no cause '" + id_ + "'; gpustall causes lists them");
    session.out.write(text);
    return 0;
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> make_causes_command() {
  return std::make_unique<CausesCommand>();
}

}  // namespace gpustall::cli
