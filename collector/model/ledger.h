// What the recording lacks, and the environment card.
#pragma once
#include "collector/model.h"

namespace gpustall::collect {

Ledger ledger_of(const Recording& recording, const Analysis& analysis);
std::map<std::string, std::string> environment_of(const Recording& recording);

}  // namespace gpustall::collect
