// Loads one of the built libcupti.so.N as a tool does, and checks version, exports and the records'
// stride.
//   library_check LIBRARY API_VERSION ABSENT_NAME PRESENT_NAME
// The program exports the seam that the library expects from the simulated device.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "fake_core.h"

namespace {

int fail(const char* what) {
  std::fprintf(stderr, "library_check: %s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return fail("usage: library_check LIBRARY API_VERSION ABSENT PRESENT");
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(dlerror());
  const auto get_version = reinterpret_cast<int (*)(unsigned*)>(dlsym(library, "cuptiGetVersion"));
  unsigned version = 0;
  if (get_version == nullptr || get_version(&version) != 0)
    return fail("cuptiGetVersion does not answer");
  if (version != std::strtoul(argv[2], nullptr, 10)) return fail("another version than expected");
  if (dlsym(library, argv[3]) != nullptr) return fail("a name is there that should be absent");
  if (dlsym(library, argv[4]) == nullptr) return fail("a name is absent that should be there");
  simgpu::announce(simgpu::test::kernel(0, 1));  // the library has set its hooks
  return 0;
}
