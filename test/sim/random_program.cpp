#include "test/sim/random_program.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace gpustall::test::sim {
namespace {

// std::mt19937 is the same everywhere, the standard distributions are not.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  double share() { return double(engine_()) / 4294967296.0; }
  bool chance(double p) { return share() < p; }
  double between(double low, double high) { return low * std::pow(high / low, share()); }
  int whole(int low, int high) { return low + static_cast<int>(share() * (high - low + 1)); }

 private:
  std::mt19937 engine_;
};

struct Periodic {  // every `every` steps, in step `first` of them
  Op op;
  int every = 1, first = 0;
  double at = 0;  // share of the step's operations before it
};

class Author {
 public:
  explicit Author(uint32_t seed) : dice_(seed) {}

  Program write() {
    Program program;
    choose_input(program.loader);
    choose_passes();
    choose_stalls();
    const int steps = dice_.whole(24, 32);
    for (int i = 0; i < steps; ++i) program.steps.push_back(step(i));
    return program;
  }

 private:
  void choose_input(Loader& loader) {
    if (dice_.chance(0.2)) {
      input_.push_back(load_on_main(dice_.between(100, 8000), 'l'));
    } else if (dice_.chance(0.4)) {
      loader.workers = dice_.whole(1, 4);
      loader.decode_us = dice_.between(500, 8000) * loader.workers;
      loader.spread = dice_.chance(0.5) ? dice_.share() * 0.6 : 0;
      loader.read_us = dice_.chance(0.4) ? dice_.between(200, 6000) : 0;
      loader.pin_us = dice_.chance(0.4) ? dice_.between(50, 400) : 0;
      loader.decode_site = kDecodeSite;
      loader.read_site = kReadSite;
      input_.push_back(next_batch());
    }
    if (dice_.chance(0.2))
      input_.push_back({Op::Upload, dice_.between(50, 2000), 'u'});
    else if (dice_.chance(0.2))
      input_.push_back({Op::PinnedCopy, dice_.between(50, 2000), 'p'});
  }

  Step pass(char line) {
    const double host = dice_.between(3, 30), device = dice_.between(2, 300);
    return net(host, device, dice_.whole(4, 30), line);
  }

  void choose_passes() {
    forward_ = pass('f');
    if (dice_.chance(0.25)) add_second_stream();
    backward_ = pass('b');
    if (dice_.chance(0.5)) backward_ = Step{hand_to(1)} + backward_ + Step{hand_to(0)};
    optimizer_ = dice_.chance(0.2) ? Step{cpu(20, 'o'), {Op::Graph, dice_.between(50, 1000), 'o'}}
                                   : pass('o');
    if (dice_.chance(0.05)) optimizer_ = net(2, 4, 400, 'o');  // towards the launch queue's bound
    light_ = dice_.chance(0.2) ? dice_.between(0.05, 0.5) : 1;
    jitter_ = dice_.share() * 0.3;
  }

  void add_second_stream() {
    const Op record{Op::Record, 0, 'f', 0, 0}, wait{Op::StreamWait, 0, 'f', 0, 1};
    const Op record_back{Op::Record, 0, 'f', 1, 1}, wait_back{Op::StreamWait, 0, 'f', 1, 0};
    Step side{record, wait};
    const double us = dice_.between(5, 500);
    for (int i = dice_.whole(1, 5); i > 0; --i) side.push_back(kernel(us, 'f', 1));
    side.push_back(record_back);
    forward_.insert(forward_.begin() + static_cast<long>(forward_.size() / 2), side.begin(),
                    side.end());
    forward_.push_back(wait_back);
  }

  void sometimes(double chance, Op op, int most_rarely) {
    if (!dice_.chance(chance)) return;
    Periodic p{op, dice_.chance(0.5) ? 1 : dice_.whole(2, most_rarely), 0, dice_.share()};
    p.first = dice_.whole(0, p.every - 1);
    stalls_.push_back(p);
  }

  void choose_stalls() {
    sometimes(0.5, read('a'), 4);
    sometimes(0.2, read('r'), 4);
    sometimes(0.15, {Op::Sync, 0, 'd', 0, 0, Op::Device}, 6);
    sometimes(0.15, {Op::Sync, 0, 's', 0, 0, Op::Stream}, 6);
    sometimes(0.2, python(dice_.between(600, 12000), 'y'), 8);
    sometimes(0.15, {Op::Sleep, dice_.between(100, 4000), 'z'}, 8);
    sometimes(0.1, {Op::Write, dice_.between(60, 2000), 'w'}, 8);
    sometimes(0.15, {Op::Collect, dice_.between(100, 8000), 'g'}, 6);
    sometimes(0.1, {Op::EmptyCache, dice_.between(200, 2000), 'c'}, 6);
    sometimes(0.1, {Op::Malloc, dice_.between(60, 800), 'n'}, 6);
    if (dice_.chance(0.15)) reads_between_ = dice_.whole(2, 8);
    // An event of the forward pass, waited for at the end of the step.
    if (dice_.chance(0.15)) waits_for_event_ = true;
  }

  Step step(int number) {
    Step middle = forward_;
    if (reads_between_ > 0)
      for (size_t i = middle.size(); i-- > 0;)
        if (middle[i].kind == Op::Kernel && i % (2 * static_cast<size_t>(reads_between_)) == 1)
          middle.insert(middle.begin() + static_cast<long>(i) + 1, read('m'));
    if (waits_for_event_) middle.push_back({Op::Record, 0, 'f', 2, 0});
    Step out = input_ + middle + backward_ + optimizer_;
    if (waits_for_event_) out.push_back({Op::Sync, 0, 'e', 2, 0, Op::Event});
    for (const Periodic& p : stalls_)
      if (number % p.every == p.first) insert(out, p);
    for (Op& op : out) vary(op, number);
    return out;
  }

  // Not between the two hand-overs: the autograd thread runs no Python of its own.
  static void insert(Step& step, const Periodic& p) {
    auto at = static_cast<size_t>(p.at * double(step.size() + 1));
    for (size_t i = 0; i < step.size(); ++i) {
      if (step[i].kind != Op::Hand || step[i].number != 1) continue;
      size_t end = i;
      while (step[end].kind != Op::Hand || step[end].number != 0) ++end;
      if (at > i && at <= end) at = end + 1;
      break;
    }
    step.insert(step.begin() + static_cast<long>(std::min(at, step.size())), p.op);
  }

  void vary(Op& op, int number) {
    const bool device = op.kind == Op::Kernel || op.kind == Op::Graph;
    if (device && number % 2 == 1) op.us *= light_;
    if (op.kind == Op::Cpu) op.us *= 1 + jitter_ * (2 * dice_.share() - 1);
  }

  Dice dice_;
  Step input_, forward_, backward_, optimizer_;
  std::vector<Periodic> stalls_;
  double light_ = 1, jitter_ = 0;
  int reads_between_ = 0;
  bool waits_for_event_ = false;
};

}  // namespace

Program random_program(uint32_t seed) {
  return Author(seed).write();
}

std::set<Removable> removables(const Program& program) {
  std::set<Removable> out;
  for (const Step& step : program.steps) {
    int thread = 0;
    for (const Op& op : step) {
      if (op.kind == Op::Hand) thread = op.number;
      const bool removable =
          op.site != 0 && op.kind != Op::Cpu && op.kind != Op::Record && op.kind != Op::StreamWait;
      if (removable) out.insert({op.kind, op.site, thread == 1, op.on});
    }
  }
  if (program.loader.decode_us > 0) out.insert({Op::NextBatch, kDecodeSite});
  if (program.loader.read_us > 0) out.insert({Op::NextBatch, kReadSite});
  return out;
}

}  // namespace gpustall::test::sim
