// `gpustall report`: loads, and hands the model to a renderer.
#include <CLI/CLI.hpp>

#include "viewer-cli/build_info.h"
#include "viewer-cli/command.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/option_checks.h"
#include "viewer-cli/output_file.h"
#include "viewer-cli/render/html.h"
#include "viewer-cli/render/report.h"
#include "viewer-cli/source_lines.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Tell why the GPU was idle, by cause and line, and what to do about it.\n"
    "\n"
    "  gpustall report gpustall-train-1204T103106\n"
    "  gpustall report before --all --stack\n"
    "  gpustall report before --html before.html     one page to look at, and to pass on\n"
    "  gpustall report before --json > before.json\n";

class ReportCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("path", options_.path,
                   "a recording (folder or file), a saved model, a torch.profiler trace")
        ->required();
    auto* json = app.add_flag("--json", json_, "everything, for machines");
    auto* markdown = app.add_flag("--md", markdown_, "Markdown, for issues")->excludes(json);
    auto* html =
        app.add_option("--html", html_,
                       "a page with pictures, into FILE (- is standard output); needs no network")
            ->type_name("FILE")
            ->excludes(json)
            ->excludes(markdown);
    app.add_flag("--no-source", no_source_, "leave lines of source out of the page")->needs(html);
    app.add_flag("-f,--force", force_, "replace FILE")->needs(html);
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
    if (!html_.empty()) return page(session);
    const collect::Model model = load_model(options_.path, session);
    check_device(options_.device, model);
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
  int page(Session& session) {
    std::optional<OutputFile> file;
    if (html_ != "-") file.emplace(html_, force_, std::vector{options_.path});
    collect::Model model = load_model(options_.path, session);
    check_device(options_.device, model);
    SourceFiles sources(options_.path);
    HtmlOptions options{options_, {}, std::string("gpustall ") + kVersion};
    if (no_source_)
      remove_source_lines(model);
    else
      options.excerpts = [&](const collect::ModelSite& site) { return sources.around(site); };
    const std::string text = render_html(model, options);
    if (!file) {
      session.out.write(text);
      return 0;
    }
    file->write(text);
    file->place();
    note(session, "saved " + html_ + "; open it in a browser");
    return 0;
  }

  ReportOptions options_;
  double min_percent_ = 1;
  int64_t device_ = -1;
  std::string html_;
  bool json_ = false, markdown_ = false, all_ = false, no_source_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace gpustall::cli
