// `gpustall causes`: what each cause means and what removes it.
#pragma once
#include <string>
#include <string_view>

#include "viewer-cli/terminal.h"

namespace gpustall::cli {

std::string render_causes(const Terminal& terminal);
// Empty when no id and no family has that name.
std::string render_causes(std::string_view id_or_family, const Terminal& terminal);

}  // namespace gpustall::cli
