// Weak answers for the parts that are not linked in.
#include "libinterpose/seams.h"

#define GPUSTALL_WEAK __attribute__((weak))

namespace gpustall::interpose {

namespace stacks {
GPUSTALL_WEAK void start(HookGuard&) noexcept {}
GPUSTALL_WEAK uint32_t python_stack(HookGuard&) noexcept {
  return 0;
}
GPUSTALL_WEAK uint32_t native_stack(HookGuard&) noexcept {
  return 0;
}
GPUSTALL_WEAK void fork_child() noexcept {}
GPUSTALL_WEAK void child_started(uint32_t) noexcept {}
}  // namespace stacks

namespace cupti {
GPUSTALL_WEAK void start(HookGuard&, StartReason) noexcept {}
GPUSTALL_WEAK bool active() noexcept {
  return false;
}
GPUSTALL_WEAK void fork_child() noexcept {}
}  // namespace cupti

}  // namespace gpustall::interpose
