#include "test/sim/host_sim.h"

#include <algorithm>
#include <cmath>

namespace gpustall::test::sim {
namespace {

constexpr std::string_view kTorch = "/usr/lib/python3/dist-packages/torch/";
constexpr double kHandOver = 10;  // from the end of one thread's work to the start of the other's

TraceTime ns(double us) {
  return std::llround(us * 1000);
}

std::string torch_frame(std::string_view file, std::string_view function) {
  return std::string(kTorch) + std::string(file) + " " + std::string(function);
}

class Run {
 public:
  Run(const std::set<char>& removed, const Machine& machine) : removed_(removed), m_(machine) {
    main_ = b_.thread("main");
    autograd_ = b_.thread("pt_autograd_0");
    stream_ = b_.queue(0, 7);
    backward_ = "train.py:20 step; " + torch_frame("_tensor.py:500", "backward") + "; " +
                torch_frame("autograd/graph.py:800", "_engine_run_backward");
    loading_ = "train.py:5 step; " + torch_frame("utils/data/dataloader.py:700", "__next__") +
               "; " + torch_frame("utils/data/_utils/fetch.py:50", "fetch") +
               "; dataset.py:30 __getitem__";
    next_ = "train.py:5 step; " + torch_frame("utils/data/dataloader.py:700", "__next__") + "; " +
            torch_frame("utils/data/dataloader.py:1200", "_try_get_data");
  }

  void step(const Step& ops) {
    launch_line_ = 10;
    for (const Op& op : ops) execute(op);
  }

  Outcome outcome() { return {std::max(now_, tail_), b_.build()}; }

 private:
  void execute(const Op& op) {
    switch (op.kind) {
      case Op::Cpu:
        now_ += op.us;
        break;
      case Op::LoadOnMain:
        sample(now_, now_ + op.us, loading_);
        now_ += op.us;
        break;
      case Op::Kernel:
        launch(op.us);
        break;
      case Op::Sync:
        if (!removed_.count(op.site)) synchronise(op.site);
        break;
      case Op::Hand:
        hand_over(op.thread);
        break;
      case Op::NextBatch:
        next_batch(op.us);
        break;
    }
  }

  // At most `queue` launches may be waiting to start.
  double begin_call() {
    const double begin = now_;
    if (starts_.size() >= m_.queue) now_ = std::max(now_, starts_[starts_.size() - m_.queue]);
    return begin;
  }
  double start_on_device(double us) {
    const double start = std::max(now_ + m_.launch_latency, tail_);
    starts_.push_back(start);
    tail_ = start + us;
    return start;
  }

  void launch(double us) {
    const double begin = begin_call();
    now_ += m_.call;
    const double start = start_on_device(us);
    const std::string stack =
        thread_ == 0 ? "train.py:" + std::to_string(launch_line_) + " step" : "";
    b_.launch(thread_ == 0 ? main_ : autograd_, {ns(begin), ns(now_)}, stream_, "gemm",
              {ns(start), ns(start + us)}, stack);
  }

  void synchronise(char site) {
    const double begin = now_;
    const std::string stack = line_of(site);
    now_ += m_.sync_call / 2;
    const double start = start_on_device(m_.copy), issued = now_;
    now_ = std::max(now_ + m_.sync_call / 2, tail_ + m_.wake_up);
    CallFields copy{.correlation = ++correlation_, .stack = stack, .bytes = 4};
    const ThreadIndex thread = thread_ == 0 ? main_ : autograd_;
    b_.call(thread, "cudaMemcpyAsync", {ns(begin), ns(issued)}, copy);
    b_.memcpy(stream_, {ns(start), ns(start + m_.copy)}, correlation_,
              {4, kDeviceToHost, kDeviceMemory, kPinned});
    b_.call(thread, "cudaStreamSynchronize", {ns(issued), ns(now_)}, {.stack = stack});
    ++launch_line_;
  }

  void hand_over(int thread) {
    if (thread == thread_) return;
    const double from = now_;
    now_ += kHandOver;
    // The thread that takes over ends its wait; the other begins its own.
    const auto end_wait = [&](ThreadIndex who, double since, std::string_view stack) {
      WaitFields f;
      f.object = b_.object(trace::ObjectKind::Condition, {}, 1 + raw(who));
      f.stack = stack;
      f.waker = who == main_ ? autograd_ : main_;
      f.waker_time = ns(now_ - 1);
      b_.wait(who, "pthread_cond_wait", {ns(since), ns(now_)}, f);
    };
    if (thread == 0)
      end_wait(main_, waits_since_, backward_);
    else
      end_wait(autograd_, waits_since_, {});
    waits_since_ = from;
    thread_ = thread;
  }

  // One batch per period, made ahead of time.
  void next_batch(double period) {
    const double ready = ++batches_ * period;
    if (ready <= now_) return;
    b_.wait(main_, "poll", {ns(now_), ns(ready)},
            {.object = b_.object(trace::ObjectKind::Pipe, {}, 77), .stack = next_});
    now_ = ready;
  }

  void sample(double from, double to, const std::string& stack) {
    for (next_sample_ = std::max(next_sample_, from); next_sample_ < to;
         next_sample_ += m_.sample_every)
      b_.sample(main_, ns(next_sample_), stack, {.state = trace::ThreadRunState::Running});
  }

  const std::set<char>& removed_;
  const Machine& m_;
  RecordingBuilder b_;
  ThreadIndex main_{}, autograd_{};
  QueueIndex stream_{};
  std::string backward_, loading_, next_;
  double now_ = 0, tail_ = 0, waits_since_ = 0, next_sample_ = 0;
  std::vector<double> starts_;
  int thread_ = 0, batches_ = 0, launch_line_ = 10;
  uint64_t correlation_ = 0;
};

}  // namespace

Op cpu(double us) {
  return {Op::Cpu, us};
}
Op load_on_main(double us) {
  return {Op::LoadOnMain, us};
}
Op kernel(double us) {
  return {Op::Kernel, us};
}
Op read(char site) {
  return {Op::Sync, 0, site};
}
Op hand_to(int thread) {
  return {Op::Hand, 0, 0, thread};
}
Op next_batch(double period_us) {
  return {Op::NextBatch, period_us};
}

Step operator+(Step a, const Step& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Step times(int n, const Step& step) {
  Step out;
  for (int i = 0; i < n; ++i) out.insert(out.end(), step.begin(), step.end());
  return out;
}

Step net(double host_us, double kernel_us, int layers) {
  return times(layers, {cpu(host_us), kernel(kernel_us)});
}

std::string line_of(char site) {
  return "train.py:" + std::to_string(100 + site) + " step";
}

Outcome run(const Program& program, const std::set<char>& removed, const Machine& machine) {
  Run run(removed, machine);
  for (const Step& step : program) run.step(step);
  return run.outcome();
}

}  // namespace gpustall::test::sim
