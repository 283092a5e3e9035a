// `gpustall check` as text and as JSON: one line per limit, and where the time goes that is too
// much. The JSON contract is collector/SCHEMA.md, "Check".
#pragma once
#include <string>
#include <vector>

#include "collector/compare/limits.h"
#include "viewer-cli/terminal.h"

namespace gpustall::cli {

struct CheckedRun {
  std::string path;
  std::vector<collect::LimitResult> results;
};

std::string render_check(const std::vector<CheckedRun>& runs, collect::Judgement worst,
                         const Terminal& terminal);
std::string render_check_json(const std::vector<CheckedRun>& runs, collect::Judgement worst);

}  // namespace gpustall::cli
