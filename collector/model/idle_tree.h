// Idle time by Python stack: a tree cut where a branch is too thin to be seen.
#pragma once
#include "collector/model/frame_texts.h"

namespace gpustall::collect {

// Of one device; what is cut is added to the node that it was cut from, cause by cause.
std::vector<IdleNode> idle_tree(const Recording& recording, const Analysis& analysis,
                                DeviceIndex device, FrameTexts& frames);

}  // namespace gpustall::collect
