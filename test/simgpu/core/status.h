// Result codes shared by driver and runtime: the two enums agree on every number used here.
#pragma once

namespace simgpu {

enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,  // also what every call answers in the forked child of a CUDA process
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kPeerAccessAlreadyEnabled = 704,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCapturedEvent = 907,
};

}  // namespace simgpu
