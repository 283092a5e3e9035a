// The table of torch's and the standard library's places that mean something. Function names may
// come qualified (CPython 3.11 and later) or bare; only the last part is compared.
#include "collector/analyze/frame_kind.h"

namespace gpustall::collect {
namespace {

// `path` below any directory: "torch/optim/" matches ".../site-packages/torch/optim/adamw.py".
bool below(std::string_view file, std::string_view path) {
  const size_t at = file.rfind(path);
  return at != std::string_view::npos && (at == 0 || file[at - 1] == '/' || file[at - 1] == '\\');
}

struct Rule {
  std::string_view path;       // part of the file's path
  std::string_view functions;  // "|a|b|": one of them; empty: any
  uint16_t flags;
  Callee callee;
};

// The first rule that matches gives the callee; the flags of all that match are joined.
constexpr Rule kRules[] = {
    {"torch/utils/data/_utils/fetch.py", "", kFetching, Callee::None},
    {"torch/utils/data/_utils/worker.py", "|_worker_loop|_base_worker_loop|", kWorkerLoop,
     Callee::None},
    {"torch/utils/data/_utils/pin_memory.py", "|_pin_memory_loop|", kPinLoop, Callee::None},
    {"torch/utils/data/dataloader.py", "|__next__|_next_data|", kLoaderNext, Callee::None},
    {"torch/utils/data/dataloader.py", "|_get_data|_try_get_data|_process_data|_try_put_index|",
     kLoaderQueue, Callee::None},
    {"torch/utils/data/dataloader.py", "|__init__|__iter__|_get_iterator|_reset|_shutdown_workers|",
     kLoaderStart, Callee::None},
    {"torch/_tensor_str.py", "", 0, Callee::Print},
    {"torch/amp/grad_scaler.py", "", 0, Callee::Scaler},
    {"torch/cuda/amp/grad_scaler.py", "", 0, Callee::Scaler},
    {"torch/nn/utils/clip_grad.py", "", 0, Callee::Scaler},
    {"torch/cuda/memory.py", "|empty_cache|", 0, Callee::EmptyCache},
    {"torch/cuda/__init__.py", "|synchronize|", 0, Callee::Explicit},
    {"torch/cuda/streams.py", "|synchronize|", 0, Callee::Explicit},
    {"torch/accelerator/__init__.py", "|synchronize|", 0, Callee::Explicit},
    {"torch/distributed/distributed_c10d.py", "|barrier|monitored_barrier|", 0, Callee::Explicit},
    {"torch/serialization.py", "|save|_save|_legacy_save|", 0, Callee::Save},
    {"torch/_dynamo/convert_frame.py", "", 0, Callee::Compile},
    {"torch/_inductor/compile_fx.py", "", 0, Callee::Compile},
    {"torch/_inductor/async_compile.py", "", 0, Callee::Compile},
    {"torch/_inductor/codecache.py", "", 0, Callee::Compile},
    {"torch/utils/cpp_extension.py", "", 0, Callee::Compile},
    {"triton/compiler/", "", 0, Callee::Compile},
    {"torch/cuda/graphs.py", "|__enter__|__exit__|capture_begin|capture_end|", 0,
     Callee::GraphCapture},
    {"torch/optim/", "|step|wrapper|_use_grad|maybe_fallback|", kOptimizer, Callee::Optimizer},
    {"torch/nn/modules/conv.py", "", 0, Callee::Convolution},
    {"torch/autograd/graph.py", "|_engine_run_backward|", kBackward, Callee::Backward},
    {"torch/autograd/__init__.py", "|backward|grad|", kBackward, Callee::Backward},
    {"torch/_tensor.py", "|backward|", kBackward, Callee::Backward},
    {"logging/__init__.py", "", 0, Callee::Logging},
    {"tqdm/", "", 0, Callee::Logging},
    {"torch/utils/tensorboard/", "", 0, Callee::Logging},
    {"subprocess.py", "", 0, Callee::Process},
    {"multiprocessing/process.py", "|start|join|", 0, Callee::Process},
};

bool names(std::string_view list, std::string_view function) {
  if (list.empty()) return true;
  for (size_t at = list.find(function); at != std::string_view::npos;
       at = list.find(function, at + 1))
    if (at > 0 && list[at - 1] == '|' && list[at + function.size()] == '|') return true;
  return false;
}

bool is_standard_library(std::string_view file) {
  for (std::string_view mark : {"/lib/python3", "/lib64/python3", "/python3.zip"})
    if (file.find(mark) != std::string_view::npos) return true;
  return false;
}

CodeOwner owner_of(std::string_view file) {
  if (file.empty() || file.starts_with("<frozen") || file.starts_with("<__array_function__"))
    return CodeOwner::Library;
  const bool packages = file.find("site-packages/") != std::string_view::npos ||
                        file.find("dist-packages/") != std::string_view::npos;
  if (packages) return below(file, "torch/") ? CodeOwner::Torch : CodeOwner::Library;
  return is_standard_library(file) ? CodeOwner::Library : CodeOwner::User;
}

}  // namespace

std::string_view bare_name(std::string_view function) {
  const size_t dot = function.rfind('.');
  return dot == std::string_view::npos ? function : function.substr(dot + 1);
}

FrameKind kind_of_frame(std::string_view file, std::string_view function) {
  FrameKind kind;
  kind.owner = owner_of(file);
  const std::string_view name = bare_name(function);
  for (const Rule& rule : kRules) {
    if (!below(file, rule.path) || name.empty() || !names(rule.functions, name)) continue;
    kind.flags |= rule.flags;
    // A file that runs as a whole is being imported: it does not do what its functions do.
    if (kind.callee == Callee::None && name != "<module>") kind.callee = rule.callee;
    // A torch that is run from its source tree is not the user's code either.
    if (kind.owner == CodeOwner::User && rule.path.starts_with("torch/"))
      kind.owner = CodeOwner::Torch;
  }
  if (file.starts_with("<frozen importlib")) kind.flags |= kImporting;
  return kind;
}

}  // namespace gpustall::collect
