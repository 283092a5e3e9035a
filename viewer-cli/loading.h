// From what the user names to what is rendered: a recording is read and analysed; a saved model is
// only read.
#pragma once
#include <optional>
#include <string>

#include "collector/analysis.h"
#include "collector/model.h"
#include "collector/recording.h"
#include "viewer-cli/command.h"

namespace gpustall::cli {

struct Analyzed {
  collect::Recording recording;
  collect::Analysis analysis;
};

// Throws Failure with the collector's sentence. Damage that the analysis survived is told on
// stderr.
Analyzed load_and_analyze(const std::string& path, const Session& session);

// Also accepts what `gpustall collect` saved.
collect::Model load_model(const std::string& path, const Session& session);

// Throws Failure, which names the devices, when there is none of this number. nullopt: all are
// wanted.
void check_device(std::optional<uint32_t> wanted, const collect::Recording& recording);
void check_device(std::optional<uint32_t> wanted, const collect::Model& model);

}  // namespace gpustall::cli
