// A CUPTI client as tools write it: hands out buffers, copies the records of completed ones, keeps
// what its callback was told. One per test; construction resets the library under test.
#pragma once
#include <cupti.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace simgpu::test {

struct Record {
  CUpti_ActivityKind kind;
  std::vector<uint8_t> bytes;

  template <typename T>
  const T& as() const {
    return *reinterpret_cast<const T*>(bytes.data());
  }
  template <typename T>
  T at(size_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
};

struct Call {
  CUpti_CallbackDomain domain;
  uint32_t cbid;
  CUpti_ApiCallbackSite site;
  uint32_t correlation;
  uint64_t data;
  int result;
  std::string name, symbol;
};

class Client {
 public:
  explicit Client(const char* settings = "");
  ~Client();

  void use_buffers(size_t bytes = 1 << 16);  // registers the buffer callbacks
  void enable(std::initializer_list<CUpti_ActivityKind> kinds);
  CUpti_SubscriberHandle subscribe();

  std::vector<Record> records() const;  // delivered so far, in order
  std::vector<Record> records(CUpti_ActivityKind kind) const;
  std::vector<Call> calls;
  std::atomic<int> requested{0}, completed{0}, empty{0};
  std::thread::id requested_on, completed_on;
  bool decline = false;  // answers buffer requests with null

  bool wait_for_records(size_t count) const;  // up to two seconds

 private:
  static void on_requested(uint8_t** buffer, size_t* size, size_t* max_records);
  static void on_completed(CUcontext, uint32_t, uint8_t* buffer, size_t size, size_t valid);
  static void on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                      const void* data);

  mutable std::mutex mutex_;
  std::vector<Record> records_;
  size_t buffer_bytes_ = 0;
};

}  // namespace simgpu::test
