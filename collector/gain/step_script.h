// What a script knows of the steps: who goes past their boundaries, and how much the loader's
// workers did for each, which bounds a run whose training thread has become faster.
#pragma once
#include "collector/gain/script.h"

namespace gpustall::collect {

StepScript build_step_script(const ScriptInput& input, const Steps& steps);

}  // namespace gpustall::collect
