// Signals. The terminal sends SIGINT, SIGQUIT, SIGTSTP to the whole foreground group, so the child
// has them already (si_code SI_KERNEL); what was sent to this process alone is passed on.
#include "viewer-cli/launch/child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "viewer-cli/command.h"
#include "viewer-cli/launch/target.h"

namespace gpustall::cli {

namespace {

constexpr timespec kFirstLook{0, 100'000'000};
constexpr timespec kNextLooks{2, 0};

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal :
       {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT}) {
    sigaddset(&set, signal);
  }
  return set;
}

[[noreturn]] void exec_failed(const std::string& name, int error) {
  const bool missing = error == ENOENT;
  throw Failure("cannot start " + name + ": " + std::strerror(error) +
                    (missing ? "; check the path, and the first line if it is a script"
                             : "; check its permissions"),
                missing ? kCommandNotFound : kCannotExecute);
}

std::vector<char*> arguments(const std::vector<std::string>& command) {
  std::vector<char*> list;
  for (const std::string& word : command) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

void set_variables(const Variables& variables) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}

// A child that could not start its program says why through a pipe that exec closes.
pid_t start(const std::vector<std::string>& command, const Variables& variables,
            const sigset_t& mask, bool ignores_children) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) exec_failed(command[0], errno);
  const std::vector<char*> list = arguments(command);
  const pid_t child = fork();
  if (child < 0) exec_failed(command[0], errno);
  if (child == 0) {
    set_variables(variables);
    if (ignores_children) std::signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvp(list[0], list.data());
    const int error = errno;
    if (write(report[1], &error, sizeof error) != sizeof error) _exit(kCannotExecute);
    _exit(kCannotExecute);
  }
  close(report[1]);
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report[0], &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  close(report[0]);
  if (got == sizeof error) {
    waitpid(child, nullptr, 0);
    exec_failed(command[0], error);
  }
  return child;
}

class Supervisor {
 public:
  Supervisor(pid_t child, const Look& look, const BeforeStop& before_stop)
      : child_(child), look_(look), before_stop_(before_stop) {}

  int wait() {
    const sigset_t signals = handled_signals();
    timespec timeout = kFirstLook;
    while (!ended()) {
      siginfo_t info{};
      const int signal = sigtimedwait(&signals, &info, look_ ? &timeout : nullptr);
      if (signal > 0) {
        handle(signal, info);
      } else if (errno == EAGAIN && look_) {
        look_(child_);
        timeout = kNextLooks;
      }
    }
    return status_;
  }

 private:
  bool ended() {
    int status = 0;
    while (waitpid(child_, &status, WNOHANG | WUNTRACED | WCONTINUED) == child_) {
      if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
        child_stopped_ = WIFSTOPPED(status);
        continue;
      }
      status_ = status;
      return true;
    }
    follow_stop();
    return false;
  }

  // A stop of the child is followed only when the terminal stopped this process too: otherwise
  // whoever stopped the child alone would never wake us. The two are seen in either order.
  void follow_stop() {
    if (!child_stopped_ || !told_to_stop_) return;
    child_stopped_ = told_to_stop_ = false;
    if (before_stop_) before_stop_();
    kill(getpid(), SIGSTOP);  // until the shell's fg or bg
    kill(child_, SIGCONT);
  }

  void handle(int signal, const siginfo_t& info) {
    if (signal == SIGCHLD) return;
    if (signal == SIGTSTP) told_to_stop_ = true;
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (!from_terminal) kill(child_, signal);
  }

  pid_t child_;
  const Look& look_;
  const BeforeStop& before_stop_;
  int status_ = 0;
  bool child_stopped_ = false, told_to_stop_ = false;
};

}  // namespace

void exec_program(const std::vector<std::string>& command, const Variables& variables) {
  set_variables(variables);
  execvp(command[0].c_str(), arguments(command).data());
  exec_failed(command[0], errno);
}

int run_program(const std::vector<std::string>& command, const Variables& variables,
                const Look& look, const BeforeStop& before_stop) {
  const sigset_t signals = handled_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  // With SIGCHLD ignored (inherited from some launchers) the status would be lost.
  const bool ignores_children = std::signal(SIGCHLD, SIG_DFL) == SIG_IGN;
  const pid_t child = start(command, variables, before, ignores_children);
  return Supervisor(child, look, before_stop).wait();
}

void run_apart(const std::function<void()>& work) {
  const sigset_t signals = handled_signals();
  const pid_t child = fork();
  if (child < 0) return;
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &signals, nullptr);
    work();
    _exit(0);
  }
  Supervisor(child, {}, {}).wait();
}

void end_like(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const rlimit no_core{0, 0};  // the child's core is the one that matters
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(signal, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);
    _exit(128 + signal);  // not reached but for signals that do not end a process
  }
  _exit(WEXITSTATUS(wait_status));
}

}  // namespace gpustall::cli
