// The argument layouts are those of torch's templates:
//   vectorized_/unrolled_elementwise_kernel(int n, functor, std::array<char*, k> data, ...) data[0]
//   is the output reduce_kernel(ReduceOp)                             ... const void* src; const
//   char* dst[2]; ... inside the struct nll_loss_forward_reduce_cuda_kernel_*(T* output, ...)
#include "small_results.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "kernel_table.h"
#include "memory_map.h"

namespace simgpu {
namespace {

constexpr size_t kMostFilled =
    16384;  // elements; flags and counters are small, tensors are not worth the host time
// A type is guessed from a name: never more than one granule (512 bytes) of torch's allocator,
// whatever the guess.
constexpr size_t kMostZeroed = 64;
constexpr size_t kReduceOpBytes =
    1200;  // no ReduceOp is larger; it lies on the launching thread's stack

struct Type {
  uint8_t bytes;  // 0: none that torch computes with
  size_t length;  // of the mangled name
};

Type type_at(const char* mangled) {
  constexpr struct {
    const char* name;
    uint8_t bytes;
  } kClasses[] = {{"N3c104HalfE", 2},
                  {"N3c108BFloat16E", 2},
                  {"N3c107complexIfEE", 8},
                  {"N3c107complexIdEE", 16}};
  for (const auto& known : kClasses)
    if (strncmp(mangled, known.name, strlen(known.name)) == 0)
      return {known.bytes, strlen(known.name)};
  if (*mangled && strchr("dlxmy", *mangled)) return {8, 1};
  if (*mangled && strchr("fij", *mangled)) return {4, 1};
  if (*mangled && strchr("st", *mangled)) return {2, 1};
  if (*mangled && strchr("ahbc", *mangled)) return {1, 1};
  return {0, 0};
}

const char* after(const char* name, const char* part) {
  const char* found = strstr(name, part);
  return found ? found + strlen(part) : nullptr;
}

// The type that the functor returns: the third of Binary/AUnary/BUnaryFunctor<a, b, result, f>,
// else the first.
uint8_t functor_result_bytes(const char* name) {
  if (strstr(name, "compare_scalar_kernel")) return 1;
  if (strstr(name, "float16_copy_kernel_cuda")) return 2;  // and bfloat16: the lambda takes a float
  if (strstr(name, "float8")) return 1;
  const char* list = nullptr;
  for (const char* functor : {"BinaryFunctorI", "UnaryFunctorI"}) {
    if (!(list = after(name, functor))) continue;
    for (int skipped = 0; skipped < 2 && *list; ++skipped) {
      // "S4_" repeats an earlier type: the list is uniform then.
      const Type type = type_at(list);
      if (type.length == 0) return 0;
      if (list[type.length] == 'S' && isdigit(list[type.length + 1])) return type.bytes;
      list += type.length;
    }
    return type_at(list).bytes;
  }
  if (const char* lambda = after(name, "EUl")) return type_at(lambda).bytes;
  for (const char* functor : {"CUDAFunctor_addI", "CUDAFunctorOnSelf_addI", "FunctorI"})
    if ((list = after(name, functor))) return type_at(list).bytes;
  return 0;
}

// ReduceOp<scalar, ops, unsigned, result, ...>: "...Ej<result>Li4E..."
uint8_t reduction_result_bytes(const char* name) {
  for (const char* at = strstr(name, "Ej"); at; at = strstr(at + 2, "Ej")) {
    const Type type = type_at(at + 2);
    if (type.length && strncmp(at + 2 + type.length, "Li", 2) == 0) return type.bytes;
  }
  return 0;
}

int64_t word_at(const void* memory, size_t index) {
  int64_t word;
  memcpy(&word, static_cast<const char*>(memory) + index * sizeof word, sizeof word);
  return word;
}

bool is_device_address(int64_t word) {
  return on_device(find_memory(reinterpret_cast<const void*>(word)).kind);
}

// Never past the end of the allocation.
Effect bounded_fill(int64_t address, const void* value, uint8_t element_bytes, size_t count) {
  void* to = reinterpret_cast<void*>(address);
  const MemoryRange range = find_memory(to);
  if (!on_device(range.kind)) return {};
  const size_t room = range.base + range.bytes - static_cast<uintptr_t>(address);
  return fill_effect(to, value, element_bytes, std::min(count, room / element_bytes));
}

Effect zeros(int64_t address, uint8_t element_bytes, size_t count) {
  static constexpr unsigned char kZero[16] = {};
  return bounded_fill(address, kZero, element_bytes, count);
}

Effect elementwise_result(const Kernel& kernel, void** args) {
  int count = 0;
  memcpy(&count, args[0], sizeof count);
  const bool fill = kernel.result == ResultShape::Fill;
  if (count <= 0 || static_cast<size_t>(count) > (fill ? kMostFilled : kMostZeroed)) return {};
  const int64_t output = word_at(args[2], 0);
  if (fill) return bounded_fill(output, args[1], kernel.result_bytes, static_cast<size_t>(count));
  // In place: the old value is a better guess than zero (a scale, a step count).
  for (size_t i = 1; i < kernel.result_pointers; ++i)
    if (word_at(args[2], i) == output) return {};
  return zeros(output, kernel.result_bytes, static_cast<size_t>(count));
}

Effect reduction_result(const Kernel& kernel, void** args) {
  for (size_t i = 0; i + 1 < kReduceOpBytes / 8; ++i)
    if (is_device_address(word_at(args[0], i)) && is_device_address(word_at(args[0], i + 1)))
      return zeros(word_at(args[0], i + 1), kernel.result_bytes, 1);
  return {};
}

}  // namespace

void read_result_traits(Kernel& kernel, const char* name) {
  if (strstr(name, "vectorized_elementwise_kernelI") ||
      strstr(name, "unrolled_elementwise_kernelI")) {
    const char* value = after(name, "11FillFunctorI");
    const char* count = after(name, "St5arrayIPcLm");
    kernel.result = value ? ResultShape::Fill : ResultShape::Elementwise;
    kernel.result_bytes = value ? type_at(value).bytes : functor_result_bytes(name);
    kernel.result_pointers = count ? static_cast<uint8_t>(atoi(count)) : 1;
    if (strstr(name, "StoreWithCast"))
      kernel.result_bytes = 0;  // the type is known at run time only
  } else if (strstr(name, "13reduce_kernelI")) {
    kernel.result = ResultShape::Reduction;
    kernel.result_bytes = reduction_result_bytes(name);
  } else if (strstr(name, "nll_loss_forward_reduce_cuda_kernel")) {
    const char* list = after(name, "kernel_2dI");
    if (!list) list = after(name, "kernel_1dI");
    kernel.result = ResultShape::FirstPointer;
    kernel.result_bytes = list ? type_at(list).bytes : 0;
  }
  if (kernel.result_bytes == 0) kernel.result = ResultShape::Unknown;
}

Effect result_of(const Kernel& kernel, void** args) {
  if (!args) return {};
  switch (kernel.result) {
    case ResultShape::Fill:
    case ResultShape::Elementwise:
      return elementwise_result(kernel, args);
    case ResultShape::Reduction:
      return reduction_result(kernel, args);
    case ResultShape::FirstPointer:
      return zeros(word_at(args[0], 0), kernel.result_bytes, 1);
    case ResultShape::Unknown:
      break;
  }
  return {};
}

}  // namespace simgpu
