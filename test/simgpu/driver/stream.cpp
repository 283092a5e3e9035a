// Streams and events through the driver.
#include "entry.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/waiting.h"

using namespace simgpu;

namespace {

template <typename Body>
int on_stream(CUstream handle, Body body) {
  Stream* stream = resolve_stream(handle);
  return stream ? static_cast<int>(body(*stream)) : static_cast<int>(kInvalidHandle);
}

template <typename Body>
int on_event(CUevent handle, Body body) {
  Event* event = resolve_event(handle);
  return event ? static_cast<int>(body(*event)) : static_cast<int>(kInvalidHandle);
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  return driver_call(GPUSTALL_DRIVER(cuStreamCreate), nullptr, [&] {
    *out = reinterpret_cast<CUstream>(create_stream(ready_device(), flags, 0));
    return kSuccess;
  });
}
CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  return driver_call(GPUSTALL_DRIVER(cuStreamCreateWithPriority), nullptr, [&] {
    *out = reinterpret_cast<CUstream>(create_stream(ready_device(), flags, priority));
    return kSuccess;
  });
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return driver_call(GPUSTALL_DRIVER(cuStreamDestroy_v2), nullptr, [&] {
    return on_stream(stream, [](Stream& s) { return destroy_stream(&s); });
  });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return core_call(
      [&] { return on_stream(stream, [&](Stream& s) { return synchronize_stream(s, stream); }); });
}
CUresult cuStreamQuery(CUstream stream) {
  return driver_call(GPUSTALL_DRIVER(cuStreamQuery), nullptr,
                     [&] { return on_stream(stream, query_stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return core_call([&] {
    return on_stream(stream, [&](Stream& s) {
      return on_event(event, [&](Event& e) { return stream_wait_event(s, stream, e, flags); });
    });
  });
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  return driver_call(GPUSTALL_DRIVER(cuEventCreate), nullptr, [&] {
    ready_device();
    *out = reinterpret_cast<CUevent>(create_event(flags));
    return kSuccess;
  });
}
CUresult cuEventDestroy_v2(CUevent event) {
  return driver_call(GPUSTALL_DRIVER(cuEventDestroy_v2), nullptr,
                     [&] { return on_event(event, [](Event& e) { return destroy_event(&e); }); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return core_call([&] {
    return on_stream(stream, [&](Stream& s) {
      return on_event(event, [&](Event& e) { return record_event(e, s, stream); });
    });
  });
}
CUresult cuEventSynchronize(CUevent event) {
  return core_call([&] { return on_event(event, synchronize_event); });
}
CUresult cuEventQuery(CUevent event) {
  return driver_call(GPUSTALL_DRIVER(cuEventQuery), nullptr,
                     [&] { return on_event(event, query_event); });
}
CUresult cuEventElapsedTime_v2(float* ms, CUevent from, CUevent to) {
  return driver_call(GPUSTALL_DRIVER(cuEventElapsedTime_v2), nullptr, [&] {
    const Event* first = resolve_event(from);
    const Event* last = resolve_event(to);
    return first && last ? elapsed_ms(*first, *last, ms) : static_cast<int>(kInvalidHandle);
  });
}

}  // extern "C"
