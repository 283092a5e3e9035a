// Only reads /proc: the watched processes notice nothing.
#include "viewer-cli/launch/witness.h"

#include <dirent.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

namespace gpustall::cli {

namespace {

constexpr size_t kMostProcesses = 256;  // a look must stay cheap

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* folder = opendir(tasks.c_str());
  if (folder == nullptr) return children;
  while (const dirent* entry = readdir(folder)) {
    std::ifstream in(tasks + "/" + entry->d_name + "/children");
    for (pid_t child = 0; in >> child;) children.push_back(child);
  }
  closedir(folder);
  return children;
}

std::string name_of(pid_t pid) {
  std::string name;
  std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
  std::getline(in, name);
  return name;
}

struct Maps {
  bool readable = false, library = false, gpu = false;
};

Maps maps_of(pid_t pid) {
  Maps maps;
  std::ifstream in("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(in, line);) {
    maps.readable = true;
    const char* file = std::strrchr(line.c_str(), '/');
    if (file == nullptr) continue;
    maps.library = maps.library || std::strncmp(file, "/libgpustall.so", 15) == 0;
    maps.gpu = maps.gpu || std::strncmp(file, "/libcuda.so", 11) == 0 ||
               std::strncmp(file, "/libcudart", 10) == 0;
  }
  return maps;
}

}  // namespace

void Witness::look(pid_t root) {
  std::vector<pid_t> found{root};
  for (size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    for (const pid_t child : children_of(found[i])) found.push_back(child);
  }
  bool any_library = false;
  std::set<std::string> without, gpu_without;
  for (const pid_t pid : found) {
    const Maps maps = maps_of(pid);
    if (!maps.readable) continue;
    any_library = any_library || maps.library;
    gpu_library_loaded = gpu_library_loaded || maps.gpu;
    if (!maps.library) (maps.gpu ? gpu_without : without).insert(name_of(pid));
  }
  without_library.merge(gpu_without);
  if (!any_library) without_library.merge(without);
  ++looks;
}

std::string Witness::explanation() const {
  const char* off = std::getenv("GPUSTALL");
  if (off != nullptr && std::strcmp(off, "0") == 0) return "GPUSTALL=0 switches it off; unset it.";
  if (!without_library.empty()) {
    std::string names;
    for (const std::string& name : without_library) names += (names.empty() ? "" : ", ") + name;
    return "libgpustall.so was not loaded into " + names +
           ": something dropped LD_PRELOAD on the way (env -i, sudo, a container, a job launcher). "
           "Put `gpustall run --` directly before the program that uses the GPU.";
  }
  if (looks > 0 && gpu_library_loaded) {
    return "A CUDA library was loaded, but no CUDA call was seen: is torch.cuda.is_available() "
           "true, "
           "and is the model on the GPU?";
  }
  return "No CUDA call was seen: the program did not use a GPU, or ended before it did. Check with "
         "python -c 'import torch; print(torch.cuda.is_available())'.";
}

}  // namespace gpustall::cli
