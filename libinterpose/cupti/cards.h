// What the cards of the used devices do over time: clocks, power, temperature, throttling, PCIe
// link, asked from NVML once a second on the helper thread, never from a hook. NVML is loaded only
// once a device was used; what it does not tell is missing in the records, not zero.
#pragma once
#include "libinterpose/helper.h"

namespace gpustall::interpose::cupti {

// A periodic job of one second. One that takes long makes itself rare: 1 % of the time at most.
void cards_job(HookGuard&, Round) noexcept;

}  // namespace gpustall::interpose::cupti
