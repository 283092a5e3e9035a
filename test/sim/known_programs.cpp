#include "test/sim/known_programs.h"

namespace gpustall::test::sim {
namespace {

constexpr int kSteps = 40;

Program repeat(const Step& step) {
  return {std::vector<Step>(kSteps, step), {}};
}

Program behind_a_slow_loader() {
  Program program = repeat(Step{next_batch(), cpu(1000)} + net(8, 40, 200) + Step{read('a')});
  program.loader = {.workers = 1, .decode_us = 20000};
  return program;
}

Program heavy_and_light() {
  Program program;
  for (int i = 0; i < kSteps; ++i)
    program.steps.push_back(i % 4 < 2 ? net(4, 100, 100) + Step{read('a')}
                                      : Step{cpu(9000)} + net(4, 10, 100) + Step{read('a')});
  return program;
}

Program logs_every_tenth() {
  Program program = repeat(net(5, 33, 300) + Step{read('a')});
  for (int i = 4; i < kSteps; i += 10) program.steps[static_cast<size_t>(i)].push_back(cpu(30000));
  return program;
}

}  // namespace

Program two_reads_in_a_row() {
  return repeat(Step{cpu(500)} + net(8, 30, 100) + Step{read('a'), cpu(30), read('b')});
}

Program second_read_in_place() {
  return repeat(net(4, 100, 30) + Step{read('a')} + net(4, 10, 1) + Step{read('b'), cpu(2000)});
}

const std::vector<KnownProgram>& known_programs() {
  static const std::vector<KnownProgram> all{
      {"GPU-bound, one read at the end", repeat(Step{cpu(500)} + net(8, 30, 100) + Step{read('a')}),
       14.4},
      {"30 reads, 10 kernels between", repeat(times(30, net(8, 20, 10) + Step{read('a')})), 8.9},
      {"100 reads, 1 kernel between", repeat(times(100, net(8, 30, 1) + Step{read('a')})), 39.4},
      {"launch-bound, one read", repeat(net(12, 5, 100) + Step{read('a')}), 0.9},
      {"launch-bound, 100 reads", repeat(times(100, net(12, 5, 1) + Step{read('a')})), 47.4},
      {"launch-bound, a read behind a heavy head",
       repeat(net(8, 100, 20) + Step{read('a')} + net(12, 5, 100)), 29.0},
      {"forward on main, backward on the autograd thread",
       repeat(Step{kernel(5000), read('a')} + net(12, 10, 100) + Step{hand_to(1)} +
              net(12, 10, 200) + Step{hand_to(0)}),
       16.1},
      {"loading 10 ms on the main process",
       repeat(Step{load_on_main(10000)} + net(8, 40, 300) + Step{read('a')}), 38.6},
      {"behind a slow loader", behind_a_slow_loader(), 0.0},
      {"two reads in a row, both removed", two_reads_in_a_row(), 15.4, {'a', 'b'}},
      {"two GPU-heavy, then two host-heavy steps", heavy_and_light(), 45.1},
      {"30 ms of host work every tenth step", logs_every_tenth(), 23.4},
      {"1,500 launches and an 8 ms pause",
       repeat(Step{cpu(8000)} + net(2, 6, 1500) + Step{read('a')}), 8.7},
      {"the first of two reads in different halves",
       repeat(net(8, 30, 100) + Step{read('a'), cpu(500)} + net(8, 30, 100) +
              Step{read('b'), cpu(500)}),
       7.4}};
  return all;
}

}  // namespace gpustall::test::sim
