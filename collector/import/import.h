// Foreign recordings, one file per format. Each fills a Recording as the trace reader does (sorted,
// one clock unless the format has a device clock of its own) and names what the format lacks in
// Recording::not_observed. load() picks the importer by the file's first bytes.
#pragma once
#include <filesystem>

#include "collector/load.h"

namespace gpustall::collect {

// torch.profiler's Chrome traces: JSON, plain, gzip or zstd; a tar archive or a directory of them
// is a run of several ranks.
Result<Recording> import_kineto(const std::filesystem::path& path, const Progress& progress);
// The same from memory: one file's content.
Result<Recording> import_kineto_bytes(std::string_view content, const std::string& name);
// What in the directory may be such a trace, by its name; sorted.
std::vector<std::filesystem::path> kineto_files_in(const std::filesystem::path& directory);
// Nsight Systems' export: SQLite.
Result<Recording> import_nsys(const std::filesystem::path& path, const Progress& progress);

}  // namespace gpustall::collect
