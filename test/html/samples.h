// Recordings and models whose pages are tested: a training loop of any length, and one whose names
// try to break out of the page.
#pragma once
#include "collector/model.h"
#include "test/builder/recording_builder.h"

namespace gpustall::test {

#ifdef GPUSTALL_SANITIZED
inline constexpr size_t kManySteps = 1000;  // instrumented code is ten times slower
#else
inline constexpr size_t kManySteps = 10'000;
#endif

// Steps of `launches` kernels with a gap before each, every tenth with a longer pause; a loader
// with two workers, some copies. Stalls of several causes at lines of their own.
Recording training_loop(size_t steps, size_t launches);

// What every text of hostile_model() ends with: window.hit is set when any of it is taken for
// markup.
extern const char* const kHostile;
collect::Model hostile_model();

}  // namespace gpustall::test
