// Limits as people write them: "15%", "sync=2ms", "sync.item=500us", "copy=3%".
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "collector/compare/limits.h"

namespace gpustall::cli {

// "3%" or "3" becomes "0.03". Use with transform().
CLI::Validator share_text();
// Complains about what parse_limit() cannot read.
CLI::Validator limit_text();
// "NAME=AMOUNT": a cause, a family of causes, "step" or "idle"; ms, us, s per step, or percent.
collect::Limit parse_limit(const std::string& text);

}  // namespace gpustall::cli
