// Nsight Systems' SQLite export. Not read yet; the refusal says so.
#include "collector/import/import.h"

namespace gpustall::collect {

Result<Recording> import_nsys(const std::filesystem::path& path, const Progress&) {
  return Error{path.string() +
               " is SQLite, as `nsys export` writes it, which this version does not read; record"
               " with `gpustall run -- python train.py`"};
}

}  // namespace gpustall::collect
