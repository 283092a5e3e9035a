// `gpustall check`: limits for builds.
#include <CLI/CLI.hpp>

#include "collector/compare/limits.h"
#include "viewer-cli/annotations.h"
#include "viewer-cli/command.h"
#include "viewer-cli/limit_options.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/render/check.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Check a run against limits, for builds.\n"
    "\n"
    "  gpustall check run --max-idle 15%\n"
    "  gpustall check run --max sync=2ms --max sync.item=1ms --max data=5%\n"
    "  gpustall check run --max step=45ms --github\n"
    "\n"
    "The exit status is 0 (all limits kept), 3 (a limit is exceeded) or 4 (the data cannot\n"
    "tell); 1 and 2 are errors, as everywhere.\n";

class CheckCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("RUN", paths_, "recordings, saved models, torch.profiler traces")->required();
    app.add_option("--max-idle", idle_, "the share of the time that the GPU may idle")
        ->type_name("PERCENT")
        ->transform(share_text());
    app.add_option("--max", limits_,
                   "what a cause, a family of causes, or the whole step may take: ms per step, or "
                   "percent")
        ->type_name("NAME=AMOUNT")
        ->allow_extra_args(false)
        ->check(limit_text());
    auto* github =
        app.add_flag("--github", github_, "also print annotations for a GitHub workflow");
    app.add_flag("--json", json_, "everything, for machines")->excludes(github);
  }

  int run(Session& session) override {
    std::vector<collect::Limit> limits;
    if (!idle_.empty()) limits.push_back({collect::Limit::Of::Idle, {}, true, std::stod(idle_)});
    for (const std::string& limit : limits_) limits.push_back(parse_limit(limit));
    if (limits.empty()) fail_usage("check needs a limit; add --max-idle 15% or --max sync=2ms");
    std::vector<CheckedRun> runs;
    collect::Judgement worst = collect::Judgement::Passed;
    for (const std::string& path : paths_) {
      runs.push_back({path, collect::check_limits(load_model(path, session), limits)});
      for (const collect::LimitResult& result : runs.back().results)
        worst = collect::worse_of(worst, result.judgement);
    }
    session.out.write(json_ ? render_check_json(runs, worst)
                            : render_check(runs, worst, session.terminal));
    if (github_)
      for (const CheckedRun& checked : runs)
        for (const Annotation& annotation : annotations_of(checked.results))
          session.out.write(annotation_line(annotation));
    if (worst == collect::Judgement::Passed) return 0;
    return worst == collect::Judgement::Exceeded ? kLimitExceeded : kInconclusive;
  }

 private:
  std::vector<std::string> paths_, limits_;
  std::string idle_;
  bool github_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_command() {
  return std::make_unique<CheckCommand>();
}

}  // namespace gpustall::cli
