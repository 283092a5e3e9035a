#include "samples.h"

#include <string>

namespace gpustall::test {

namespace {

constexpr std::string_view kAdam =
    "/home/u/train.py:30 main; /x/site-packages/torch/optim/optimizer.py:400 wrapper; "
    "/x/site-packages/torch/optim/adam.py:200 step";
constexpr std::string_view kNext =
    "/home/u/train.py:20 main; /x/site-packages/torch/utils/data/dataloader.py:700 __next__";
constexpr std::string_view kFetch =
    "/x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; "
    "/x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; /home/u/data.py:41 decode";

class Loop {
 public:
  explicit Loop(size_t launches) : launches_(launches) {
    b_.process(101, trace::Role::LoaderWorker).parent_pid = 100;
    worker_ = b_.thread("worker");
    b_.process(100);
    main_ = b_.thread("main");
    gpu_ = b_.queue(0, 7);
  }

  void step(size_t number) {
    wait_for_data(number % 4 == 0 ? 900'000 : 40'000);
    for (size_t i = 0; i + 2 < launches_; ++i) {
      const std::string line = std::to_string(40 + i % 7);
      launch("/home/u/train.py:25 main; /home/u/model.py:" + line + " forward", "gemm");
    }
    launch(kAdam, "adam");
    launch(kAdam, "adam");
    if (number % 10 == 9) {
      b_.wait(main_, "nanosleep", {now_ + 1000, now_ + 300'000},
              {.stack = "/home/u/train.py:33 main"});
      now_ += 300'000;
    }
  }

  Recording recording() const { return b_.build(); }

 private:
  void launch(std::string_view stack, std::string_view kernel) {
    now_ += 20'000;
    b_.launch(main_, {now_ - 3000, now_}, gpu_, kernel, {now_ + 2000, now_ + 9'000}, stack);
  }
  void wait_for_data(TraceTime ns) {
    const ObjectId pipe = b_.object(trace::ObjectKind::Pipe, "pipe", 77);
    b_.sample(worker_, now_ + ns / 2, kFetch, {.state = trace::ThreadRunState::Running});
    b_.wait(worker_, "write", {now_ + ns - 5000, now_ + ns - 1000},
            {.object = pipe, .stack = kFetch});
    b_.wait(main_, "read", {now_ + 1000, now_ + ns}, {.object = pipe, .stack = kNext});
    now_ += ns;
  }

  RecordingBuilder b_;
  ThreadIndex main_{}, worker_{};
  QueueIndex gpu_{};
  size_t launches_;
  TraceTime now_ = 1'000'000;
};

}  // namespace

const char* const kHostile =
    "</script><script>window.hit=1</script><!--<img src=x onerror=window.hit=1>"
    "\"' onmouseover=window.hit=1 x=&lt;\xff\xc0\x1b[31m";

Recording training_loop(size_t steps, size_t launches) {
  Loop loop(launches);
  for (size_t i = 0; i < steps; ++i) loop.step(i);
  Recording recording = loop.recording();
  recording.name = "loop";
  return recording;
}

collect::Model hostile_model() {
  Recording recording = training_loop(40, 12);
  const Analysis analysis = analyze(recording);
  // After the analysis: what a path means to it must not change.
  for (size_t i = 1; i < recording.strings.size(); ++i) recording.strings[i] += kHostile;
  for (Device& device : recording.devices) device.name += kHostile;
  for (Process& process : recording.processes) process.info["k" + std::string(kHostile)] = kHostile;
  recording.name += kHostile;
  recording.not_observed.emplace_back(kHostile);
  collect::Model model = build_model(recording, analysis);
  for (collect::ModelDevice& device : model.devices)
    for (collect::CauseRow& row : device.steady->causes)
      if (row.site) row.site->text = kHostile;
  return model;
}

}  // namespace gpustall::test
