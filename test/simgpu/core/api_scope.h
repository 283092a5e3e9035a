// The seam between the stand-ins (cudart, driver, libraries) and the CUPTI stand-in.
// Every modelled CUDA entry point opens an ApiScope; every piece of modelled device work is
// announced as an Activity. libcupti.so registers its functions here; without it both are no-ops.
// Correlation: the outermost API call of a thread draws a new id; nested driver calls share it, and
// so does the activity that the call starts (as in the real stack, where runtime and driver records
// carry the same id).
#pragma once
#include <cstdint>

namespace simgpu {

enum class ApiDomain : uint32_t { Driver = 1, Runtime = 2 };  // = CUpti_CallbackDomain

struct ApiCall {
  ApiDomain domain;
  uint32_t cbid;       // CUPTI_RUNTIME_TRACE_CBID_* or CUPTI_DRIVER_TRACE_CBID_*
  const char* name;    // "cudaLaunchKernel", as CUPTI's functionName
  const void* params;  // the generated_*_meta.h struct of this call, or null where there is none
  const char* symbol;  // kernel name (mangled) of a launch, else null
  uint32_t correlation;
  uint64_t correlation_data;  // scratch of the subscriber between enter and exit
  int result;                 // valid on exit
  void* context;              // CUcontext, null before there is one
  uint32_t context_uid;
};

enum class ActivityKind : uint8_t { Kernel, Memcpy, Memset, GraphLaunch, Sync, Overhead };

// A piece of work on the modelled timeline. Times are device nanoseconds = CLOCK_MONOTONIC of this
// host.
struct Activity {
  ActivityKind kind;
  uint32_t device, context,
      stream;  // ids as CUPTI shows them: context 1.., default stream 7, others 13..
  uint32_t correlation;
  int64_t start_ns, end_ns;
  const char* name;  // kernel: mangled name; stays valid for the life of the process
  uint64_t bytes;    // copy, set
  uint8_t copy_kind, src_kind, dst_kind;  // CUpti_ActivityMemcpyKind / CUpti_ActivityMemoryKind
  uint8_t flags;
  uint32_t grid[3], block[3];
  uint32_t registers, static_smem, dynamic_smem;
  uint32_t graph_id;  // GraphLaunch, and its nodes
  uint64_t graph_node_id;
  bool
      graph_node;  // a node inside a GraphLaunch: not device work of its own in graph-level tracing
  uint32_t sync_type, event_id;  // Sync: CUpti_ActivitySynchronizationType
  uint32_t overhead_kind;        // Overhead: CUpti_ActivityOverheadKind (COMMAND_BUFFER_FULL, ...)
};

enum class ResourceEvent : uint8_t {
  ContextCreated,
  ContextDestroying,
  StreamCreated,
  StreamDestroying,
  ModuleLoaded
};

// Filled in by the CUPTI stand-in; each may be null.
struct CuptiHooks {
  void (*api_enter)(ApiCall*);
  void (*api_exit)(ApiCall*);
  void (*activity)(
      const Activity&);  // called at submission time, in submission order, on the submitting thread
  void (*resource)(ResourceEvent, void* context, uint32_t context_uid, void* handle,
                   uint32_t stream_uid);
};
void set_cupti_hooks(const CuptiHooks&);

// RAII in each entry point: ApiScope api(ApiDomain::Runtime, cbid, "cudaMalloc", &params); ...
// return api.done(result);
class ApiScope {
 public:
  ApiScope(ApiDomain, uint32_t cbid, const char* name, const void* params = nullptr,
           const char* symbol = nullptr);
  ~ApiScope();
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;
  template <typename R>
  R done(R result) {
    call_.result = static_cast<int>(result);
    return result;
  }
  uint32_t correlation() const { return call_.correlation; }

 private:
  ApiCall call_;
};

int64_t now_ns();  // device clock: CLOCK_MONOTONIC, by raw means (no interposable wait or libc call
                   // that blocks)
void announce(const Activity&);  // writes the ground-truth log and calls CuptiHooks::activity

}  // namespace simgpu
