#include "test/sim/host_sim.h"

#include <algorithm>
#include <array>

#include "test/sim/host_recorder.h"
#include "test/sim/loader_sim.h"

namespace gpustall::test::sim {
namespace {

constexpr double kHandOver = 10;  // from the end of one thread's work to the start of the other's
constexpr double kEventCall = 1, kFreeCall = 20, kStaging = 5;
constexpr int kBlocks = 4;              // that emptying the cache gives back
constexpr double kPinnedSpeedup = 2.5;  // of a copy
constexpr size_t kAheadWorkers = 4, kAheadBatches = 8;

struct DeviceStream {
  double tail = 0, depends = 0;
  std::vector<double> starts;
  double ready() const { return std::max(tail, depends); }
};

class Run {
 public:
  Run(const Program& program, const std::set<char>& removed, const Machine& machine,
      RecordingBuilder* builder)
      : removed_(removed),
        m_(machine),
        recorder_(builder, machine.sample_every),
        loader_(program.loader, removed, machine.sample_every, builder) {
    if (program.loader.workers > 0) loader_.start(recorder_.main());
  }

  void step(const Step& ops) {
    step_us_.push_back(std::max(now_, device_end()));
    recorder_.begin_step();
    for (const Op& op : ops) execute(op);
  }

  Outcome outcome() {
    loader_.finish(now_);
    Outcome out;
    out.total_us = std::max(now_, device_end());
    out.step_us = std::move(step_us_);
    return out;
  }

 private:
  bool gone(const Op& op) const { return op.site != 0 && removed_.count(op.site) != 0; }
  double device_end() const {
    double end = 0;
    for (const DeviceStream& s : streams_) end = std::max(end, s.tail);
    return end;
  }

  void execute(const Op& op) {
    switch (op.kind) {
      case Op::Cpu:
        if (!gone(op)) now_ += op.us;
        break;
      case Op::Kernel:
      case Op::Graph:
        launch(op);
        break;
      case Op::LoadOnMain:
        load(op);
        break;
      case Op::NextBatch:
        now_ = loader_.next(now_);
        break;
      case Op::Python:
      case Op::Sleep:
      case Op::Write:
      case Op::Collect:
      case Op::Malloc:
        if (!gone(op)) host(op);
        break;
      case Op::EmptyCache:
        if (!gone(op)) empty_cache(op);
        break;
      case Op::Sync:
        if (!gone(op)) synchronise(op);
        break;
      case Op::Upload:
        gone(op) ? pinned_copy(op, op.us / kPinnedSpeedup) : upload(op);
        break;
      case Op::PinnedCopy:
        gone(op) ? copy_ahead(op) : pinned_copy(op, op.us);
        break;
      case Op::Record:
        record(op);
        break;
      case Op::StreamWait:
        stream(op).depends = std::max(stream(op).depends, events_[event(op)]);
        event_call("cudaStreamWaitEvent", op);
        break;
      case Op::Hand:
        hand_over(op.number);
        break;
    }
  }

  DeviceStream& stream(const Op& op) { return streams_[static_cast<size_t>(op.stream)]; }
  static size_t event(const Op& op) { return static_cast<size_t>(op.number); }

  double start_on_device(DeviceStream& s, double earliest, double us) {
    const double start = std::max(earliest, s.ready() + m_.spacing);
    s.starts.push_back(start);
    s.tail = start + us;
    return start;
  }

  // At most `queue` launches may be waiting to start.
  void launch(const Op& op) {
    DeviceStream& s = stream(op);
    const double begin = now_;
    if (s.starts.size() >= m_.queue) now_ = std::max(now_, s.starts[s.starts.size() - m_.queue]);
    if (!gone(op)) now_ += m_.call;
    const double start = start_on_device(s, now_ + m_.launch_latency, op.us);
    recorder_.launch({begin, now_}, {start, s.tail}, op);
  }

  void load(const Op& op) {
    if (gone(op)) {
      // Worker b % 4 begins batch b when batch b - 8 has been handed out.
      const size_t b = handed_out_.size();
      const double asked = b < kAheadBatches ? 0 : handed_out_[b - kAheadBatches];
      double& worker = ahead_[b % kAheadWorkers];
      worker = std::max(worker, asked) + op.us;
      now_ = std::max(now_, worker);
      handed_out_.push_back(now_);
      return;
    }
    host(op);
  }

  void host(const Op& op) {
    now_ += op.us;
    recorder_.host({now_ - op.us, now_}, op);
  }

  void empty_cache(const Op& op) {
    for (int i = 0; i < kBlocks; ++i) {
      const double begin = now_, done = device_end();
      now_ = std::max(now_ + kFreeCall, done + m_.wake_up);
      recorder_.free({begin, now_}, op);
    }
    for (int i = 0; i < kBlocks; ++i) {
      now_ += op.us / kBlocks;
      recorder_.allocate_again({now_ - op.us / kBlocks, now_});
    }
  }

  void synchronise(const Op& op) {
    const double begin = now_;
    DeviceStream& s = stream(op);
    now_ += m_.sync_call / 2;
    const double issued = now_;
    double done = op.on == Op::Device ? device_end() : s.ready();
    if (op.on == Op::Event) done = events_[event(op)];
    if (op.on == Op::Item) {
      const double start = start_on_device(s, now_ + m_.launch_latency, m_.copy);
      done = s.tail;
      recorder_.item_copy({begin, issued}, {start, s.tail}, op);
    }
    now_ = std::max(now_ + m_.sync_call / 2, done > issued ? done + m_.wake_up : 0);
    recorder_.synchronise({op.on == Op::Item ? issued : begin, now_}, op);
  }

  void upload(const Op& op) {
    DeviceStream& s = stream(op);
    const double begin = now_;
    const double start = start_on_device(s, now_ + kStaging, op.us);
    now_ = s.tail + m_.wake_up;
    recorder_.upload({begin, now_}, {start, s.tail}, op, kPageable);
  }

  void pinned_copy(const Op& op, double us) {
    DeviceStream& s = stream(op);
    now_ += m_.call;
    const double start = start_on_device(s, now_ + m_.launch_latency, us);
    recorder_.upload({now_ - m_.call, now_}, {start, s.tail}, op, kPinned);
  }

  // On a stream of its own, from where the copy before was needed.
  void copy_ahead(const Op& op) {
    copied_ = std::max(copied_, copy_asked_) + op.us;
    copy_asked_ = now_ += m_.call;
    stream(op).depends = std::max(stream(op).depends, copied_);
  }

  void record(const Op& op) {
    events_[event(op)] = stream(op).ready();
    event_call("cudaEventRecord", op);
  }

  void event_call(std::string_view name, const Op& op) {
    const double begin = now_;
    if (!gone(op)) now_ += kEventCall;
    recorder_.event_call(name, {begin, now_}, op);
  }

  void hand_over(int thread) {
    if (thread == thread_) return;
    const double from = now_;
    now_ += kHandOver;
    recorder_.hand_over(thread, waits_since_, now_);
    waits_since_ = from;
    thread_ = thread;
  }

  const std::set<char>& removed_;
  const Machine& m_;
  HostRecorder recorder_;
  LoaderSim loader_;
  double now_ = 0, waits_since_ = 0, copied_ = 0, copy_asked_ = 0;
  std::array<DeviceStream, 3> streams_;
  std::array<double, 8> events_{};
  std::vector<double> handed_out_, step_us_;
  std::array<double, kAheadWorkers> ahead_{};
  int thread_ = 0;
};

Outcome play(const Program& program, const std::set<char>& removed, const Machine& machine,
             RecordingBuilder* builder) {
  Run run(program, removed, machine, builder);
  for (const Step& step : program.steps) run.step(step);
  return run.outcome();
}

}  // namespace

Outcome run(const Program& program, const std::set<char>& removed, const Machine& machine) {
  RecordingBuilder builder;
  Outcome out = play(program, removed, machine, &builder);
  out.recording = builder.build();
  return out;
}

Outcome time_only(const Program& program, const std::set<char>& removed, const Machine& machine) {
  return play(program, removed, machine, nullptr);
}

}  // namespace gpustall::test::sim
