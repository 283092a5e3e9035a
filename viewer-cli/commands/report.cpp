// `gpustall report`: loads, and hands the model to a renderer.
#include <CLI/CLI.hpp>

#include "viewer-cli/command.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/option_checks.h"
#include "viewer-cli/render/report.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Tell why the GPU was idle, by cause and line, and what to do about it.\n"
    "\n"
    "  gpustall report gpustall-train-1204T103106\n"
    "  gpustall report before --all --stack\n"
    "  gpustall report before --json > before.json\n";

class ReportCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("path", options_.path,
                   "a recording (folder or file), a saved model, a torch.profiler trace")
        ->required();
    auto* json = app.add_flag("--json", json_, "everything, for machines");
    app.add_flag("--md", markdown_, "Markdown, for issues")->excludes(json);
    app.add_option("--top", options_.top, "causes listed by themselves (default 10)")
        ->type_name("N")
        ->check(whole_number(1));
    app.add_option("--min", min_percent_, "and only those above PERCENT of the idle time (1)")
        ->type_name("PERCENT")
        ->check(amount());
    app.add_flag("--all", all_, "list and explain every cause");
    app.add_flag("--stack", options_.stacks, "with the stack of each explained cause");
    app.add_option("--device", device_, "only this device")->type_name("N")->check(whole_number(0));
    app.add_option("--window", options_.window, "whole, warmup, or steady (the default with steps)")
        ->type_name("WINDOW")
        ->transform(one_of<WindowChoice>({{"whole", WindowChoice::Whole},
                                          {"warmup", WindowChoice::Warmup},
                                          {"steady", WindowChoice::Steady}}));
  }

  int run(Session& session) override {
    options_.min_share = min_percent_ / 100;
    options_.verbose = session.verbose;
    if (device_ >= 0) options_.device = static_cast<uint32_t>(device_);
    if (all_) {
      options_.top = 0;
      options_.advice = SIZE_MAX;
    }
    const collect::Model model = load_model(options_.path, session);
    if (json_) {
      session.out.write(collect::to_json(model) + "\n");
    } else if (markdown_) {
      session.out.write(render_markdown(model, options_));
    } else {
      session.out.write(render_report(model, options_, session.terminal));
    }
    return 0;
  }

 private:
  ReportOptions options_;
  double min_percent_ = 1;
  int64_t device_ = -1;
  bool json_ = false, markdown_ = false, all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace gpustall::cli
