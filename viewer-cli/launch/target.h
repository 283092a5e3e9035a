// The program to run: is it there, and can anything be recorded in it? Told before it starts, not
// after an hour of training.
#pragma once
#include <string>
#include <vector>

namespace gpustall::cli {

// As env(1), nohup(1) and timeout(1) exit: everything else is the program's own status.
inline constexpr int kCannotStart = 125;      // gpustall's own failure
inline constexpr int kCannotExecute = 126;    // found, not executable
inline constexpr int kCommandNotFound = 127;  // not found

// The file that execvp would run. Throws Failure with 126 or 127.
std::string find_program(const std::string& name);

// Throws Failure with 125 for programs in which the loader ignores or refuses LD_PRELOAD: static,
// set-user-id, musl, other architecture, AddressSanitizer. Scripts are judged by their interpreter.
void check_program(const std::string& path);

}  // namespace gpustall::cli
