// `gpustall collect`: reduces a recording to the model that reports are made of.
#include <CLI/CLI.hpp>

#include "viewer-cli/command.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/output_file.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Reduce a recording to a small file that report reads too.\n"
    "\n"
    "  gpustall collect gpustall-train-1204T103106 -o train.gpustall\n"
    "  gpustall report train.gpustall\n";

class CollectCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("path", path_, "a recording (folder or file)")->required();
    app.add_option("-o,--output", output_, "the file to write")->type_name("FILE")->required();
    app.add_flag("-f,--force", force_, "replace an existing file");
  }

  int run(Session& session) override {
    OutputFile file(output_, force_, {path_});
    file.write(collect::to_json(load_model(path_, session)) + "\n");
    file.place();
    note(session, "saved " + output_ + "; next: gpustall report " + output_);
    return 0;
  }

 private:
  std::string path_, output_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_collect_command() {
  return std::make_unique<CollectCommand>();
}

}  // namespace gpustall::cli
