// RESOURCE and SYNCHRONIZE callbacks.
#pragma once
#include "entry.h"

namespace simgpu::cupti {

// A wait was announced at its start; its callback is due when the API call returns.
void note_sync(const Activity& activity);
void fire_synchronized();

}  // namespace simgpu::cupti
