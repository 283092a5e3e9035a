// The link's folder lies in a place where everybody may write, so it is used only when it is really
// ours: a directory, not a link, owned by us, closed to others.
#include "viewer-cli/launch/preload.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

std::string private_folder() {
  const std::string folder = "/tmp/gpustall-" + std::to_string(geteuid());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    fail("cannot create " + folder + ": " + std::strerror(errno) +
         "; install gpustall in a path without spaces and colons");
  }
  struct stat status {};
  const bool safe = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                    status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  if (!safe) {
    fail(folder + " is not a private folder of yours; remove it, or install gpustall in a path " +
         "without spaces and colons");
  }
  return folder;
}

bool points_to(const std::string& link, const std::string& target) {
  char found[4096];
  const ssize_t length = readlink(link.c_str(), found, sizeof found);
  return length >= 0 && std::string_view(found, static_cast<size_t>(length)) == target;
}

// A new link is made beside and renamed into place: another run may use the old one meanwhile.
void place_link(const std::string& link, const std::string& target) {
  if (points_to(link, target)) return;
  const std::string fresh = link + "." + std::to_string(getpid());
  unlink(fresh.c_str());
  if (symlink(target.c_str(), fresh.c_str()) != 0 || rename(fresh.c_str(), link.c_str()) != 0) {
    fail("cannot create the link " + link + ": " + std::strerror(errno) +
         "; install gpustall in a path without spaces and colons");
  }
}

}  // namespace

std::string preloadable(const std::string& library) {
  if (library.find_first_of(" :\t\n") == std::string::npos) return library;
  const size_t slash = library.rfind('/');
  const std::string folder = library.substr(0, slash), name = library.substr(slash + 1);
  if (name.find_first_of(" :\t\n") != std::string::npos) {
    fail("the library's own name '" + name + "' has a space or a colon; rename it");
  }
  // One link for each folder of libraries. A clash of hashes only makes two installations replace
  // each other's link, which the check of its target notices.
  char link[64];
  std::snprintf(link, sizeof link, "/%016zx", std::hash<std::string>{}(folder));
  const std::string path = private_folder() + link;
  place_link(path, folder);
  return path + "/" + name;
}

std::string preload_list(const std::vector<std::string>& libraries, std::string_view before) {
  std::string list;
  for (const std::string& library : libraries) list += (list.empty() ? "" : ":") + library;
  while (!before.empty()) {
    const size_t end = before.find_first_of(" :");
    const std::string entry(before.substr(0, end));
    before.remove_prefix(end == std::string_view::npos ? before.size() : end + 1);
    const bool ours = std::find(libraries.begin(), libraries.end(), entry) != libraries.end();
    if (!entry.empty() && !ours) list += ":" + entry;
  }
  return list;
}

}  // namespace gpustall::cli
