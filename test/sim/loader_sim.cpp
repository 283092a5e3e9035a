#include "test/sim/loader_sim.h"

#include <algorithm>
#include <cmath>

namespace gpustall::test::sim {
namespace {

constexpr double kTransport = 60;  // of an index to a worker, and of a batch back
const std::string kData = "/usr/lib/python3/dist-packages/torch/utils/data/";
const std::string kLoop = kData + "_utils/worker.py:300 _worker_loop";
const std::string kIdle = kLoop + "; /usr/lib/python3.11/multiprocessing/queues.py:113 get";
const std::string kFetch = kLoop + "; " + kData + "_utils/fetch.py:50 fetch; ";
const std::string kNext = "train.py:5 step; " + kData + "dataloader.py:700 __next__; " + kData +
                          "dataloader.py:1200 _try_get_data";
const std::string kPin = kData + "_utils/pin_memory.py:30 _pin_memory_loop";

TraceTime ns(double us) {
  return std::llround(us * 1000);
}

}  // namespace

LoaderSim::LoaderSim(const Loader& loader, const std::set<char>& removed, double sample_every,
                     RecordingBuilder* recorder)
    : loader_(loader),
      b_(recorder),
      read_us_(removed.count(loader.read_site) ? 0 : loader.read_us),
      decode_us_(removed.count(loader.decode_site) ? 0 : loader.decode_us),
      sample_every_(sample_every),
      free_(static_cast<size_t>(loader.workers)),
      next_sample_(static_cast<size_t>(loader.workers)) {}

void LoaderSim::start(ThreadIndex main) {
  main_ = main;
  if (b_ != nullptr) {
    pin_ = loader_.pin_us > 0 ? b_->thread("pin") : main;
    for (int w = 0; w < loader_.workers; ++w) {
      b_->process(200 + static_cast<uint32_t>(w), trace::Role::LoaderWorker).parent_pid = 100;
      worker_.push_back(b_->thread("worker"));
    }
    b_->process(100);
  }
  for (int i = 0; i < loader_.workers * loader_.prefetch; ++i) ask(0);
}

// Deterministic, without pattern: a hash of the batch's number.
double LoaderSim::varied(int batch) const {
  uint32_t x = static_cast<uint32_t>(batch) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return 1 + loader_.spread * (2 * double(x) / 4294967296.0 - 1);
}

void LoaderSim::ask(double now) {
  const int batch = asked_++;
  const auto worker = static_cast<size_t>(batch % loader_.workers);
  const double from = std::max(now + kTransport, free_[worker]);
  const double decode_from = from + read_us_;
  const double ready = decode_from + decode_us_ * varied(batch);
  if (b_ != nullptr) record_work(static_cast<int>(worker), free_[worker], from, decode_from, ready);
  free_[worker] = ready;
  under_way_.push({ready + kTransport, batch});
  at_main_.push_back(-1);
}

void LoaderSim::record_work(int worker, double idle_from, double from, double decode_from,
                            double ready) {
  const ThreadIndex thread = worker_[static_cast<size_t>(worker)];
  const ObjectId index =
      b_->object(trace::ObjectKind::Pipe, {}, 500 + static_cast<uint64_t>(worker));
  if (from > idle_from)
    b_->wait(thread, "poll", {ns(idle_from), ns(from)}, {.object = index, .stack = kIdle});
  if (decode_from > from) {
    const std::string stack = kFetch + "dataset.py:20 read_file";
    b_->wait(thread, "read", {ns(from), ns(decode_from)},
             {.object = b_->object(trace::ObjectKind::File, "/data/images", 9), .stack = stack});
  }
  double& sample = next_sample_[static_cast<size_t>(worker)];
  for (sample = std::max(sample, decode_from); sample < ready; sample += sample_every_)
    b_->sample(thread, ns(sample), kFetch + "dataset.py:30 decode",
               {.state = trace::ThreadRunState::Running});
}

// Arrivals, in the order in which the batches are ready.
void LoaderSim::take_over(const Batch& batch) {
  double& there = at_main_[static_cast<size_t>(batch.number)];
  there = batch.ready;
  if (loader_.pin_us == 0) return;
  const double from = std::max(pin_free_, batch.ready);
  there = from + loader_.pin_us;
  if (b_ != nullptr && from > pin_free_) {
    b_->wait(pin_, "poll", {ns(pin_free_), ns(from)},
             {.object = b_->object(trace::ObjectKind::Pipe, {}, 77), .stack = kPin});
  }
  if (b_ != nullptr)
    b_->sample(pin_, ns(from + loader_.pin_us / 2), kPin,
               {.state = trace::ThreadRunState::Running});
  pin_free_ = there;
}

double LoaderSim::next(double now) {
  const auto wanted = static_cast<size_t>(taken_++);
  while (at_main_[wanted] < 0) {
    const Batch batch = under_way_.top();
    under_way_.pop();
    take_over(batch);
  }
  const double got = std::max(now, at_main_[wanted]);
  if (b_ != nullptr && got > now) {
    WaitFields f;
    f.stack = kNext;
    if (loader_.pin_us > 0) {
      f.object = b_->object(trace::ObjectKind::Semaphore, {}, 78);
      f.waker = pin_;
      f.waker_time = ns(got - 1);
    } else {
      f.object = b_->object(trace::ObjectKind::Pipe, {}, 77);
    }
    b_->wait(main_, loader_.pin_us > 0 ? "sem_wait" : "poll", {ns(now), ns(got)}, f);
  }
  ask(got);
  return got;
}

void LoaderSim::finish(double now) {
  if (b_ == nullptr) return;
  for (size_t w = 0; w < worker_.size(); ++w)
    if (now > free_[w])
      b_->wait(worker_[w], "poll", {ns(free_[w]), ns(now)},
               {.object = b_->object(trace::ObjectKind::Pipe, {}, 500 + w), .stack = kIdle});
}

}  // namespace gpustall::test::sim
