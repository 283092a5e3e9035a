// Where this installation keeps what it injects. Looked up in this order: GPUSTALL_LIB, beside the
// program (../lib), the configured library folder.
#pragma once
#include <string>
#include <vector>

namespace gpustall::cli {

// Absolute path of libgpustall.so. Throws Failure that names the places searched.
std::string find_library();

// The stand-ins of the simulated device in the order in which they must be preloaded. Throws
// Failure when they are not installed.
std::vector<std::string> find_simulator(const std::string& library);

}  // namespace gpustall::cli
