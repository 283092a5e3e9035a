#include "test/sim/host_recorder.h"

#include <algorithm>
#include <cmath>

namespace gpustall::test::sim {
namespace {

constexpr uint32_t kStreams[] = {7, 13, 17};
constexpr double kBytesPerUs = 4000;  // pageable; pinned copies run at 2.5 times that
const std::string kTorch = "/usr/lib/python3/dist-packages/torch/";
const std::string kBackward = "train.py:20 step; " + kTorch + "_tensor.py:500 backward; " + kTorch +
                              "autograd/graph.py:800 _engine_run_backward";
const std::string kLoading = "train.py:5 step; " + kTorch +
                             "utils/data/dataloader.py:700 __next__; " + kTorch +
                             "utils/data/_utils/fetch.py:50 fetch; dataset.py:30 __getitem__";

TraceTime ns(double us) {
  return std::llround(us * 1000);
}
Span span(Interval at) {
  return {ns(at.start), ns(at.end)};
}

}  // namespace

HostRecorder::HostRecorder(RecordingBuilder* builder, double sample_every)
    : b_(builder), sample_every_(sample_every) {
  if (b_ == nullptr) return;
  main_ = b_->thread("main");
  autograd_ = b_->thread("pt_autograd_0");
  for (size_t s = 0; s < 3; ++s) queue_[s] = b_->queue(0, kStreams[s]);
}

std::string HostRecorder::stack(const Op& op) const {
  if (thread_ != 0) return {};  // autograd threads have no Python stack
  return op.site != 0 ? line_of(op.site) : "train.py:" + std::to_string(line_) + " step";
}

void HostRecorder::launch(Interval call, Interval run, const Op& op) {
  if (b_ == nullptr) return;
  const QueueIndex queue = queue_[op.stream];
  if (op.kind == Op::Kernel) {
    b_->launch(current(), span(call), queue, "gemm", span(run), stack(op));
    return;
  }
  b_->call(current(), "cudaGraphLaunch", span(call),
           {.correlation = ++correlation_, .stack = stack(op), .stream = kStreams[op.stream]});
  b_->graph(queue, span(run), correlation_);
}

void HostRecorder::host(Interval at, const Op& op) {
  if (b_ == nullptr) return;
  switch (op.kind) {
    case Op::LoadOnMain:
      sample(at, kLoading);
      break;
    case Op::Python:
      sample(at, "train.py:6 step; " + function_of(op.site));
      break;
    case Op::Sleep:
      b_->wait(current(), "clock_nanosleep", span(at), {.stack = line_of(op.site)});
      break;
    case Op::Write:
      b_->wait(current(), "write", span(at), {.stack = line_of(op.site)});
      break;
    case Op::Collect:
      b_->range(current(), "gc", span(at), RangeKind::Gc);
      break;
    default:
      b_->call(current(), "cudaMalloc", span(at), {.stack = line_of(op.site), .bytes = 1 << 20});
  }
}

void HostRecorder::free(Interval call, const Op& op) {
  if (b_ == nullptr) return;
  const std::string stack = line_of(op.site) + "; " + kTorch + "cuda/memory.py:200 empty_cache";
  b_->call(current(), "cudaFree", span(call), {.stack = stack});
}

void HostRecorder::allocate_again(Interval call) {
  if (b_ == nullptr) return;
  b_->call(current(), "cudaMalloc", span(call), {.stack = "train.py:30 step", .bytes = 1 << 20});
}

void HostRecorder::item_copy(Interval call, Interval run, const Op& op) {
  if (b_ == nullptr) return;
  b_->call(current(), "cudaMemcpyAsync", span(call),
           {.correlation = ++correlation_,
            .stack = line_of(op.site),
            .stream = kStreams[op.stream],
            .bytes = 4});
  b_->memcpy(queue_[op.stream], span(run), correlation_,
             {4, kDeviceToHost, kDeviceMemory, kPinned});
}

void HostRecorder::synchronise(Interval call, const Op& op) {
  if (b_ == nullptr) return;
  CallFields f;
  const std::string stack = line_of(op.site);
  f.stack = stack;
  std::string_view name = "cudaStreamSynchronize";
  f.stream = kStreams[op.stream];
  if (op.on == Op::Device) name = "cudaDeviceSynchronize", f.stream = 0;
  if (op.on == Op::Event) {
    name = "cudaEventSynchronize";
    f.stream = 0;
    f.object = 100 + static_cast<uint64_t>(op.number);
  }
  b_->call(current(), name, span(call), f);
  ++line_;
}

void HostRecorder::upload(Interval call, Interval run, const Op& op, uint8_t memory) {
  if (b_ == nullptr) return;
  const double speed = memory == kPinned ? 2.5 * kBytesPerUs : kBytesPerUs;
  const auto bytes = static_cast<uint64_t>((run.end - run.start) * speed);
  b_->call(current(), "cudaMemcpyAsync", span(call),
           {.correlation = ++correlation_,
            .stack = line_of(op.site),
            .stream = kStreams[op.stream],
            .bytes = bytes,
            .copy_kind = kHostToDevice});
  b_->memcpy(queue_[op.stream], span(run), correlation_,
             {bytes, kHostToDevice, memory, kDeviceMemory});
}

void HostRecorder::event_call(std::string_view name, Interval call, const Op& op) {
  if (b_ == nullptr) return;
  const std::string frames = stack(op);
  b_->call(current(), name, span(call),
           {.stack = frames,
            .stream = kStreams[op.stream],
            .object = 100 + static_cast<uint64_t>(op.number)});
}

void HostRecorder::hand_over(int thread, double since, double now) {
  thread_ = thread;
  if (b_ == nullptr) return;
  WaitFields f;
  f.object = b_->object(trace::ObjectKind::Condition, {}, 1 + raw(current()));
  if (thread == 0) f.stack = kBackward;
  f.waker = thread == 0 ? autograd_ : main_;
  f.waker_time = ns(now - 1);
  b_->wait(current(), "pthread_cond_wait", {ns(since), ns(now)}, f);
}

void HostRecorder::sample(Interval at, const std::string& stack) {
  for (next_sample_ = std::max(next_sample_, at.start); next_sample_ < at.end;
       next_sample_ += sample_every_)
    b_->sample(current(), ns(next_sample_), stack, {.state = trace::ThreadRunState::Running});
}

}  // namespace gpustall::test::sim
