// The encoders, one per kind. Each fills the newest struct of the 13.0 headers and copies as much
// of it as the emulated version's record has; the asserts below are why that is allowed.
#include "records.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "clock.h"
#include "versions.h"

namespace simgpu::cupti {
namespace {

#define GPUSTALL_SAME_OFFSET(a, b, field) static_assert(offsetof(a, field) == offsetof(b, field))
GPUSTALL_SAME_OFFSET(CUpti_ActivityKernel8, CUpti_ActivityKernel10, start);
GPUSTALL_SAME_OFFSET(CUpti_ActivityKernel8, CUpti_ActivityKernel10, correlationId);
GPUSTALL_SAME_OFFSET(CUpti_ActivityKernel8, CUpti_ActivityKernel10, name);
GPUSTALL_SAME_OFFSET(CUpti_ActivityKernel8, CUpti_ActivityKernel10, graphId);
GPUSTALL_SAME_OFFSET(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, correlationId);
GPUSTALL_SAME_OFFSET(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, graphId);
GPUSTALL_SAME_OFFSET(CUpti_ActivitySynchronization, CUpti_ActivitySynchronization2, streamId);
GPUSTALL_SAME_OFFSET(CUpti_ActivityGraphTrace, CUpti_ActivityGraphTrace2, streamId);
GPUSTALL_SAME_OFFSET(CUpti_ActivityOverhead, CUpti_ActivityOverhead3, end);
GPUSTALL_SAME_OFFSET(CUpti_ActivityContext2, CUpti_ActivityContext3, deviceId);
#undef GPUSTALL_SAME_OFFSET
static_assert(sizeof(CUpti_ActivityKernel10) == 216 && sizeof(CUpti_ActivityKernel9) == 208);
static_assert(sizeof(CUpti_ActivityKernel8) == 200 && sizeof(CUpti_ActivityMemcpy5) == 88);

constexpr uint32_t kComputeChannel = 1, kCopyChannel = 2;

template <typename Record>
void write_prefix(const Record& record, CUpti_ActivityKind kind, uint8_t* out) {
  const size_t size = record_size(kind);
  std::memset(out, 0, size);  // a newer version's record is longer: its further fields are zero
  std::memcpy(out, &record, std::min(size, sizeof record));
}

void encode_kernel(const PendingRecord& r, const DeviceWork& work, const RecordTimes& t,
                   uint8_t* out) {
  const Activity& a = work.activity;
  CUpti_ActivityKernel10 k{};
  k.kind = r.kind;
  k.registersPerThread = static_cast<uint16_t>(a.registers);
  k.start = t.start;
  k.end = k.completed = t.end;
  k.deviceId = a.device;
  k.contextId = a.context;
  k.streamId = a.stream;
  k.gridX = static_cast<int32_t>(a.grid[0]);
  k.gridY = static_cast<int32_t>(a.grid[1]);
  k.gridZ = static_cast<int32_t>(a.grid[2]);
  k.blockX = static_cast<int32_t>(a.block[0]);
  k.blockY = static_cast<int32_t>(a.block[1]);
  k.blockZ = static_cast<int32_t>(a.block[2]);
  k.staticSharedMemory = static_cast<int32_t>(a.static_smem);
  k.dynamicSharedMemory = static_cast<int32_t>(a.dynamic_smem);
  k.sharedMemoryExecuted = a.static_smem + a.dynamic_smem;
  k.correlationId = a.correlation;
  k.gridId = work.grid_id;
  k.name = a.name;
  k.queued = k.submitted = work.queued_stamp;
  k.graphId = a.graph_id;
  k.graphNodeId = a.graph_node_id;
  k.channelID = kComputeChannel;
  k.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  k.clusterX = k.clusterY = k.clusterZ = 0;
  write_prefix(k, r.kind, out);
}

template <typename Copy>
void fill_copy(const PendingRecord& r, const Activity& a, const RecordTimes& t, Copy* c) {
  c->kind = r.kind;
  c->copyKind = a.copy_kind;
  c->srcKind = a.src_kind;
  c->dstKind = a.dst_kind;
  c->flags = a.flags;
  c->bytes = a.bytes;
  c->start = t.start;
  c->end = t.end;
  c->deviceId = a.device;
  c->contextId = a.context;
  c->streamId = a.stream;
  c->correlationId = a.correlation;
  c->graphId = a.graph_id;
  c->graphNodeId = a.graph_node_id;
  c->channelID = kCopyChannel;
  c->channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
}

void encode_copy(const PendingRecord& r, const Activity& a, const RecordTimes& t, uint8_t* out) {
  CUpti_ActivityMemcpy6 c{};
  fill_copy(r, a, t, &c);
  c.copyCount = 1;
  write_prefix(c, r.kind, out);
}

void encode_peer_copy(const PendingRecord& r, const Activity& a, const RecordTimes& t,
                      uint8_t* out) {
  CUpti_ActivityMemcpyPtoP4 c{};
  fill_copy(r, a, t, &c);
  // The seam tells one side of a copy between devices only.
  c.srcDeviceId = c.dstDeviceId = a.device;
  c.srcContextId = c.dstContextId = a.context;
  write_prefix(c, r.kind, out);
}

void encode_set(const PendingRecord& r, const Activity& a, const RecordTimes& t, uint8_t* out) {
  CUpti_ActivityMemset4 s{};
  s.kind = r.kind;
  s.bytes = a.bytes;
  s.start = t.start;
  s.end = t.end;
  s.deviceId = a.device;
  s.contextId = a.context;
  s.streamId = a.stream;
  s.correlationId = a.correlation;
  s.flags = a.flags;
  s.memoryKind = a.dst_kind;
  s.graphId = a.graph_id;
  s.graphNodeId = a.graph_node_id;
  s.channelID = kComputeChannel;
  s.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  write_prefix(s, r.kind, out);
}

void encode_graph(const PendingRecord& r, const Activity& a, const RecordTimes& t, uint8_t* out) {
  CUpti_ActivityGraphTrace2 g{};
  g.kind = r.kind;
  g.correlationId = a.correlation;
  g.start = t.start;
  g.end = t.end;
  g.deviceId = g.endDeviceId = a.device;
  g.contextId = g.endContextId = a.context;
  g.streamId = a.stream;
  g.graphId = a.graph_id;
  write_prefix(g, r.kind, out);
}

void encode_sync(const PendingRecord& r, const Activity& a, const RecordTimes& t, uint8_t* out) {
  CUpti_ActivitySynchronization2 s{};
  s.kind = r.kind;
  s.type = static_cast<CUpti_ActivitySynchronizationType>(a.sync_type);
  s.start = t.start;
  s.end = t.end;
  s.correlationId = a.correlation;
  s.contextId = a.context;
  const bool whole_context = s.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  const bool of_event = s.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE ||
                        s.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  s.streamId =
      whole_context ? static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE) : a.stream;
  s.cudaEventId =
      of_event ? a.event_id : static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  write_prefix(s, r.kind, out);
}

void encode_overhead(const PendingRecord& r, const DeviceWork& work, const RecordTimes& t,
                     uint8_t* out) {
  static CUpti_ActivityOverheadCommandBufferFullData full_queue = {1024, kComputeChannel,
                                                                   CUPTI_CHANNEL_TYPE_COMPUTE};
  const Activity& a = work.activity;
  CUpti_ActivityOverhead3 o{};
  o.kind = r.kind;
  o.overheadKind = static_cast<CUpti_ActivityOverheadKind>(a.overhead_kind);
  o.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  o.objectId.pt.processId = static_cast<uint32_t>(getpid());
  o.objectId.pt.threadId = work.thread_id;
  o.start = t.start;
  o.end = t.end;
  o.correlationId = a.correlation;
  if (o.overheadKind == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL) o.overheadData = &full_queue;
  write_prefix(o, r.kind, out);
}

void encode_device_work(const PendingRecord& r, const DeviceWork& work, const RecordTimes& t,
                        uint8_t* out) {
  switch (work.activity.kind) {
    case ActivityKind::Kernel:
      return encode_kernel(r, work, t, out);
    case ActivityKind::Memcpy:
      return r.kind == CUPTI_ACTIVITY_KIND_MEMCPY2 ? encode_peer_copy(r, work.activity, t, out)
                                                   : encode_copy(r, work.activity, t, out);
    case ActivityKind::Memset:
      return encode_set(r, work.activity, t, out);
    case ActivityKind::GraphLaunch:
      return encode_graph(r, work.activity, t, out);
    case ActivityKind::Sync:
      return encode_sync(r, work.activity, t, out);
    case ActivityKind::Overhead:
      return encode_overhead(r, work, t, out);
  }
}

void encode_api(const PendingRecord& r, const ApiWork& work, const RecordTimes& t, uint8_t* out) {
  CUpti_ActivityAPI api{};
  api.kind = r.kind;
  api.cbid = work.cbid;
  api.start = t.start;
  api.end = t.end;
  api.processId = static_cast<uint32_t>(getpid());
  api.threadId = work.thread_id;
  api.correlationId = work.correlation;
  api.returnValue = work.result;
  write_prefix(api, r.kind, out);
}

void encode_external(const PendingRecord& r, const ExternalWork& work, uint8_t* out) {
  CUpti_ActivityExternalCorrelation e{};
  e.kind = r.kind;
  e.externalKind = work.kind;
  e.externalId = work.id;
  e.correlationId = work.correlation;
  write_prefix(e, r.kind, out);
}

void encode_context(const PendingRecord& r, const ContextWork& work, uint8_t* out) {
  CUpti_ActivityContext3 c{};
  c.kind = r.kind;
  c.contextId = work.context;
  c.deviceId = work.device;
  c.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  c.nullStreamId = 7;
  write_prefix(c, r.kind, out);
}

void encode_stream(const PendingRecord& r, const StreamWork& work, uint8_t* out) {
  CUpti_ActivityStream s{};
  s.kind = r.kind;
  s.contextId = work.context;
  s.streamId = work.stream;
  s.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN;  // the seam does not tell
  write_prefix(s, r.kind, out);
}

}  // namespace

RecordTimes times_of(const PendingRecord& record) {
  if (const auto* work = std::get_if<DeviceWork>(&record.body)) {
    return {record_clock().from_device(work->activity.start_ns),
            record_clock().from_device(work->activity.end_ns)};
  }
  if (const auto* api = std::get_if<ApiWork>(&record.body)) return {api->start, api->end};
  return {0, 0};
}

void encode(const PendingRecord& record, const RecordTimes& times, uint8_t* out) {
  if (const auto* work = std::get_if<DeviceWork>(&record.body))
    encode_device_work(record, *work, times, out);
  if (const auto* api = std::get_if<ApiWork>(&record.body)) encode_api(record, *api, times, out);
  if (const auto* external = std::get_if<ExternalWork>(&record.body))
    encode_external(record, *external, out);
  if (const auto* context = std::get_if<ContextWork>(&record.body))
    encode_context(record, *context, out);
  if (const auto* stream = std::get_if<StreamWork>(&record.body))
    encode_stream(record, *stream, out);
}

}  // namespace simgpu::cupti
