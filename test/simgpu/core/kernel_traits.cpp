// The names are those of torch's own kernels, cub and thrust, and of the modelled libraries.
#include "kernel_traits.h"

#include <string.h>

namespace simgpu {
namespace {

struct Weight {
  const char* part;
  float weight;
};

// Rough ratios of an A100, relative to an elementwise kernel over the same threads; first match
// wins.
constexpr Weight kWeights[] = {
    {"flash_bwd", 40},
    {"flash_fwd", 16},
    {"fmha", 20},
    {"RadixSort", 6},
    {"multi_tensor_apply", 6},
    {"conv", 8},
    {"softmax", 2},
    {"SoftMax", 2},
    {"reduce_kernel", 2.5F},
    {"layer_norm", 2.5F},
    {"batch_norm", 2.5F},
    {"embedding", 2},
    {"cub", 2},
    {"max_pool", 2},
    {"elementwise", 1},
};

// Bytes of the type whose mangled name starts here, 0 when it is none that torch fills with.
uint8_t element_bytes(const char* type) {
  constexpr struct {
    const char* mangled;
    uint8_t bytes;
  } kClasses[] = {{"N3c104HalfE", 2},
                  {"N3c108BFloat16E", 2},
                  {"N3c107complexIfEE", 8},
                  {"N3c107complexIdEE", 16}};
  for (const auto& known : kClasses)
    if (strncmp(type, known.mangled, strlen(known.mangled)) == 0) return known.bytes;
  switch (*type) {
    case 'd':
    case 'l':
    case 'x':
    case 'm':
      return 8;
    case 'f':
    case 'i':
    case 'j':
      return 4;
    case 's':
    case 't':
      return 2;
    case 'a':
    case 'h':
    case 'b':
    case 'c':
      return 1;
    default:
      return 0;
  }
}

// vectorized_/unrolled_elementwise_kernel(int n, FillFunctor<T> value, std::array<char*, 1> data,
// ...)
uint8_t fill_bytes(const char* name) {
  constexpr const char* kFunctor = "FillFunctorI";
  const char* functor = strstr(name, kFunctor);
  if (!functor) return 0;
  if (!strstr(name, "vectorized_elementwise_kernel") &&
      !strstr(name, "unrolled_elementwise_kernel"))
    return 0;
  return element_bytes(functor + strlen(kFunctor));
}

bool any_of(const char* name, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (strstr(name, part)) return true;
  return false;
}

}  // namespace

void read_traits(Kernel& kernel, const char* name) {
  for (const Weight& known : kWeights) {
    if (!strstr(name, known.part)) continue;
    kernel.weight = known.weight;
    break;
  }
  kernel.fill_bytes = fill_bytes(name);
  kernel.decides_size = any_of(name, {"cub", "thrust"}) &&
                        any_of(name, {"DeviceScan", "DeviceSelect", "SelectSweep", "Partition",
                                      "ThreeWay", "UniqueByKey", "RunLength", "NonZeroOp"});
  kernel.checks_all = any_of(name, {"and_kernel_cuda"});
  kernel.registers = kernel.weight > 4 ? 128 : 32;
}

}  // namespace simgpu
