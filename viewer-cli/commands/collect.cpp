// `gpustall collect`: reduces a recording to the model that reports are made of.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "viewer-cli/command.h"
#include "viewer-cli/loading.h"

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
    // Opened first: who waited for the analysis must not hear of a full or forbidden place then.
    const std::string fresh = output_ + ".part";
    if (!force_ && access(output_.c_str(), F_OK) == 0) {
      fail(output_ + " exists already; choose another file, or replace it with -f");
    }
    const int fd = open(fresh.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) fail("cannot write " + output_ + ": " + std::strerror(errno) + "; choose another");
    try {
      Output file(fd);
      file.write(collect::to_json(load_model(path_, session)) + "\n");
      file.flush();
    } catch (...) {
      close(fd);
      unlink(fresh.c_str());
      throw;
    }
    finish(fd, fresh);
    note(session, "saved " + output_ + "; next: gpustall report " + output_);
    return 0;
  }

 private:
  // Without -f the name must still be free at the end: link fails where rename would replace.
  void finish(int fd, const std::string& fresh) {
    const bool placed = close(fd) == 0 && (force_ ? rename(fresh.c_str(), output_.c_str()) == 0
                                                  : link(fresh.c_str(), output_.c_str()) == 0);
    const int error = errno;
    if (!placed || !force_) unlink(fresh.c_str());
    if (!placed) fail("cannot write " + output_ + ": " + std::strerror(error) + "; choose another");
  }

  std::string path_, output_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_collect_command() {
  return std::make_unique<CollectCommand>();
}

}  // namespace gpustall::cli
