// One row of a torch.profiler trace and what the file says about itself, as text: nothing is
// interpreted here. The views of an event live until the next one is read.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpustall::collect {

struct KinetoEvent {
  std::string_view phase, category, name, pid, tid, start, duration;
  std::string_view stack_frame;  // "sf": a number of the file's stackFrames
  // From args; empty where the row has none.
  std::string_view correlation, stream, device, context, bytes, process, call_stack, label;
  std::string_view args;  // the whole text, of rows that only gpustall writes
};

// An entry of stackFrames, as gpustall writes them; texts are raw.
struct KinetoStackFrame {
  std::string_view id, parent, file, line, function;
};

struct KinetoDevice {
  uint32_t ordinal = 0, multiprocessors = 0, capability = 0;
  uint64_t memory_bytes = 0;
  std::string name;
};

struct KinetoHeader {
  int64_t base_ns = 0;  // added to every time; may stand behind the events
  int64_t rank = -1;
  std::string world_size, backend, host, runtime_version, driver_version;
  std::vector<KinetoDevice> devices;
  std::string gpustall;  // JSON: what an export of gpustall says about itself; before the events
};

class KinetoSink {
 public:
  virtual ~KinetoSink() = default;
  virtual void before_events(const KinetoHeader&) {}  // as far as the header is known then
  virtual void event(const KinetoEvent& event) = 0;
  virtual void stack_frame(const KinetoStackFrame&) {}
};

}  // namespace gpustall::collect
