#include "collector/import/kineto_words.h"

#include <string>
#include <unordered_map>

namespace gpustall::collect {
namespace {

using trace::Call;

struct Category {
  std::string_view name;
  KinetoRow row;
};
constexpr Category kCategories[] = {
    {"cpu_op", KinetoRow::Operator},
    {"Operator", KinetoRow::Operator},
    {"kernel", KinetoRow::Kernel},
    {"Kernel", KinetoRow::Kernel},
    {"cuda_runtime", KinetoRow::Call},
    {"Runtime", KinetoRow::Call},
    {"cuda_driver", KinetoRow::Call},
    {"hip_runtime", KinetoRow::Call},
    {"hip_driver", KinetoRow::Call},
    {"python_function", KinetoRow::Python},
    {"gpu_memcpy", KinetoRow::Memcpy},
    {"Memcpy", KinetoRow::Memcpy},
    {"gpu_memset", KinetoRow::Memset},
    {"Memset", KinetoRow::Memset},
    {"user_annotation", KinetoRow::Annotation},
    {"overhead", KinetoRow::Overhead},
    {"cuda_sync", KinetoRow::Sync},
    {"gpustall_cause", KinetoRow::Own},
    {"gpustall_exposed", KinetoRow::Own},
    {"gpustall_step", KinetoRow::Own},
};

struct Pattern {
  std::string_view name;  // ends in '*': a prefix
  Call call;
};
// Behind those of calls.def, which are found by their exact name; the first that matches holds.
// HIP's names are looked up as CUDA's where they only differ in the prefix.
constexpr Pattern kPatterns[] = {
    {"hipExtModuleLaunchKernel", Call::DriverLaunchKernel},
    {"hipHccModuleLaunchKernel", Call::DriverLaunchKernel},
    {"hipModuleLaunchKernel", Call::DriverLaunchKernel},
    {"hipModuleLaunchCooperativeKernel", Call::LaunchCooperative},
    {"hipExtLaunch*", Call::LaunchKernel},
    {"hipMemcpyWithStream", Call::Memcpy},
    {"hipMemcpyHtoDAsync", Call::MemcpyAsync},
    {"hipMemcpyDtoHAsync", Call::MemcpyAsync},
    {"hipMemcpyDtoDAsync", Call::MemcpyAsync},
    {"hipMemcpyHtoD", Call::Memcpy},
    {"hipMemcpyDtoH", Call::Memcpy},
    {"hipMemcpyDtoD", Call::Memcpy},
    {"hipHostMalloc", Call::HostAlloc},
    {"hipHostFree", Call::HostFree},
    {"hipModuleLoad*", Call::ModuleLoad},
    {"cudaLaunchKernelEx*", Call::LaunchKernelEx},
    {"cudaLaunchKernel*", Call::LaunchKernel},
    {"cudaLaunchCooperativeKernel*", Call::LaunchCooperative},
    {"cuLaunchCooperativeKernel*", Call::LaunchCooperative},
    {"cuLaunchKernelEx*", Call::DriverLaunchKernelEx},
    {"cuLaunchKernel*", Call::DriverLaunchKernel},
    {"cuGraphLaunch*", Call::GraphLaunch},
    {"cuLaunchHostFunc*", Call::LaunchHostFunc},
    {"cuMemcpyHtoDAsync*", Call::MemcpyAsync},
    {"cuMemcpyDtoHAsync*", Call::MemcpyAsync},
    {"cuMemcpyDtoDAsync*", Call::MemcpyAsync},
    {"cuMemcpyAsync*", Call::MemcpyAsync},
    {"cuMemcpy2DAsync*", Call::Memcpy2DAsync},
    {"cuMemcpyPeerAsync*", Call::MemcpyPeerAsync},
    {"cuMemcpyHtoD*", Call::Memcpy},
    {"cuMemcpyDtoH*", Call::Memcpy},
    {"cuMemcpyDtoD*", Call::Memcpy},
    {"cuMemcpy", Call::Memcpy},
    {"cuMemcpy*", Call::MemcpyOther},
    {"cudaMemcpy*", Call::MemcpyOther},
    {"cuMemset*", Call::MemsetAsync},
    {"cudaMemset*", Call::MemsetAsync},
    {"cuCtxSynchronize", Call::DeviceSynchronize},
    {"cuStreamSynchronize", Call::StreamSynchronize},
    {"cuEventSynchronize", Call::EventSynchronize},
    {"cudaEventRecord*", Call::EventRecord},
    {"cuEventRecord*", Call::EventRecord},
    {"cuStreamWaitEvent", Call::StreamWaitEvent},
    {"cuEventQuery", Call::EventQuery},
    {"cuStreamQuery", Call::StreamQuery},
    {"cudaMallocAsync*", Call::MallocAsync},
    {"cudaMallocFromPoolAsync*", Call::MallocAsync},
    {"cudaMallocHost", Call::HostAlloc},
    {"cuMemAllocHost*", Call::HostAlloc},
    {"cuMemHostAlloc*", Call::HostAlloc},
    {"cuMemHostRegister*", Call::HostRegister},
    {"cuMemHostUnregister*", Call::HostUnregister},
    {"cuMemFreeHost*", Call::HostFree},
    {"cuMemAllocAsync*", Call::MallocAsync},
    {"cuMemFreeAsync*", Call::FreeAsync},
    {"cudaMalloc*", Call::Malloc},
    {"cuMemAlloc*", Call::Malloc},
    {"cuMemFree*", Call::Free},
    {"cuModuleLoad*", Call::ModuleLoad},
    {"cuModuleGetFunction*", Call::ModuleLoad},
    {"cuLibraryLoad*", Call::LibraryLoad},
    {"cudaGraphInstantiate*", Call::GraphInstantiate},
    {"cuGraphInstantiate*", Call::GraphInstantiate},
    {"cudaStreamBeginCapture*", Call::StreamBeginCapture},
    {"cuStreamBeginCapture*", Call::StreamBeginCapture},
    {"cuStreamEndCapture*", Call::StreamEndCapture},
    {"cudaStreamCreate*", Call::StreamCreate},
    {"cuStreamCreate*", Call::StreamCreate},
};

std::unordered_map<std::string_view, Call> exact_names() {
  std::unordered_map<std::string_view, Call> names;
#define GPUSTALL_CALL(id, enumerator, text, cls) names.emplace(text, Call::enumerator);
#include "libinterpose/trace/calls.def"
#undef GPUSTALL_CALL
  return names;
}

// "_v7000", "_ptsz", "_ptds": the same call for another header.
std::string_view without_version(std::string_view name) {
  const size_t version = name.rfind("_v");
  if (version != std::string_view::npos && version + 2 < name.size() &&
      name.find_first_not_of("0123456789", version + 2) == std::string_view::npos)
    name = name.substr(0, version);
  for (std::string_view suffix : {"_ptsz", "_ptds", "_spt"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

Call by_tables(std::string_view name) {
  static const auto kExact = exact_names();
  if (const auto found = kExact.find(name); found != kExact.end()) return found->second;
  for (const Pattern& pattern : kPatterns)
    if (matches(pattern.name, name)) return pattern.call;
  return Call::CallOther;
}

uint8_t memory_kind(std::string_view word) {
  if (word == "Pageable") return kPageable;
  if (word == "Pinned") return kPinned;
  if (word == "Device" || word == "Array") return kDeviceMemory;
  if (word == "Managed") return kManaged;
  return kMemoryUnknown;  // ROCm says "Host", which is either
}

}  // namespace

KinetoRow row_of(std::string_view category, std::string_view name) {
  for (const Category& known : kCategories) {
    if (known.name != category) continue;
    // The first dialect had one category for operators and annotations.
    const bool annotates = name.starts_with("ProfilerStep#") || name.starts_with("enumerate(") ||
                           name.starts_with("Optimizer.");
    return known.row == KinetoRow::Operator && annotates ? KinetoRow::Annotation : known.row;
  }
  return KinetoRow::Ignored;
}

Call call_of(std::string_view name) {
  name = without_version(name);
  const Call call = by_tables(name);
  if (call != Call::CallOther || !name.starts_with("hip")) return call;
  return by_tables("cuda" + std::string(name.substr(3)));
}

CopyKinds copy_kinds(std::string_view name) {
  CopyKinds kinds;
  constexpr std::string_view kStart = "Memcpy ";
  const std::string_view way = name.starts_with(kStart) ? name.substr(kStart.size(), 4) : name;
  if (way == "HtoD" || way == "HtoA") kinds.copy = kHostToDevice;
  if (way == "DtoH" || way == "AtoH") kinds.copy = kDeviceToHost;
  if (way == "DtoD" || way == "DtoA" || way == "AtoD") kinds.copy = kDeviceToDevice;
  if (way == "PtoP") kinds.copy = kPeerToPeer;
  const size_t open = name.find('('), arrow = name.find(" -> "), close = name.rfind(')');
  if (open == std::string_view::npos || arrow == std::string_view::npos ||
      close == std::string_view::npos || arrow < open || close < arrow + 4)
    return kinds;
  kinds.from = memory_kind(name.substr(open + 1, arrow - open - 1));
  kinds.to = memory_kind(name.substr(arrow + 4, close - arrow - 4));
  return kinds;
}

OverheadKind overhead_kind(std::string_view name) {
  struct Named {
    std::string_view part;
    OverheadKind kind;
  };
  constexpr Named kNamed[] = {
      {"Command Buffer Full", OverheadKind::CommandBufferFull},
      {"Lazy Function Loading", OverheadKind::LazyFunctionLoad},
      {"Module Loading", OverheadKind::ModuleLoad},
      {"Driver Compiler", OverheadKind::DriverCompiler},
      {"Buffer Flush", OverheadKind::BufferFlush},
      {"Buffer Request", OverheadKind::BufferRequest},
      {"Instrumentation", OverheadKind::Instrumentation},
      {"Resource", OverheadKind::Resource},
  };
  for (const Named& known : kNamed)
    if (name.find(known.part) != std::string_view::npos) return known.kind;
  return OverheadKind::Unknown;
}

}  // namespace gpustall::collect
