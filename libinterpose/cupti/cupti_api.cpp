// Finding libcupti and its entries. Nothing here calls a CUPTI function but cuptiGetVersion;
// nothing writes LD_LIBRARY_PATH or loads a libcupti while the program may still bring its own.
#include "libinterpose/cupti/cupti_api.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace gpustall::interpose::cupti {
namespace {

// Before 12.0 the SONAME carried the minor version.
constexpr const char* kSonames[] = {"libcupti.so.13",   "libcupti.so.14",   "libcupti.so.12",
                                    "libcupti.so.11.8", "libcupti.so.11.7", "libcupti.so.11.6"};

struct MappedPath {
  const char* prefix;
  char path[4096];
};

// Wheels of older torch carry hashed file names, which no SONAME finds. Runs under the loader's
// lock: only copies the path.
int take_path(dl_phdr_info* info, size_t, void* data) noexcept {
  auto* wanted = static_cast<MappedPath*>(data);
  if (info->dlpi_name == nullptr) return 0;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* file = slash != nullptr ? slash + 1 : info->dlpi_name;
  if (strncmp(file, wanted->prefix, strlen(wanted->prefix)) != 0) return 0;
  if (strlen(info->dlpi_name) >= sizeof wanted->path) return 0;
  strcpy(wanted->path, info->dlpi_name);
  return 1;
}

// The libcupti that belongs to a libcudart: same folder (wheels of CUDA 13, toolkits, conda), the
// toolkit's extras, or the neighbouring wheel (CUDA 12).
void* open_beside(const char* cudart) noexcept {
  const char* slash = strrchr(cudart, '/');
  const char* suffix = strstr(cudart, ".so.");
  if (slash == nullptr || suffix == nullptr) return nullptr;
  const int folder = static_cast<int>(slash - cudart);
  const int major = atoi(suffix + 4);
  char name[32];
  snprintf(name, sizeof name, major == 11 ? "libcupti.so.11.8" : "libcupti.so.%d", major);
  constexpr const char* kPlaces[] = {"", "/../extras/CUPTI/lib64", "/../../cuda_cupti/lib"};
  for (const char* place : kPlaces) {
    char path[4224];
    snprintf(path, sizeof path, "%.*s%s/%s", folder, cudart, place, name);
    if (void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

void* find_mapped(const char* prefix) noexcept {
  MappedPath found{prefix, {}};
  if (dl_iterate_phdr(take_path, &found) == 0) return nullptr;
  return dlopen(found.path, RTLD_LAZY | RTLD_NOLOAD);
}

void* find_cupti(bool load) noexcept {
  for (const char* soname : kSonames)
    if (void* library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD)) return library;
  if (void* library = find_mapped("libcupti")) return library;
  MappedPath cudart{"libcudart", {}};
  if (!load || dl_iterate_phdr(take_path, &cudart) == 0) return nullptr;
  return open_beside(cudart.path);
}

bool fill_api(CuptiApi& api, void* library, const char** missing) noexcept {
  api.library = library;
  *missing = nullptr;
  // The handle's own symbols: RTLD_DEFAULT would answer with our hooks of the same names.
#define GPUSTALL_CUPTI(name, required)                                            \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "cupti" #name)); \
  if (required && api.name == nullptr && *missing == nullptr) *missing = "cupti" #name;
#include "libinterpose/cupti/cupti_functions.def"
#undef GPUSTALL_CUPTI
  api.Subscribe_v2 =
      reinterpret_cast<decltype(api.Subscribe_v2)>(dlsym(library, "cuptiSubscribe_v2"));
  if (api.GetVersion != nullptr) api.GetVersion(&api.version);
  return *missing == nullptr;
}

}  // namespace gpustall::interpose::cupti
