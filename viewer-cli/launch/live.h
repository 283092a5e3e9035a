// `run --live`: while the program runs, a process of its own reads what was recorded so far and
// says it in a line, on the terminal and into a file. It stands behind the program, takes at most a
// hundredth of one core, and nothing that happens to it touches the program.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "viewer-cli/launch/status_line.h"

namespace gpustall::cli {

struct LiveOptions {
  std::string directory;  // of the recording
  std::string file;       // lines are appended to it; empty: none
  bool terminal = false;  // and shown at the bottom of stderr's
};

class Live {
 public:
  explicit Live(LiveOptions options) : options_(std::move(options)) {}
  ~Live() { end(); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  // Often enough, with the program's pid; starts the reader at the first call.
  void look(pid_t program);
  void erase();  // before this process stops; the next look() shows the line again
  void end();    // the program has ended

 private:
  void start(pid_t program);
  void take_lines();

  LiveOptions options_;
  std::optional<StatusLine> line_;
  pid_t reader_ = 0;
  int from_reader_ = -1;
  std::string buffer_, last_;
};

// Where this process becomes the program: the reader must be nobody's child that the program could
// meet. It belongs to init, in a session of its own, without any open file but its own, and ends
// with the process `program`. (Where that process is init itself, in a container, it is its child.)
void start_detached_live(const LiveOptions& options, pid_t program);

// Throws Failure when nothing can be appended to the file, or when it holds something else's text.
void check_live_file(const std::string& file);

}  // namespace gpustall::cli
