// What the frames of a Python stack say: the user's own innermost frame, and what torch is doing in
// it. Computed once per node of the trie, from its parent. Keyed on torch's own files and
// functions, never on names of the user's script.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "collector/analysis.h"

namespace gpustall::collect {

// Facts that hold for all frames inside the one that says so.
enum StackFlag : uint16_t {
  kFetching = 1 << 0,     // _utils/fetch.py: dataset and collate code runs here
  kLoaderNext = 1 << 1,   // dataloader.py: __next__ or what it calls
  kLoaderQueue = 1 << 2,  // dataloader.py: waiting for, or unpacking, what a worker sent
  kLoaderStart = 1 << 3,  // dataloader.py: making the iterator, starting workers, ending them
  kPinLoop = 1 << 4,      // the pin-memory thread
  kWorkerLoop = 1 << 5,   // a loader worker's main loop
  kOptimizer = 1 << 6,
  kBackward = 1 << 7,
  kImporting = 1 << 8,
  kWorkerUser = 1 << 9,  // user code inside a worker's main loop: a dataset or worker_init_fn
};

// What the frames inside the user's innermost frame do: its callee in torch, so to speak.
enum class Callee : uint8_t {
  None,
  Print,       // torch/_tensor_str.py
  Scaler,      // GradScaler, clip_grad
  EmptyCache,  // torch.cuda.empty_cache
  Explicit,    // synchronize() of device, stream, event; barrier
  Save,        // torch.save
  Compile,     // dynamo, inductor, triton compiling
  GraphCapture,
  Optimizer,
  Backward,
  Logging,  // logging, tqdm, tensorboard
  Process,  // subprocess, multiprocessing start
  Convolution,
};

// What owns everything that is done in there, launches included; none: what is done counts itself.
std::optional<Cause> owner_of_all(Callee callee);

class StackFacts {
 public:
  explicit StackFacts(const Recording& recording);

  uint16_t flags(StackId stack) const { return has(stack) ? flags_[raw(stack)] : 0; }
  bool any(StackId stack, unsigned flags_wanted) const {
    return (flags(stack) & flags_wanted) != 0;
  }
  Callee callee(StackId stack) const { return has(stack) ? callee_[raw(stack)] : Callee::None; }
  // The node of the user's innermost frame; the stack itself where there is none. A comprehension
  // is part of the line that it stands in.
  StackId user_node(StackId stack) const { return has(stack) ? user_[raw(stack)] : stack; }
  bool has_user_frame(StackId stack) const { return has(stack) && has_user_[raw(stack)]; }
  // False also for a label, which is the name of a range (collector/read/range_labels.h).
  bool is_python(StackId stack) const { return has(stack) && python_[raw(stack)]; }
  bool leaf_is_user(StackId stack) const { return has(stack) && leaf_user_[raw(stack)]; }
  bool leaf_is_torch(StackId stack) const { return has(stack) && leaf_torch_[raw(stack)]; }
  SiteId site(StackId stack) const { return has(stack) ? site_[raw(stack)] : kNone<SiteId>; }
  const std::vector<Site>& sites() const { return sites_; }

 private:
  bool has(StackId stack) const { return raw(stack) < flags_.size(); }
  std::vector<uint16_t> flags_;
  std::vector<Callee> callee_;
  std::vector<StackId> user_;
  std::vector<bool> has_user_, leaf_user_, leaf_torch_, python_;
  std::vector<SiteId> site_;
  std::vector<Site> sites_;
};

}  // namespace gpustall::collect
