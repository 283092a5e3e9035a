// Training programs as lists of operations: what the host does, in order, and what it asks of the
// device. An operation with a site can be taken out of a run; what that means stands beside each.
// Times in microseconds.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace gpustall::test::sim {

struct Op {
  enum Kind {
    Cpu,         // between launches; removed: its line's launches cost the host nothing
    Kernel,      // likewise
    Graph,       // one launch, one activity
    LoadOnMain,  // removed: four workers load ahead
    NextBatch,   // from the program's loader, whose costs have the sites
    Python,      // a function of its own; removed: gone, as are the four below
    Sleep,
    Write,
    Collect,
    Malloc,
    EmptyCache,  // frees that wait for the device, and the allocations that follow
    Sync,        // removed: gone, with its copy
    Upload,      // pageable, blocks; removed: pinned, asynchronous
    PinnedCopy,  // asynchronous; removed: made ahead, beside the step before
    Record,      // of event `number` on the stream
    StreamWait,  // for event `number`
    Hand,        // to thread `number`: 0 main, 1 autograd
  } kind;
  double us = 0;  // duration, on the device for Kernel, Graph, Upload, PinnedCopy
  char site = 0;  // the line
  int number = 0;
  int stream = 0;
  enum On { Item, Stream, Device, Event } on = Item;  // Sync
};
using Step = std::vector<Op>;

struct Loader {  // worker processes that prefetch
  int workers = 0, prefetch = 2;
  double read_us = 0, decode_us = 0, spread = 0;  // of the decoding, per batch: +- this share
  double pin_us = 0;                              // > 0: through a pin thread
  char read_site = 0, decode_site = 0;            // removed: takes no time
};

struct Program {
  std::vector<Step> steps;
  Loader loader;
};

// Programs in words.
Op cpu(double us, char line = 0);
Op load_on_main(double us, char site = 0);
Op kernel(double us, char line = 0, int stream = 0);
Op read(char site);
Op hand_to(int thread);
Op next_batch();
Op python(double us, char site);

Step operator+(Step a, const Step& b);
Step times(int n, const Step& step);
Step net(double host_us, double kernel_us, int layers,
         char line = 0);  // host work between launches

std::string line_of(char site);      // the frame of its line, "train.py:197 step"
std::string function_of(char site);  // of Op::Python: the frame of its function

}  // namespace gpustall::test::sim
