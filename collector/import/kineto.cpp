// torch.profiler's Chrome trace. Not read yet; the refusal says so.
#include "collector/import/import.h"

namespace gpustall::collect {

Result<Recording> import_kineto(const std::filesystem::path& path, const Progress&) {
  return Error{path.string() +
               " is JSON, as torch.profiler writes it, which this version does not read; record"
               " with `gpustall run -- python train.py`"};
}

}  // namespace gpustall::collect
