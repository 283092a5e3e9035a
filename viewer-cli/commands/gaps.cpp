// `gpustall gaps`: every gap, exact to the nanosecond.
#include "viewer-cli/render/gaps.h"

#include <CLI/CLI.hpp>

#include "viewer-cli/command.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/option_checks.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "List every idle gap with the slices that it is made of, in exact nanoseconds.\n"
    "\n"
    "  gpustall gaps gpustall-train-1204T103106 --longest 20\n"
    "  gpustall gaps before --cause sync.item\n"
    "  gpustall gaps before --json | jq .idle_ns\n";

collect::Cause cause_named(const std::string& id) {
  for (unsigned cause = 0; cause < collect::kCauseCount; ++cause) {
    if (collect::kCauses[cause].id == id) return static_cast<collect::Cause>(cause);
  }
  fail_usage("no cause '" + id + "'; gpustall causes lists them");
}

class GapsCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("path", path_, "a recording (folder or file)")->required();
    app.add_flag("--json", json_, "one JSON object per line, with every slice");
    app.add_flag("--slices", every_slice_, "list every slice in the order of time, do not sum");
    app.add_flag("--full", full_, "names of kernels in full length, as --json has them");
    app.add_option("--longest", options_.longest, "only the N longest, longest first")
        ->type_name("N")
        ->check(whole_number(1));
    app.add_option("--cause", cause_, "only gaps that this cause has a part in")->type_name("ID");
    app.add_option("--device", device_, "only this device")->type_name("N")->check(whole_number(0));
  }

  int run(Session& session) override {
    if (!cause_.empty()) options_.cause = cause_named(cause_);
    if (device_ >= 0) options_.device = static_cast<uint32_t>(device_);
    const Analyzed analyzed = load_and_analyze(path_, session);
    check_device(options_.device, analyzed.recording);
    const GapWriter writer(analyzed.recording, analyzed.analysis);
    const auto gaps = chosen_gaps(analyzed.recording, analyzed.analysis, options_);
    for (const size_t gap : gaps) {
      session.out.write(json_ ? writer.json(gap) : writer.text(gap, every_slice_, full_));
    }
    if (gaps.empty()) note(session, "no such gap");
    return 0;
  }

 private:
  GapOptions options_;
  std::string path_, cause_;
  int64_t device_ = -1;
  bool json_ = false, every_slice_ = false, full_ = false;
};

}  // namespace

std::unique_ptr<Command> make_gaps_command() {
  return std::make_unique<GapsCommand>();
}

}  // namespace gpustall::cli
