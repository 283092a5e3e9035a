// The frame of a driver entry point that has no operation of the core behind it (those open their
// own scope).
#pragma once
#include "test/simgpu/core/driver_scope.h"
#include "test/simgpu/core/process.h"

namespace simgpu {

template <typename Body>
CUresult driver_call(DriverName call, const void* params, Body body) {
  if (const Status refused = ensure_started()) return static_cast<CUresult>(refused);
  DriverScope scope(call, params);
  return scope.done(static_cast<CUresult>(static_cast<int>(body())));
}

// For operations of the core: they bring the scope, the entry point only starts the device.
template <typename Body>
CUresult core_call(Body body) {
  const Status refused = ensure_started();
  return static_cast<CUresult>(refused ? static_cast<int>(refused) : static_cast<int>(body()));
}

template <typename Pointer>
void* as_pointer(Pointer address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace simgpu
