// The shape of a torch.profiler trace: an object with its keys in any order, or a bare array of
// events. Damage never stops the process: what can be read is read, the rest is told in one
// sentence.
#pragma once
#include "collector/import/json_window.h"
#include "collector/import/kineto_event.h"

namespace gpustall::collect {

struct KinetoText {
  KinetoHeader header;
  bool has_events = false;  // a traceEvents array was there, if only an empty one
  bool cut = false;         // the text ends or breaks before its end
  uint64_t events = 0;
  std::vector<std::string> damage;
};

KinetoText read_kineto(JsonWindow& window, KinetoSink& sink);

}  // namespace gpustall::collect
