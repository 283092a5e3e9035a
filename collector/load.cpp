// What the user named, by its content: the extension may say anything.
#include "collector/load.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "collector/import/import.h"
#include "collector/read/mapped_file.h"
#include "collector/read/read_traces.h"
#include "collector/read/trace_directory.h"
#include "collector/read/trace_file.h"

namespace gpustall::collect {
namespace {

namespace fs = std::filesystem;

enum class Content { Empty, Trace, Json, Compressed, Archive, Sqlite, SavedReport, Other };

bool starts_with(std::string_view bytes, std::string_view magic) {
  return bytes.substr(0, magic.size()) == magic;
}

Content content_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.empty()) return Content::Empty;
  // A file of zeros is a trace whose process was killed before it wrote the header.
  if (looks_like_trace(bytes) || starts_with(bytes, "\0\0\0\0\0\0\0\0"sv)) return Content::Trace;
  if (starts_with(bytes, "SQLite format 3\0"sv)) return Content::Sqlite;
  constexpr size_t kTarMagicAt = 257;
  if (bytes.size() > 512 && bytes.substr(kTarMagicAt, 5) == "ustar"sv) return Content::Archive;
  if (starts_with(bytes, "\x1f\x8b"sv) || starts_with(bytes, "\x28\xb5\x2f\xfd"sv))
    return Content::Compressed;
  const size_t first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || (bytes[first] != '{' && bytes[first] != '['))
    return Content::Other;
  const std::string_view head = bytes.substr(first, 400);
  const bool report = head.find("\"schema\"") != std::string_view::npos &&
                      head.find("\"verdict\"") != std::string_view::npos;
  return report ? Content::SavedReport : Content::Json;
}

Result<Recording> load_traces(const std::vector<fs::path>& paths, const Progress& progress) {
  std::vector<MappedFile> files;
  std::vector<TraceBytes> traces;
  std::vector<std::string> unreadable;
  for (const fs::path& path : paths) {
    Result<MappedFile> file = MappedFile::open(path);
    if (!file) {
      unreadable.push_back(file.error().message);
      continue;
    }
    traces.push_back({path.string(), file->bytes()});
    files.push_back(std::move(*file));
  }
  if (traces.empty()) return Error{unreadable.front()};
  Result<Recording> recording = read_traces(traces, progress);
  if (recording)
    for (std::string& sentence : unreadable) recording->damage.push_back(std::move(sentence));
  return recording;
}

// What it is instead, as far as that helps.
Error unknown_file(const fs::path& path, std::string_view bytes) {
  using namespace std::string_view_literals;
  const std::string name = path.string(), extension = path.extension().string();
  if (extension == ".nsys-rep" || extension == ".qdrep")
    return {name +
            " is a report of Nsight Systems in its own format; write what it holds with"
            " `nsys export --type sqlite` and name that file"};
  for (const auto& [magic, tool] :
       {std::pair("\xfd\x37zXZ\0"sv, "xz"), std::pair("BZh"sv, "bzip2"),
        std::pair("PK\x03\x04"sv, "zip"), std::pair("7z\xbc\xaf\x27\x1c"sv, "7z")})
    if (starts_with(bytes, magic))
      return {name + " is packed with " + tool +
              ", which is not read (gzip, zstd and tar are);"
              " unpack it and name what is in it"};
  return {name +
          " is no recording: neither a gpustall trace, nor JSON of torch.profiler, nor SQLite"
          " of nsys; name a recording's directory"};
}

Result<Recording> load_file(const fs::path& path, const Progress& progress) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  switch (content_of(file->bytes())) {
    case Content::Trace:
      return load_traces({path}, progress);
    case Content::Json:
    case Content::Compressed:
    case Content::Archive:
      return import_kineto(path, progress);
    case Content::Sqlite:
      return import_nsys(path, progress);
    case Content::SavedReport:
      return Error{path.string() +
                   " is a saved report, not a recording; `gpustall report` reads it"};
    case Content::Empty:
      return Error{path.string() +
                   " is empty: its process ended before it wrote anything; record again"};
    case Content::Other:
      break;
  }
  return unknown_file(path, file->bytes());
}

// Exports of Nsight Systems are named one by one: their processes would not be told apart from the
// ranks that lie beside them.
std::vector<fs::path> exports_in(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".sqlite") paths.push_back(at->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Recording> load_directory(const fs::path& path, const Progress& progress) {
  Result<std::vector<fs::path>> traces = traces_in(path);
  if (traces) return load_traces(*traces, progress);
  const std::vector<fs::path> exports = exports_in(path);
  if (kineto_files_in(path).empty()) {
    if (exports.empty()) return traces.error();
    return Error{path.string() +
                 " is a directory of exports of Nsight Systems; name one of them,"
                 " such as " +
                 exports.front().string()};
  }
  // Ranks, as tensorboard_trace_handler() writes them.
  Result<Recording> recording = import_kineto(path, progress);
  if (recording)
    for (const fs::path& file : exports)
      recording->damage.push_back(file.string() +
                                  ": an export of Nsight Systems among traces of"
                                  " torch.profiler, left out; name it by itself");
  return recording;
}

}  // namespace

Result<Recording> load(const fs::path& path, const Progress& progress) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return open_error(path, ENOENT);
  if (error) return open_error(path, error.value());
  const bool is_directory = status.type() == fs::file_type::directory;
  Result<Recording> recording =
      is_directory ? load_directory(path, progress) : load_file(path, progress);
  if (recording) recording->name = path.string();
  return recording;
}

}  // namespace gpustall::collect
