// What one frame says by its file and function: whose code it is, and the torch feature it belongs
// to.
#pragma once
#include <string_view>

#include "collector/analyze/stack_facts.h"

namespace gpustall::collect {

enum class CodeOwner : uint8_t { User, Torch, Library };

struct FrameKind {
  CodeOwner owner = CodeOwner::User;
  uint16_t flags = 0;
  Callee callee = Callee::None;
};

// Of a qualified name the last part.
std::string_view bare_name(std::string_view function);

FrameKind kind_of_frame(std::string_view file, std::string_view function);

}  // namespace gpustall::collect
