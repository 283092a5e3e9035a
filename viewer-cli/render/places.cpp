// Pure text work on paths: the files themselves are not touched, they may be on another machine.
#include "viewer-cli/render/places.h"

#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

// The path below site-packages, dist-packages or lib/python3.x; empty for the user's own files.
std::string_view inside_package(std::string_view path) {
  for (std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return path.substr(at + folder.size());
  }
  const size_t library = path.rfind("/lib/python3.");
  if (library == std::string_view::npos) return {};
  const size_t slash = path.find('/', library + sizeof("/lib/python3.") - 1);
  return slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
}

bool is_own_file(std::string_view path) {
  return !path.empty() && path.front() == '/' && inside_package(path).empty();
}

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/') + 1));
}

void narrow(std::string& shared, bool& first, std::string_view path) {
  if (!is_own_file(path)) return;
  if (first) {
    shared = folder_of(path);
    first = false;
    return;
  }
  while (!shared.empty() && path.substr(0, shared.size()) != shared) {
    shared = folder_of(std::string_view(shared).substr(0, shared.size() - 1));
  }
}

}  // namespace

Places::Places(const std::vector<std::string>& files) {
  bool first = true;
  for (const std::string& file : files) narrow(shared_, first, file);
  if (shared_ == "/") shared_.clear();
}

Places::Places(const collect::Model& model) {
  std::vector<std::string> files;
  auto take = [&files](const collect::Window& window) {
    for (const auto* rows : {&window.causes, &window.busy_causes, &window.alternatives}) {
      for (const collect::CauseRow& row : *rows) {
        if (row.site) files.push_back(row.site->file);
      }
    }
  };
  for (const collect::ModelDevice& device : model.devices) {
    take(device.whole);
    if (device.warmup) take(*device.warmup);
    if (device.steady) take(*device.steady);
  }
  *this = Places(files);
}

std::string Places::file(std::string_view path) const {
  if (const std::string_view package = inside_package(path); !package.empty()) {
    return printable(package);
  }
  if (!shared_.empty() && path.substr(0, shared_.size()) == shared_) {
    return printable(path.substr(shared_.size()));
  }
  return printable(path);
}

std::string Places::frame(const std::string& text) const {
  const size_t colon = text.find(':');
  if (colon == 0) return printable(text.substr(text.find(' ') + 1));  // no file: the function alone
  if (colon == std::string::npos) return printable(text);
  return file(text.substr(0, colon)) + printable(text.substr(colon));
}

std::string Places::where(const std::optional<collect::ModelSite>& site) const {
  if (!site || site->file.empty()) {
    return site && !site->function.empty() ? printable(site->function) : "-";
  }
  const std::string line = file(site->file) + ":" + std::to_string(site->line);
  return site->is_def ? printable(site->function) + " (" + line + ")" : line;
}

}  // namespace gpustall::cli
