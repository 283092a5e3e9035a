// Rough A100 figures: 108 multiprocessors of 2,048 threads; the absolute values matter less than
// that they are stable, grow with the work, and stay in the range of real kernels (2 us and up).
#include "duration_model.h"

#include <algorithm>
#include <cmath>

#include "kernel_table.h"
#include "settings.h"
#include "tensor_list.h"

namespace simgpu {
namespace {

constexpr double kResidentThreads = 108.0 * 2048;
constexpr double kKernelFloorNs = 1700;
// One full machine of elementwise threads, each reading and writing four elements: 7 MB at 1.5
// TB/s.
constexpr double kWaveNs = 4500;
// A block's 512 threads read four elements each at a time.
constexpr double kElementsPerTurn = 2048, kTurnNs = 500;
constexpr double kTileOutputs = 128.0 * 64;  // of a GEMM tile
constexpr double kProcessors = 108;
constexpr double kSplits = 8;  // small GEMMs are split along k to fill more of the machine

int64_t scaled(double ns) {
  const Settings& set = settings();
  return static_cast<int64_t>(set.kernel_ns > 0 ? set.kernel_ns : ns * set.kernel_scale);
}

// Multiply-adds per nanosecond on the whole machine, at a realistic efficiency.
double contraction_rate(Precision precision) {
  switch (precision) {
    case Precision::Double:
      return 4000;
    case Precision::Single:
      return 7000;
    case Precision::Tensor32:
      return 40000;
    case Precision::Half:
      return 90000;
  }
  return 7000;
}

double bytes_at(size_t bytes, double gbps) {
  return static_cast<double>(bytes) / gbps;
}

}  // namespace

int64_t kernel_duration(const Kernel& kernel, const Shape& shape, void** args) {
  if (const ListWork list = tensor_list_work(kernel, shape, args); list.tensors_at_once > 0) {
    const double moving = bytes_at(
        static_cast<size_t>(list.elements) * 4 * (list.tensors_at_once + 1), settings().d2d_gbps);
    const double longest = list.longest_block / kElementsPerTurn * kTurnNs;
    return scaled(kKernelFloorNs + kTurnNs + std::max(moving, longest));
  }
  const double blocks = double(shape.grid[0]) * shape.grid[1] * shape.grid[2];
  const double threads = blocks * shape.block[0] * shape.block[1] * shape.block[2];
  const double waves = threads / kResidentThreads;
  // A heavy kernel has a long critical path even on a small grid.
  const double weight = double(kernel.weight);
  return scaled(kKernelFloorNs + std::min(weight, 10.0) * 300 + weight * kWaveNs * waves);
}

int64_t contraction_duration(double multiply_adds, double outputs, Precision precision) {
  const double tiles = std::max(1.0, outputs / kTileOutputs);
  const double blocks = tiles < kProcessors ? std::min(tiles * kSplits, kProcessors) : tiles;
  // A grid that does not fill the machine runs at the rate of the processors that it fills.
  const double waves = std::ceil(blocks / kProcessors);
  const double used = std::min(1.0, blocks / (waves * kProcessors));
  const double rate = contraction_rate(precision) * used;
  return scaled(kKernelFloorNs + 1200 + multiply_adds / rate);
}

int64_t streaming_duration(double bytes) {
  return scaled(kKernelFloorNs + bytes / settings().d2d_gbps);
}

int64_t copy_duration(size_t bytes, MemoryKind from, MemoryKind to, bool other_device) {
  const Settings& set = settings();
  constexpr double kCopyFloorNs = 1300;
  double gbps = set.d2d_gbps;
  if (other_device)
    gbps = set.p2p_gbps;
  else if (!on_device(from) && on_device(to))
    gbps = from == MemoryKind::Pageable ? std::min(set.pageable_gbps, set.h2d_gbps) : set.h2d_gbps;
  else if (on_device(from) && !on_device(to))
    gbps = to == MemoryKind::Pageable ? std::min(set.pageable_gbps, set.d2h_gbps) : set.d2h_gbps;
  return static_cast<int64_t>(kCopyFloorNs + bytes_at(bytes, gbps));
}

int64_t memset_duration(size_t bytes) {
  constexpr double kMemsetFloorNs = 1100;
  return static_cast<int64_t>(kMemsetFloorNs + bytes_at(bytes, settings().d2d_gbps));
}

}  // namespace simgpu
