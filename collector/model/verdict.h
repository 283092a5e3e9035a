// The one sentence at the top, and its code.
#pragma once
#include "collector/model.h"
#include "collector/recording.h"

namespace gpustall::collect {

// Usual: the steady steps, or the whole recording where there are none.
enum class WindowKind : uint8_t { Usual, Whole, Warmup };

struct Verdict {
  std::string code, sentence;  // the codes of SCHEMA.md
};

// Of one window, on the device that idles most in it. Gains are known in the usual one alone.
Verdict verdict_of(const Model& model, WindowKind window);

// Model::verdict: of the usual window.
void set_verdict(Model& model, const Recording& recording);

}  // namespace gpustall::collect
