// What is told when the program has ended: the verdict in three lines, where the recording is, the
// next command; or why there is no recording.
#pragma once
#include <string>

#include "viewer-cli/command.h"
#include "viewer-cli/launch/witness.h"

namespace gpustall::cli {

// As the user would type it: relative when it lies below the current folder.
std::string shown_path(const std::string& path);

// Whether any process has recorded into the folder yet.
bool has_recording(const std::string& output);

// Prints to stderr; throws nothing.
void tell_aftermath(const std::string& output, const Witness& witness, const Session& session);

}  // namespace gpustall::cli
