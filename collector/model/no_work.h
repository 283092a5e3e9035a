// Why a recording holds no device work, as far as it knows.
#pragma once
#include <string>

#include "collector/recording.h"

namespace gpustall::collect {

// "No GPU work was recorded.", or with the reason behind a colon.
std::string no_work_sentence(const Recording& recording);

}  // namespace gpustall::collect
