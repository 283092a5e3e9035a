// Finding files; nothing is loaded into this program.
#include "viewer-cli/launch/installation.h"

#include <cstdlib>
#include <filesystem>

#include "viewer-cli/build_info.h"
#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kLibrary[] = "libgpustall.so";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string full_path(const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::weakly_canonical(path, error);
  return (error ? fs::absolute(path) : full).string();
}

std::string library_from_variable(const char* value) {
  const fs::path named = value;
  std::error_code error;
  const fs::path path = fs::is_directory(named, error) ? named / kLibrary : named;
  if (!is_file(path)) {
    fail("GPUSTALL_LIB names " + path.string() + ", which is not there; correct or unset it");
  }
  return full_path(path);
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path base = program.parent_path().parent_path();
    // lib64 and lib/<triplet>: where distributions install libraries
    for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
      folders.push_back(base / folder);
    }
  }
  folders.emplace_back(kLibraryDir);
  return folders;
}

}  // namespace

std::string find_library() {
  const char* variable = std::getenv("GPUSTALL_LIB");
  if (variable != nullptr && *variable != '\0') return library_from_variable(variable);
  std::string searched;
  for (const fs::path& folder : library_folders()) {
    for (const fs::path& path : {folder / kLibrary, folder / "gpustall" / kLibrary}) {
      if (is_file(path)) return full_path(path);
    }
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  fail("libgpustall.so was not found in " + searched +
       "; reinstall, or set GPUSTALL_LIB to its path");
}

std::vector<std::string> find_simulator(const std::string& library) {
  fs::path folder = fs::path(library).parent_path() / "gpustall" / "simgpu";
  if (!fs::is_directory(folder)) folder = fs::path(library).parent_path() / "simgpu";
  // A library comes after those that it needs: the order of test/simgpu/run.sh.
  std::vector<std::string> libraries;
  for (const char* name :
       {"libgpustall_simcore.so", "libcudart.so.13", "libcuda.so.1", "libcublasLt.so.13",
        "libcublas.so.13", "libcudnn.so.9", "libcupti.so.13"}) {
    const fs::path path = folder / name;
    if (!is_file(path)) {
      fail("the simulated device is not installed (" + path.string() +
           " is missing); reinstall gpustall with it, or run without --simulate");
    }
    libraries.push_back(path.string());
  }
  return libraries;
}

}  // namespace gpustall::cli
