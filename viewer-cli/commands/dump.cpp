// `gpustall dump`: the records of a trace as they were written, one line each.
#include "collector/read/dump.h"

#include <CLI/CLI.hpp>
#include <ostream>
#include <streambuf>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Print a recording record by record: what was written, before any analysis.\n"
    "\n"
    "  gpustall dump gpustall-train-1204T103106 --resolve | less\n"
    "  gpustall dump before --only Kernel --only Memcpy\n"
    "  gpustall dump r0-4711.gst | grep -c ' Api '\n";

// The collector writes to a stream; what it writes goes to the checked output.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(Output& out) : out_(out) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    out_.write({text, static_cast<size_t>(n)});
    return n;
  }
  int_type overflow(int_type c) override {
    if (c == traits_type::eof()) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    out_.write({&byte, 1});
    return c;
  }

 private:
  Output& out_;
};

class DumpCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("path", path_, "a recording (folder or .gst file)")->required();
    app.add_flag("--resolve", options_.resolve, "show what ids stand for: names, stacks, queues");
    app.add_option("--only", only_, "only records of this kind (repeat for more)")
        ->type_name("KIND")
        ->allow_extra_args(false);
  }

  int run(Session& session) override {
    for (const std::string& name : only_) {
      if (!collect::is_record_name(name))
        fail_usage("no record kind '" + name + "'; kinds are words such as Api, Wait, Kernel");
      options_.only.insert(name);
    }
    OutputBuffer buffer(session.out);
    std::ostream out(&buffer);
    out.exceptions(std::ios::badbit);  // a reader that went away ends the walk: rethrown as it is
    const std::vector<collect::Error> errors = collect::dump_path(path_, out, options_);
    if (errors.empty()) return 0;
    out.flush();
    for (size_t i = 0; i + 1 < errors.size(); ++i) note(session, "error: " + errors[i].message);
    fail(errors.back().message);
  }

 private:
  std::string path_;
  std::vector<std::string> only_;
  collect::DumpOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_dump_command() {
  return std::make_unique<DumpCommand>();
}

}  // namespace gpustall::cli
