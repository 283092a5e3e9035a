// Where this run's files go, and their names. The first Python process of a tree names the run in
// its constructor (GPUSTALL_OUT, GPUSTALL_RUN_ID in the environment), so that all that it starts
// joins; the directory itself appears with the first file.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gpustall::interpose {

bool is_python_process() noexcept;
// In the constructor: the arguments stay where they are for the life of the process.
void note_command(int argc, char** argv) noexcept;
// What the user would call the program: the first .py file (also behind torchrun and the like), the
// module of -m, else the program's own name.
const char* script_name() noexcept;
// In the constructor of a Python process, or at the start of recording of any other.
void name_the_run() noexcept;
// GPUSTALL_RECORDER=<the file that this process has, or would have>, for what is exec'd from here
// on: a child that sees the file appear joins.
void name_recorder(uint32_t pid, uint32_t epoch) noexcept;
// In the constructor, before name_the_run: whether a Python process started this one directly.
bool find_parent() noexcept;
// Whether it records by now: one look at the file system.
bool parent_records() noexcept;
// mkdir -p of the run's directory; 0 or an errno.
int make_run_directory() noexcept;
// DIR/r<rank>-<pid>[-e<epoch>][-<n>].gst; p<pid> without a rank. n > 0 after a collision.
void file_path(char* to, size_t capacity, uint32_t pid, uint32_t epoch, unsigned n) noexcept;
void file_name(char* to, size_t capacity, uint32_t pid, uint32_t epoch, unsigned n) noexcept;
// Absolute path of this library, empty when unknown.
const char* own_path() noexcept;

}  // namespace gpustall::interpose
