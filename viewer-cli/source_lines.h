// Fills in the source lines that a model has no text for, where the file is at hand and has not
// changed since it was recorded.
#pragma once
#include <string>

#include "collector/model.h"

namespace gpustall::cli {

// `recording`: what the user named; files younger than it are left alone.
void add_source_lines(collect::Model& model, const std::string& recording);

}  // namespace gpustall::cli
