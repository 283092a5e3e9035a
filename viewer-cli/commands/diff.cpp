// `gpustall diff`: loads both sides and hands the comparison to a renderer.
#include <CLI/CLI.hpp>

#include "collector/compare/comparison.h"
#include "collector/compare/limits.h"
#include "viewer-cli/annotations.h"
#include "viewer-cli/build_info.h"
#include "viewer-cli/command.h"
#include "viewer-cli/limit_options.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/option_checks.h"
#include "viewer-cli/output_file.h"
#include "viewer-cli/render/diff.h"
#include "viewer-cli/render/html.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Tell what changed between two runs, cause by cause, and what is only noise.\n"
    "\n"
    "  gpustall diff before after\n"
    "  gpustall diff before after --by line\n"
    "  gpustall diff --base before-* --new after-*\n"
    "  gpustall diff before.gpustall after --gate 3% --github\n"
    "  gpustall diff before after --html diff.html\n"
    "\n"
    "With --gate the exit status is 0 (passed), 3 (slower by more) or 4 (the data cannot tell);\n"
    "1 and 2 are errors, as everywhere.\n";

int status_of(collect::Judgement judgement) {
  if (judgement == collect::Judgement::Passed) return 0;
  return judgement == collect::Judgement::Exceeded ? kLimitExceeded : kInconclusive;
}

class DiffCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("BASE", base_, "a run: a recording, a saved model, a torch.profiler trace");
    app.add_option("NEW", next_, "the run to compare with it");
    app.add_option("--base", more_base_, "further runs of BASE: they show how much runs vary")
        ->type_name("RUN...");
    app.add_option("--new", more_next_, "further runs of NEW")->type_name("RUN...");
    app.add_option("--gate", gate_, "fail when a step takes more than PERCENT longer")
        ->type_name("PERCENT")
        ->transform(share_text());
    auto* github =
        app.add_flag("--github", github_, "also print annotations for a GitHub workflow");
    auto* json = app.add_flag("--json", json_, "everything, for machines")->excludes(github);
    auto* markdown = app.add_flag("--md,--markdown", markdown_, "Markdown, for pull requests")
                         ->excludes(json)
                         ->excludes(github);
    auto* html =
        app.add_option("--html", html_, "a page with pictures, into FILE (- is standard output)")
            ->type_name("FILE")
            ->excludes(json)
            ->excludes(markdown);
    app.add_flag("-f,--force", force_, "replace FILE")->needs(html);
    app.add_option(
           "--by", by_,
           "site (default): a cause at a line; line: all its causes together; cause: all its lines")
        ->type_name("WHAT")
        ->transform(one_of<DiffBy>(
            {{"site", DiffBy::Site}, {"line", DiffBy::Line}, {"cause", DiffBy::Cause}}));
    app.add_option("--top", options_.rows, "rows listed by themselves (default 10)")
        ->type_name("N")
        ->check(whole_number(1));
    app.add_flag("--all", all_, "list every row");
  }

  int run(Session& session) override {
    if (all_) options_.rows = options_.min_share = 0;
    const std::vector<std::string> base = side(base_, more_base_), next = side(next_, more_next_);
    if (base.empty() || next.empty()) fail_usage("diff needs two runs; see gpustall diff --help");
    if (html_ == "-" && github_)
      fail_usage("--github writes to standard output too; name a file for --html");
    std::optional<OutputFile> page;
    std::vector<std::string> inputs = base;
    inputs.insert(inputs.end(), next.begin(), next.end());
    if (!html_.empty() && html_ != "-") page.emplace(html_, force_, inputs);
    const std::vector<collect::Model> base_models = load(base, session);
    const std::vector<collect::Model> next_models = load(next, session);
    const collect::Comparison comparison = collect::compare(base_models, next_models, options_);
    std::optional<collect::GateResult> gate;
    if (!gate_.empty()) gate = collect::judge_gate(comparison, std::stod(gate_));
    DiffOptions options{by_, session.verbose, {}, base[0], next[0]};
    if (gate) options.gate = gate->sentence;
    if (!html_.empty()) {
      const std::string text =
          render_diff_html(comparison, options, std::string("gpustall ") + kVersion);
      if (page) {
        page->write(text);
        page->place();
        note(session, "saved " + html_ + "; open it in a browser");
      } else {
        session.out.write(text);
      }
    }
    write(comparison, gate, options, session);
    return gate ? status_of(gate->judgement) : 0;
  }

 private:
  static std::vector<std::string> side(const std::string& first, std::vector<std::string> more) {
    if (!first.empty()) more.insert(more.begin(), first);
    return more;
  }

  static std::vector<collect::Model> load(const std::vector<std::string>& paths,
                                          const Session& session) {
    std::vector<collect::Model> models;
    for (const std::string& path : paths) models.push_back(load_model(path, session));
    return models;
  }

  void write(const collect::Comparison& comparison, const std::optional<collect::GateResult>& gate,
             const DiffOptions& options, Session& session) const {
    if (json_) {
      session.out.write(collect::to_json(comparison, gate ? &*gate : nullptr));
    } else if (markdown_) {
      session.out.write(render_diff_markdown(comparison, options));
    } else if (html_.empty()) {
      session.out.write(render_diff(comparison, options, session.terminal));
    }
    if (!github_) return;
    const auto judgement = gate ? gate->judgement : collect::Judgement::Passed;
    for (const Annotation& annotation : annotations_of(comparison, judgement))
      session.out.write(annotation_line(annotation));
  }

  collect::CompareOptions options_;
  std::string base_, next_, gate_, html_;
  std::vector<std::string> more_base_, more_next_;
  DiffBy by_ = DiffBy::Site;
  bool json_ = false, markdown_ = false, github_ = false, all_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_diff_command() {
  return std::make_unique<DiffCommand>();
}

}  // namespace gpustall::cli
