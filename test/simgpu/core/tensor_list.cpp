// Sizes and layout: aten/src/ATen/native/cuda/MultiTensorApply.cuh.
#include "tensor_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

namespace simgpu {
namespace {

constexpr size_t kDepths = 5;
constexpr size_t kMostTensors[kDepths] = {110, 64, 48, 36, 30};
constexpr size_t kMostSteps[kDepths] = {96, 64, 48, 36, 30};
constexpr size_t kMostBlocks = 320;
constexpr int64_t kChunk = 65536;

}  // namespace

void read_tensor_list_traits(Kernel& kernel, const char* name) {
  if (strstr(name, "multi_tensor_apply_kernel") == nullptr) return;
  static constexpr char kPlain[] = "18TensorListMetadataILi",
                        kFused[] = "32FusedOptimizerTensorListMetadataILi";
  const char* plain = strstr(name, kPlain);
  const char* fused = strstr(name, kFused);
  if (plain == nullptr && fused == nullptr) return;
  const int depth = atoi(plain != nullptr ? plain + strlen(kPlain) : fused + strlen(kFused));
  if (depth < 1 || depth > int{kDepths}) return;
  kernel.list_depth = static_cast<uint8_t>(depth);
  kernel.list_has_steps = fused != nullptr;
}

ListWork tensor_list_work(const Kernel& kernel, const Shape& shape, void** args) {
  ListWork work;
  if (kernel.list_depth == 0 || args == nullptr || args[0] == nullptr) return work;
  const size_t depth = kernel.list_depth, tensors = kMostTensors[depth - 1];
  const auto* list = static_cast<const unsigned char*>(args[0]);
  const unsigned char* sizes = list + depth * tensors * sizeof(void*);
  const unsigned char* tensor_of = sizes + tensors * sizeof(int64_t);
  if (kernel.list_has_steps) tensor_of += kMostSteps[depth - 1] * sizeof(void*);
  const unsigned char* chunk_of = tensor_of + kMostBlocks;
  work.tensors_at_once = kernel.list_depth;
  for (size_t block = 0; block < std::min<size_t>(shape.grid[0], kMostBlocks); ++block) {
    int64_t size = 0;
    int chunk = 0;
    if (tensor_of[block] >= tensors) return {};
    memcpy(&size, sizes + tensor_of[block] * sizeof size, sizeof size);
    memcpy(&chunk, chunk_of + block * sizeof chunk, sizeof chunk);
    const auto here = double(std::clamp<int64_t>(size - chunk * kChunk, 0, kChunk));
    work.elements += here;
    work.longest_block = std::max(work.longest_block, here);
  }
  return work;
}

}  // namespace simgpu
