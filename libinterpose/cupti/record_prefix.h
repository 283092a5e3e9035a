// What we read of CUPTI's activity records: prefixes with fixed offsets, so that one build reads
// the records of every libcupti from 11.6 to 13.x. NVIDIA only appends to these structs
// (Kernel5..13, Memcpy4..6, ...), a habit and not a promise: the offsets are checked against the
// headers at hand, and the values again at run time (activities.cpp). The stride is never ours:
// cuptiActivityGetNextRecord knows it. A field behind the oldest struct's end must be guarded by
// the library's version.
#pragma once
#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace gpustall::interpose::cupti {

struct RecordHead {
  uint32_t kind;
};

struct KernelPrefix {  // Kernel5 (144 bytes up to graph_node) .. Kernel13
  uint32_t kind, config[3];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation;
  int64_t grid_id;
  const char* name;  // CUPTI's own, may die with the module
  void* reserved;
  uint64_t queued, submitted;
  uint8_t launch_bytes[4];
  uint32_t shared_executed;
  uint64_t graph_node;
  uint32_t shared_limit, graph;
};

struct MemcpyPrefix {  // Memcpy4 .. 6
  uint32_t kind;
  uint8_t copy_kind, src_kind, dst_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation, runtime_correlation, pad;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
};

struct PeerCopyPrefix {  // MemcpyPtoP2 .. 4, kind MEMCPY2
  uint32_t kind;
  uint8_t copy_kind, src_kind, dst_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, src_device, src_context, dst_device, dst_context, correlation;
  void* reserved;
  uint64_t graph_node;
};

struct MemsetPrefix {  // Memset2 .. 4
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory_kind;
  uint32_t pad;
  void* reserved;
  uint64_t graph_node;
};

struct GraphTracePrefix {  // GraphTrace, GraphTrace2
  uint32_t kind, correlation;
  uint64_t start, end;
  uint32_t device, graph, context, stream;
};

struct OverheadPrefix {  // Overhead; `correlation` only from Overhead2 on (version 20)
  uint32_t kind, overhead_kind, object_kind, object_id[3];
  uint64_t start, end;
  uint32_t correlation;
};

struct SyncPrefix {  // Synchronization, Synchronization2
  uint32_t kind, type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
};

inline constexpr uint32_t kVersionOfOverhead2 = 20;

#define GPUSTALL_SAME(ours, member, theirs, their_member) \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member))
GPUSTALL_SAME(KernelPrefix, start, CUpti_ActivityKernel10, start);
GPUSTALL_SAME(KernelPrefix, end, CUpti_ActivityKernel10, end);
GPUSTALL_SAME(KernelPrefix, device, CUpti_ActivityKernel10, deviceId);
GPUSTALL_SAME(KernelPrefix, context, CUpti_ActivityKernel10, contextId);
GPUSTALL_SAME(KernelPrefix, stream, CUpti_ActivityKernel10, streamId);
GPUSTALL_SAME(KernelPrefix, grid, CUpti_ActivityKernel10, gridX);
GPUSTALL_SAME(KernelPrefix, block, CUpti_ActivityKernel10, blockX);
GPUSTALL_SAME(KernelPrefix, correlation, CUpti_ActivityKernel10, correlationId);
GPUSTALL_SAME(KernelPrefix, name, CUpti_ActivityKernel10, name);
GPUSTALL_SAME(KernelPrefix, graph_node, CUpti_ActivityKernel10, graphNodeId);
GPUSTALL_SAME(KernelPrefix, graph, CUpti_ActivityKernel10, graphId);
GPUSTALL_SAME(MemcpyPrefix, copy_kind, CUpti_ActivityMemcpy6, copyKind);
GPUSTALL_SAME(MemcpyPrefix, bytes, CUpti_ActivityMemcpy6, bytes);
GPUSTALL_SAME(MemcpyPrefix, start, CUpti_ActivityMemcpy6, start);
GPUSTALL_SAME(MemcpyPrefix, device, CUpti_ActivityMemcpy6, deviceId);
GPUSTALL_SAME(MemcpyPrefix, correlation, CUpti_ActivityMemcpy6, correlationId);
GPUSTALL_SAME(MemcpyPrefix, graph_node, CUpti_ActivityMemcpy6, graphNodeId);
GPUSTALL_SAME(PeerCopyPrefix, start, CUpti_ActivityMemcpyPtoP4, start);
GPUSTALL_SAME(PeerCopyPrefix, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
GPUSTALL_SAME(PeerCopyPrefix, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
GPUSTALL_SAME(MemsetPrefix, start, CUpti_ActivityMemset4, start);
GPUSTALL_SAME(MemsetPrefix, correlation, CUpti_ActivityMemset4, correlationId);
GPUSTALL_SAME(MemsetPrefix, graph_node, CUpti_ActivityMemset4, graphNodeId);
GPUSTALL_SAME(GraphTracePrefix, start, CUpti_ActivityGraphTrace2, start);
GPUSTALL_SAME(GraphTracePrefix, graph, CUpti_ActivityGraphTrace2, graphId);
GPUSTALL_SAME(GraphTracePrefix, stream, CUpti_ActivityGraphTrace2, streamId);
GPUSTALL_SAME(OverheadPrefix, object_id, CUpti_ActivityOverhead2, objectId);
GPUSTALL_SAME(OverheadPrefix, start, CUpti_ActivityOverhead2, start);
GPUSTALL_SAME(OverheadPrefix, correlation, CUpti_ActivityOverhead2, correlationId);
GPUSTALL_SAME(SyncPrefix, type, CUpti_ActivitySynchronization, type);
GPUSTALL_SAME(SyncPrefix, start, CUpti_ActivitySynchronization, start);
GPUSTALL_SAME(SyncPrefix, correlation, CUpti_ActivitySynchronization, correlationId);
GPUSTALL_SAME(SyncPrefix, event, CUpti_ActivitySynchronization, cudaEventId);
#undef GPUSTALL_SAME
static_assert(offsetof(KernelPrefix, start) == 16 && offsetof(KernelPrefix, name) == 104);
static_assert(offsetof(KernelPrefix, graph_node) == 144 && offsetof(KernelPrefix, graph) == 156);

}  // namespace gpustall::interpose::cupti
