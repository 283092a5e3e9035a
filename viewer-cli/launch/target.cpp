// Judges a program by its file alone; it is not started.
#include "viewer-cli/launch/target.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "viewer-cli/command.h"
#include "viewer-cli/launch/elf_facts.h"

namespace gpustall::cli {

namespace {

constexpr int kMostInterpreters = 4;  // as the kernel's own limit for scripts of scripts

[[noreturn]] void refuse(const std::string& sentence) {
  throw Failure(sentence, kCannotStart);
}

bool is_executable(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

void check_privilege(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  const bool set_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
  const bool set_group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
                         status.st_gid != getgid();
  const bool capable =
      getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if (set_user || set_group || capable) {
    refuse(path + " runs with another user's rights, where the loader ignores LD_PRELOAD; put " +
           "gpustall inside: " + path + " gpustall run -- ...");
  }
}

bool asan_order_is_checked() {
  const char* options = std::getenv("ASAN_OPTIONS");
  return options == nullptr || std::strstr(options, "verify_asan_link_order=0") == nullptr;
}

void check_elf(const std::string& path, const ElfFacts& facts) {
#if defined(__x86_64__)
  constexpr uint16_t kMachine = EM_X86_64;
#else
  constexpr uint16_t kMachine = EM_AARCH64;
#endif
  if (!facts.is_64_bit || facts.machine != kMachine) {
    refuse(path + " is built for another architecture than gpustall; use a gpustall built for it");
  }
  if (facts.interpreter.empty()) {
    refuse(path + " is statically linked, so nothing can be preloaded into it; run the program " +
           "that uses the GPU itself, or add --anyway when this one only starts it");
  }
  if (facts.interpreter.find("ld-musl") != std::string::npos) {
    refuse(path + " is linked to musl, and gpustall needs glibc; use a glibc build of it");
  }
  for (const std::string& library : facts.needed) {
    const bool asan =
        library.rfind("libasan.so", 0) == 0 || library.rfind("libclang_rt.asan", 0) == 0;
    if (asan && asan_order_is_checked()) {
      refuse(path + " is built with AddressSanitizer, which aborts when another library is " +
             "preloaded before it; build it without -fsanitize=address");
    }
  }
}

// "#!/usr/bin/env -S python3 -u": the interpreter is the program that env will start.
std::string interpreter_of(const std::string& line) {
  std::istringstream words(line.substr(2));
  std::string program, word;
  words >> program;
  const bool is_env = program.size() >= 4 && program.substr(program.size() - 4) == "/env";
  while (is_env && words >> word) {
    if (word[0] != '-' && word.find('=') == std::string::npos) return find_program(word);
  }
  return program;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty())
    throw Failure("the command is empty; name a program after --", kCommandNotFound);
  if (name.find('/') != std::string::npos) {
    if (is_executable(name)) return name;
    const bool there = access(name.c_str(), F_OK) == 0;
    if (!there && errno == EACCES)
      throw Failure("permission denied for a folder above " + name +
                        "; ask its owner, or choose another program",
                    kCannotExecute);
    throw Failure(there ? name +
                              " cannot be executed; make it executable, or start it by its "
                              "interpreter: gpustall run -- python " +
                              name
                        : name + " does not exist; check the path",
                  there ? kCannotExecute : kCommandNotFound);
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  bool forbidden = false;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable(file)) return file;
    struct stat status {};
    forbidden = forbidden || (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode));
  }
  if (forbidden) throw Failure(name + " cannot be executed; make it executable", kCannotExecute);
  throw Failure(name + " was not found in PATH; give its path", kCommandNotFound);
}

void check_program(const std::string& path) {
  std::string program = path;
  for (int depth = 0; depth < kMostInterpreters; ++depth) {
    check_privilege(program);
    if (const auto facts = read_elf(program)) return check_elf(program, *facts);
    std::string line;
    std::ifstream in(program);
    if (!std::getline(in, line) || line.rfind("#!", 0) != 0) return;  // a plain sh script
    program = interpreter_of(line);
    if (!is_executable(program)) return;  // exec will say so
  }
}

}  // namespace gpustall::cli
