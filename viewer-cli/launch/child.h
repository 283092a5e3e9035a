// Starts the program and stays out of its way: signals are passed on, terminal stops are followed,
// and its way of ending becomes ours. Nothing here prints.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "viewer-cli/launch/record_options.h"

namespace gpustall::cli {

// Replaces this program. Throws Failure (126, 127) when that fails.
[[noreturn]] void exec_program(const std::vector<std::string>& command, const Variables& variables);

// Called with the child's pid: shortly after the start, then every few seconds.
using Look = std::function<void(pid_t)>;
// Called before this process stops, with its job, until it is continued.
using BeforeStop = std::function<void()>;

// Runs the program to its end and returns its wait status. Throws Failure (126, 127) when it cannot
// be started.
int run_program(const std::vector<std::string>& command, const Variables& variables,
                const Look& look, const BeforeStop& before_stop = {});

// Runs a function in a process of its own, so that whatever befalls it (a crash, Ctrl-C, no
// memory) cannot change the exit status of the program that has ended before.
void run_apart(const std::function<void()>& work);

// Ends this process as the child ended: same exit status, same signal.
[[noreturn]] void end_like(int wait_status);

}  // namespace gpustall::cli
