// The one sentence at the top, and its code.
#pragma once
#include <optional>

#include "collector/model.h"
#include "collector/recording.h"

namespace gpustall::collect {

// Usual: the steady steps, or the whole recording where there are none.
enum class WindowKind : uint8_t { Usual, Whole, Warmup };

struct Verdict {
  std::string code, sentence;           // the codes of SCHEMA.md
  const ModelDevice* device = nullptr;  // of the model; null: none
  const CauseRow* repair = nullptr;     // whose gain the sentence names; null: none
};

// Of one window, on the device that idles most in it; of those with this ordinal, where it is
// given. Gains are known in the usual window alone.
Verdict verdict_of(const Model& model, WindowKind window,
                   std::optional<uint32_t> ordinal = std::nullopt);

// Model::verdict: of the usual window.
void set_verdict(Model& model, const Recording& recording);

}  // namespace gpustall::collect
