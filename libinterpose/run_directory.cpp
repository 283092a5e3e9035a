#include "libinterpose/run_directory.h"

#include <dlfcn.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "libinterpose/settings.h"
#include "libinterpose/sys.h"
#include "libinterpose/trace/format.h"

namespace gpustall::interpose {

namespace {

char g_own_path[PATH_MAX];
// Put into the environment once and changed in place: setenv would move the environment under the
// feet of other threads' getenv.
constexpr char kRecorder[] = "GPUSTALL_RECORDER=";
constexpr size_t kNameBytes = 48;  // of a trace file, without its directory
char g_recorder[sizeof kRecorder + kNameBytes] = "GPUSTALL_RECORDER=";
char g_parent_file[kNameBytes];  // of the Python process that started this one; empty: none
int g_argc = 0;
char** g_argv = nullptr;

bool ends_with(const char* text, const char* tail) noexcept {
  const size_t n = std::strlen(text), m = std::strlen(tail);
  return n >= m && std::strcmp(text + n - m, tail) == 0;
}

const char* base_name(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// gpustall-<script>-<local time>, with nothing in the script's name that a shell would mind.
void make_name(char* to, size_t capacity, const char* script) noexcept {
  char clean[64];
  size_t n = 0;
  for (; *script != '\0' && n + 1 < sizeof clean; ++script) {
    const char c = *script;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
    clean[n++] = plain ? c : '_';
  }
  clean[n] = '\0';
  if (n > 3 && ends_with(clean, ".py")) clean[n - 3] = '\0';
  const time_t now = ::time(nullptr);
  tm local{};
  ::localtime_r(&now, &local);
  std::snprintf(to, capacity, "gpustall-%s-%04d%02d%02d-%02d%02d%02d", clean, local.tm_year + 1900,
                local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace

void note_command(int argc, char** argv) noexcept {
  g_argc = argc;
  g_argv = argv;
}

const char* script_name() noexcept {
  const char* module = nullptr;
  for (int i = 1; i < g_argc && g_argv[i] != nullptr; ++i) {
    if (std::strcmp(g_argv[i], "-c") == 0) break;
    if (ends_with(g_argv[i], ".py")) return base_name(g_argv[i]);
    if (module == nullptr && std::strcmp(g_argv[i], "-m") == 0 && i + 1 < g_argc)
      module = g_argv[i + 1];
  }
  if (module != nullptr) return module;
  return g_argc > 0 && g_argv[0] != nullptr ? base_name(g_argv[0]) : "program";
}

bool is_python_process() noexcept {
  return ::dlsym(RTLD_DEFAULT, "Py_GetVersion") != nullptr;
}

void name_the_run() noexcept {
  Settings& s = g_settings;
  name_recorder(sys::pid(), 0);
  ::putenv(g_recorder);
  if (s.run_id[0] == 0 && s.run_id[1] == 0) {
    if (::getrandom(s.run_id, sizeof s.run_id, GRND_NONBLOCK) != sizeof s.run_id) {
      s.run_id[0] = static_cast<uint64_t>(::time(nullptr));
      s.run_id[1] = static_cast<uint64_t>(::getpid());
    }
    char id[40];
    std::snprintf(id, sizeof id, "%016llx%016llx", static_cast<unsigned long long>(s.run_id[0]),
                  static_cast<unsigned long long>(s.run_id[1]));
    ::setenv("GPUSTALL_RUN_ID", id, 0);
  }
  if (s.out_dir[0] == '/') return;
  char cwd[2048], given[512];
  if (::getcwd(cwd, sizeof cwd) == nullptr) return;
  if (s.out_dir[0] != '\0' && std::strlen(s.out_dir) < sizeof given)
    std::strcpy(given, s.out_dir);  // relative: to the directory of the program's start
  else
    make_name(given, sizeof given, script_name());
  std::snprintf(s.out_dir, sizeof s.out_dir, "%s/%s", cwd[1] == '\0' ? "" : cwd, given);
  ::setenv("GPUSTALL_OUT", s.out_dir, 1);
}

void name_recorder(uint32_t pid, uint32_t epoch) noexcept {
  char name[kNameBytes];
  file_name(name, sizeof name, pid, epoch, 0);
  std::memcpy(g_recorder + sizeof kRecorder - 1, name, sizeof name);
}

bool find_parent() noexcept {
  const char* name = ::getenv("GPUSTALL_RECORDER");
  if (name == nullptr || std::strlen(name) >= kNameBytes) return false;
  unsigned pid = 0;
  int rank = 0;
  if (std::sscanf(name, "r%d-%u", &rank, &pid) != 2 && std::sscanf(name, "p%u", &pid) != 1)
    return false;
  if (pid != static_cast<unsigned>(::getppid())) return false;
  std::strcpy(g_parent_file, name);
  return true;
}

bool parent_records() noexcept {
  char path[sizeof g_settings.out_dir + kNameBytes + 1];
  std::snprintf(path, sizeof path, "%s/%s", g_settings.out_dir, g_parent_file);
  // Asked again and again by threads of the program: nothing is opened that is not there.
  struct stat there;
  if (::lstat(path, &there) != 0) return false;
  const int fd = sys::open(path, O_RDONLY | O_NOFOLLOW);
  if (fd < 0) return false;
  // Not a file of an earlier run in the same folder, by a process of the same number.
  trace::FileHeader header;
  const bool whole = sys::read(fd, &header, sizeof header) == sizeof header;
  sys::close(fd);
  return whole && std::memcmp(header.magic, trace::kMagic, sizeof header.magic) == 0 &&
         header.run_id[0] == g_settings.run_id[0] && header.run_id[1] == g_settings.run_id[1];
}

int make_run_directory() noexcept {
  if (g_settings.out_dir[0] != '/') return ENOENT;
  char path[sizeof g_settings.out_dir];
  std::strcpy(path, g_settings.out_dir);
  if (::mkdir(path, 0700) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT) return errno;
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr;
       slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    ::mkdir(path, 0700);
    *slash = '/';
  }
  return ::mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

void file_path(char* to, size_t capacity, uint32_t pid, uint32_t epoch, unsigned n) noexcept {
  const int folder = std::snprintf(to, capacity, "%s/", g_settings.out_dir);
  if (folder > 0 && static_cast<size_t>(folder) < capacity)
    file_name(to + folder, capacity - static_cast<size_t>(folder), pid, epoch, n);
}

void file_name(char* to, size_t capacity, uint32_t pid, uint32_t epoch, unsigned n) noexcept {
  char rank[16] = "p", fork[16] = "", again[16] = "";
  if (g_settings.rank >= 0) std::snprintf(rank, sizeof rank, "r%d-", g_settings.rank);
  if (epoch != 0) std::snprintf(fork, sizeof fork, "-e%u", epoch);
  if (n != 0) std::snprintf(again, sizeof again, "-%u", n);
  std::snprintf(to, capacity, "%s%u%s%s.gst", rank, pid, fork, again);
}

const char* own_path() noexcept {
  if (g_own_path[0] != '\0') return g_own_path;
  Dl_info info;
  if (::dladdr(reinterpret_cast<void*>(&own_path), &info) == 0 || info.dli_fname == nullptr)
    return g_own_path;
  char resolved[PATH_MAX];
  if (::realpath(info.dli_fname, resolved) != nullptr) std::strcpy(g_own_path, resolved);
  return g_own_path;
}

}  // namespace gpustall::interpose
