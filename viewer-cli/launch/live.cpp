// Two sides: the launcher, which shows lines, and the reader, which makes them.
#include "viewer-cli/launch/live.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

#include "collector/analysis.h"
#include "collector/live/recent.h"
#include "viewer-cli/command.h"
#include "viewer-cli/render/live_line.h"

namespace gpustall::cli {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval(2000);
constexpr int kRest = 100;  // a look is followed by at least this many times its CPU time
constexpr int kNiceness = 10;
constexpr std::chrono::seconds kBetweenFileLines(10);
constexpr milliseconds kLastLook(1500);  // the reader's time for its last line

std::string stamped(const std::string& line) {
  char when[32];
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &local);
  return std::string(when) + "  " + line + "\n";
}

class Reader {
 public:
  Reader(const LiveOptions& options, pid_t program, int to_launcher)
      : program_(program), to_launcher_(to_launcher), recent_(options.directory) {
    program_fd_ = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
    if (!options.file.empty())
      file_ = open(options.file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  }

  void run() {
    milliseconds pause = kInterval;
    while (!ended(pause)) {
      const milliseconds before = cpu_time();
      look(false);
      pause = std::max(kInterval, (cpu_time() - before) * kRest);
    }
    look(true);
  }

 private:
  // Waits; true when the program has ended. Without pidfd (before Linux 5.3) it is asked for by
  // name.
  bool ended(milliseconds pause) const {
    pollfd end{program_fd_, POLLIN, 0};
    if (program_fd_ >= 0) return poll(&end, 1, static_cast<int>(pause.count())) > 0;
    poll(nullptr, 0, static_cast<int>(pause.count()));
    return kill(program_, 0) != 0 && errno == ESRCH;
  }

  void look(bool last) {
    if (recent_.update()) make_line();
    if (line_.empty() || file_ < 0) return;
    const auto now = Clock::now();
    if (!last && filed_ && now - *filed_ < kBetweenFileLines) return;
    put(file_, stamped(line_));
    line_.clear();
    filed_ = now;
  }

  void make_line() {
    const auto recent = recent_.look();
    if (!recent) return;
    collect::Analysis analysis = collect::analyze(recent->recording);
    analysis.script.reset();  // gains are the report's; here they would cost the most
    line_ = live_line(collect::build_model(recent->recording, analysis), recent->whole);
    if (!line_.empty() && to_launcher_ >= 0) put(to_launcher_, line_ + "\n");
  }

  static milliseconds cpu_time() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return milliseconds(used.tv_sec * 1000 + used.tv_nsec / 1'000'000);
  }

  static void put(int fd, const std::string& line) {
    if (write(fd, line.data(), line.size()) < 0) return;  // the next line may get through
  }

  pid_t program_;
  int to_launcher_, program_fd_ = -1, file_ = -1;
  collect::RecentReader recent_;
  std::string line_;  // the newest that is not in the file
  std::optional<Clock::time_point> filed_;
};

// Behind the program and its workers, yet not starved where they keep every core busy: then a line
// is worth the most.
void step_back() {
  setpriority(PRIO_PROCESS, 0, kNiceness);
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_NAME, "gpustall-live");
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2, SIGPIPE})
    std::signal(signal, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
}

// An open pipe or socket of the program's would keep whoever reads it waiting for the end.
void close_inherited() {
  std::vector<int> open_now;  // closing while reading the list would skip some
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error))
    open_now.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int fd : open_now)
    if (fd > STDERR_FILENO) close(fd);
}

[[noreturn]] void read_until_end(const LiveOptions& options, pid_t program, int to_launcher) {
  step_back();
  try {
    Reader(options, program, to_launcher).run();
  } catch (const std::exception&) {
    // Out of memory, say: there are no more lines, and that is all.
  }
  _exit(0);
}

}  // namespace

void check_live_file(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail_usage(file + " is no regular file; name another --live file");
  const std::regex ours("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d  GPU .*");
  char head[256] = {};  // a line of ours is shorter; another file may be one line without end
  std::ifstream in(file, std::ios::binary);
  in.read(head, sizeof head);
  const std::string first(head, static_cast<size_t>(in.gcount()));
  if (!first.empty() && !std::regex_match(first.substr(0, first.find('\n')), ours))
    fail_usage(file + " holds more than lines of --live; name another --live file");
  const int fd = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    fail("cannot write to " + file + ": " + std::strerror(errno) + "; name another --live file");
  close(fd);
}

void Live::start(pid_t program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  const pid_t launcher = getpid();
  reader_ = fork();
  if (reader_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) _exit(0);
    close(ends[0]);
    read_until_end(options_, program, options_.terminal ? ends[1] : -1);
  }
  close(ends[1]);
  from_reader_ = ends[0];
  if (options_.terminal) line_.emplace(STDERR_FILENO);
}

void Live::look(pid_t program) {
  if (options_.file.empty() && !options_.terminal) return;
  if (reader_ == 0) start(program);
  if (reader_ <= 0 || !line_) return;
  take_lines();
  if (!last_.empty()) line_->show(last_);
}

void Live::take_lines() {
  char bytes[4096];
  ssize_t got = 0;
  while ((got = read(from_reader_, bytes, sizeof bytes)) > 0)
    buffer_.append(bytes, static_cast<size_t>(got));
  const size_t end = buffer_.rfind('\n');
  if (end == std::string::npos) return;
  const size_t before = end == 0 ? std::string::npos : buffer_.rfind('\n', end - 1);
  const size_t start = before == std::string::npos ? 0 : before + 1;
  last_ = buffer_.substr(start, end - start);
  buffer_.erase(0, end + 1);
}

void Live::erase() {
  if (line_) line_->erase();
}

void Live::end() {
  erase();
  if (reader_ <= 0) return;
  const auto until = Clock::now() + kLastLook;
  pid_t gone = 0;
  while (!options_.file.empty() && Clock::now() < until &&
         (gone = waitpid(reader_, nullptr, WNOHANG)) == 0)
    poll(nullptr, 0, 20);
  if (gone == 0) {
    kill(reader_, SIGKILL);
    waitpid(reader_, nullptr, 0);
  }
  reader_ = 0;
  close(from_reader_);
}

void start_detached_live(const LiveOptions& options, pid_t program) {
  const pid_t between = fork();
  if (between != 0) {
    if (between > 0) waitpid(between, nullptr, 0);
    return;
  }
  setsid();
  if (fork() != 0) _exit(0);
  close_inherited();
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
  read_until_end(options, program, -1);
}

}  // namespace gpustall::cli
