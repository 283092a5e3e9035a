// Makes exported entries of this library unfindable, as in a CUPTI version that lacks them.
#pragma once
#include <string>
#include <vector>

namespace simgpu::cupti {

void hide_symbols(const std::vector<std::string>& names);

}  // namespace simgpu::cupti
