// torch's foreach and fused operators: one kernel over a list of tensors, a block for each 65,536
// elements of one of them. What it costs depends on how long these are, which only its argument
// says.
#pragma once
#include "duration_model.h"
#include "kernel_table.h"

namespace simgpu {

void read_tensor_list_traits(Kernel& kernel, const char* name);

struct ListWork {
  double elements = 0;           // over all blocks
  double longest_block = 0;      // elements
  unsigned tensors_at_once = 0;  // lists that are walked side by side; 0: not such a kernel
};
ListWork tensor_list_work(const Kernel& kernel, const Shape& shape, void** args);

}  // namespace simgpu
