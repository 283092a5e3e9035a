// A discrete simulator of a training program: host threads that hand work over to each other, one
// FIFO stream behind a bounded launch queue, a loader that prefetches, synchronisations. It yields
// the Recording that such a run would leave, and how long the run takes; run again with a cause
// removed, it tells the true gain. Times in microseconds; deterministic.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "test/builder/recording_builder.h"

namespace gpustall::test::sim {

struct Op {
  enum Kind { Cpu, LoadOnMain, Kernel, Sync, Hand, NextBatch } kind;
  double us = 0;   // duration; NextBatch: the loader's time per batch
  char site = 0;   // Sync: the line that reads
  int thread = 0;  // Hand: who goes on: 0 main, 1 autograd
};
using Step = std::vector<Op>;
using Program = std::vector<Step>;

// Programs in words.
Op cpu(double us);
Op load_on_main(double us);
Op kernel(double us);
Op read(char site);
Op hand_to(int thread);
Op next_batch(double period_us);
Step operator+(Step a, const Step& b);
Step times(int n, const Step& step);
Step net(double host_us, double kernel_us, int layers);  // launches with host work between

struct Machine {
  double launch_latency = 4, call = 3, wake_up = 3, copy = 1.5, sync_call = 4;
  unsigned queue = 1024;
  double sample_every = 5000;  // of the sampler
};

struct Outcome {
  double total_us = 0;
  Recording recording;
};

// `removed`: sites whose synchronisations are left out.
Outcome run(const Program& program, const std::set<char>& removed = {},
            const Machine& machine = {});

std::string line_of(char site);  // the frame that a site's stall is blamed on, "train.py:197 step"

}  // namespace gpustall::test::sim
