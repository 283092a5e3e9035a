// What the core calls at the start of recording and at fork.
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/stacks/native_stack.h"
#include "libinterpose/stacks/python_offsets.h"
#include "libinterpose/stacks/sampler.h"

namespace gpustall::interpose::stacks {

void start(HookGuard& guard) noexcept {
  if (g_settings.python_stacks && find_python() == PythonState::Refused) {
    char text[192] = "Python stacks are off: ";
    size_t at = std::strlen(text);
    for (const char* from = python_refusal(); *from != 0 && at + 1 < sizeof text;)
      text[at++] = *from++;
    notice(guard, trace::NoticeKind::PythonStacksOff, python_version(), {text, at});
  }
  start_sampler(guard);
}

void fork_child() noexcept {
  native_stacks_off();
  forget_sampler();
}

}  // namespace gpustall::interpose::stacks
