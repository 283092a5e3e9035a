// Names and creates the folder of a run. Deletes nothing but recordings, and only when told to.
#include "viewer-cli/launch/output_dir.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "libinterpose/trace/format.h"
#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLeastFreeBytes = 16 << 20;  // less is full in the first second
constexpr int kMostAttempts = 100;              // runs that start in the same second

std::string safe_name(std::string_view name) {
  std::string safe;
  for (const char byte : name.substr(0, 60)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '.' ||
                       byte == '_' || byte == '-';
    safe += plain ? byte : '_';
  }
  return safe.empty() || safe[0] == '.' ? "_" + safe : safe;
}

std::string stem(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.size() > 3 && name.substr(name.size() - 3) == ".py" ? name.substr(0, name.size() - 3)
                                                                  : name;
}

bool is_python(const std::string& word) {
  return word.substr(word.rfind('/') + 1).rfind("python", 0) == 0;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  fail("cannot write to " + path + ": " + std::strerror(error) +
       "; choose another folder with -o DIR");
}

// The process that still writes this file; 0: none. A number alone may be another process's by now,
// so the process must have the file mapped; where that cannot be seen, the number decides.
uint32_t writer_of(const fs::path& file) {
  trace::FileHeader header{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
  const bool ours = std::memcmp(header.magic, trace::kMagic, sizeof header.magic) == 0;
  if (!ours || header.pid == 0 || (header.flags & trace::kCleanEnd) != 0) return 0;
  const std::string process = "/proc/" + std::to_string(header.pid);
  if (access(process.c_str(), F_OK) != 0) return 0;
  std::ifstream maps(process + "/maps");
  if (!maps.is_open()) return access(process.c_str(), F_OK) == 0 ? header.pid : 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("/" + file.filename().string()) != std::string::npos) return header.pid;
  return 0;
}

// A recording that may be replaced: nothing but trace files in it, and nobody writes them any more.
void remove_recording(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() != ".gst" || !entry.is_regular_file(error)) {
      fail(path + " holds more than a recording (" + entry.path().filename().string() +
           "); remove it yourself, or choose another folder with -o DIR");
    }
    if (const uint32_t pid = writer_of(entry.path()); pid != 0) {
      fail("process " + std::to_string(pid) + " still records to " + path +
           "; wait for its end, or choose another folder with -o DIR");
    }
  }
  if (error) fail("cannot read " + path + ": " + error.message() + "; choose another with -o DIR");
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    fs::remove(entry.path(), error);
  }
}

// True if created; false if it is there already.
bool make_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno == ENOENT) {
    fail("the folder above " + path + " does not exist; create it, or choose another with -o DIR");
  }
  cannot_write(path, errno);
}

// A folder may be there and still refuse a file: read-only, over quota, or full.
void check_writable(const std::string& path) {
  const std::string probe = path + "/.gpustall-" + std::to_string(getpid());
  const int fd = open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  int error = fd < 0 ? errno : 0;
  if (fd >= 0 && write(fd, "x", 1) != 1) error = errno;
  if (fd >= 0) {
    close(fd);
    unlink(probe.c_str());
  }
  struct statvfs space {};
  const bool known = statvfs(path.c_str(), &space) == 0 && space.f_blocks > 0;
  if (error == 0 && known && space.f_bavail * space.f_frsize < kLeastFreeBytes) error = ENOSPC;
  if (error == 0) return;
  rmdir(path.c_str());  // only when it is empty, that is, ours
  cannot_write(path, error);
}

std::string default_path(const std::string& name, int attempt) {
  char when[32];
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(when, sizeof when, "%m%dT%H%M%S", &local);
  std::string path = "gpustall-" + safe_name(name) + "-" + when;
  if (const std::string rank = rank_of_environment(); !rank.empty()) path += "-r" + safe_name(rank);
  return attempt == 0 ? path : path + "-" + std::to_string(attempt + 1);
}

}  // namespace

std::string run_name(const std::vector<std::string>& command) {
  bool module = false;
  for (size_t i = 0; i < command.size(); ++i) {
    if (module) return command[i];
    module = command[i] == "-m" && i > 0 && is_python(command[i - 1]);
    if (command[i].size() > 3 && command[i].substr(command[i].size() - 3) == ".py") {
      return stem(command[i]);
    }
  }
  return command.empty() ? "run" : stem(command[0]);
}

std::string rank_of_environment() {
  for (const char* name :
       {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string expand_pattern(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    const char what = pattern[++i];
    const size_t end = pattern.find('}', i);
    if (what == 'q' && pattern.substr(i + 1, 1) == "{" && end != std::string_view::npos) {
      const std::string variable(pattern.substr(i + 2, end - i - 2));
      const char* value = std::getenv(variable.c_str());
      if (value == nullptr)
        fail_usage("a file name uses the variable " + variable + ", which is not set");
      out += value;
      i = end;
    } else if (what == 'r') {
      const std::string rank = rank_of_environment();
      out += rank.empty() ? "0" : rank;
    } else if (what == 'p') {
      out += std::to_string(getpid());
    } else if (what == 'h') {
      out += host_name();
    } else if (what == '%') {
      out += '%';
    } else {
      fail_usage(std::string("file names: unknown pattern %") + what +
                 "; known are %r %p %h %q{VAR} %%");
    }
  }
  return out;
}

std::string create_output(const std::string& wanted, const std::string& name, bool force) {
  std::string path = expand_pattern(wanted);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (!path.empty() && !make_directory(path)) {
    if (!force) {
      fail(path + (rank_of_environment().empty()
                       ? " exists already; choose another folder with -o, or replace a recording "
                         "with -f"
                       : " exists already; give each rank its own with -o NAME-%r, or put gpustall "
                         "run before the launcher"));
    }
    remove_recording(path);
  }
  for (int attempt = 0; path.empty() && attempt < kMostAttempts; ++attempt) {
    const std::string candidate = default_path(name, attempt);
    if (make_directory(candidate)) path = candidate;
  }
  if (path.empty()) fail("too many recordings with the same name; choose a folder with -o DIR");
  check_writable(path);
  return fs::absolute(path).lexically_normal().string();
}

std::string new_run_id() {
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
    fail("no random number for the run's id; this system has no getrandom");
  }
  std::string id;
  for (const unsigned char byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

}  // namespace gpustall::cli
