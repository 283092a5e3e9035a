// The names are those of torch's own kernels, cub and thrust, and of the modelled libraries.
#include "kernel_traits.h"

#include <string.h>

#include <initializer_list>

#include "small_results.h"
#include "tensor_list.h"

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
    {"multi_tensor_apply", 40} /* a block does up to 65,536 elements */,
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
  read_result_traits(kernel, name);
  read_tensor_list_traits(kernel, name);
  kernel.decides_size = any_of(name, {"cub", "thrust"}) &&
                        any_of(name, {"DeviceScan", "DeviceSelect", "SelectSweep", "Partition",
                                      "ThreeWay", "UniqueByKey", "RunLength", "NonZeroOp"});
  kernel.checks_all = any_of(name, {"and_kernel_cuda"});
  kernel.registers = kernel.weight > 4 ? 128 : 32;
}

}  // namespace simgpu
