// A discrete simulator of a training program: host threads that hand work over to each other, FIFO
// streams behind bounded launch queues, events, a loader, synchronisations. It yields the Recording
// that such a run would leave, and when each step ends; run again with a cause removed, it tells
// the true gain. Times in microseconds; deterministic.
#pragma once
#include <set>
#include <vector>

#include "test/builder/recording_builder.h"
#include "test/sim/program.h"

namespace gpustall::test::sim {

struct Machine {
  double launch_latency = 4, call = 3, wake_up = 3, copy = 1.5, sync_call = 4;
  double spacing = 0;  // between two pieces of work of a stream
  unsigned queue = 1024;
  double sample_every = 5000;  // of the sampler
};

struct Outcome {
  double total_us = 0;
  std::vector<double> step_us;  // when host and device were through with what came before each step
  Recording recording;
};

// `removed`: the sites that are taken out.
Outcome run(const Program& program, const std::set<char>& removed = {},
            const Machine& machine = {});
// The same without a recording.
Outcome time_only(const Program& program, const std::set<char>& removed,
                  const Machine& machine = {});

}  // namespace gpustall::test::sim
