// The parts of the text report that stand above and below the table.
#pragma once
#include <string>
#include <vector>

#include "viewer-cli/render/view.h"
#include "viewer-cli/terminal.h"

namespace gpustall::cli {

// "simulated device ..." where it is one; empty otherwise.
std::string basis_warning(const collect::Model& model);
// "train.py, device 0 (NVIDIA H100), torch 2.11.0, pid 4711, rank 0"
std::string device_line(const View& view);
// Which steps, how long they take, how busy: one sentence per line.
std::vector<std::string> time_lines(const View& view);
// "Not idle, still slow": a card that holds its clock down, a slow link, neighbours; mostly empty.
std::vector<std::string> slow_lines(const View& view);
// The warm-up as one sentence; empty when it is not left out.
std::string warmup_line(const View& view);
std::vector<std::string> loader_lines(const collect::Model& model, const View& view);
// Losses, clock error, own cost, what was not observed, processes that were cut.
std::vector<std::string> ledger_lines(const collect::Model& model, const View& view);

// A cause with what to do about it. Several sites of one cause that have one gain are one finding.
struct Finding {
  struct Site {
    std::string where;   // "train.py:104"; "-": none
    std::string source;  // the source line, or the function
    const collect::CauseRow* row = nullptr;
  };
  std::string title;  // "sync.item: reading a scalar from the GPU"
  std::string gain;   // "14.0 -> 11.2..11.9 ms/step", or what it costs where no gain is known
  std::string remedy;
  std::vector<Site> sites;         // largest first, at least one
  std::vector<std::string> notes;  // count and period, group, also
  std::vector<std::string> stack;  // of the largest
};
// The largest causes that have a remedy; none when the verdict says that nothing is worth it.
std::vector<Finding> findings(const View& view, const ReportOptions& options, const Places& places);

// "14.0 -> 11.2..11.9 ms/step if fixed"; empty where that is not known.
std::string repair_gain(const View& view, const collect::CauseRow& row);

// What the top causes gain together; empty when that is not known.
std::string together_line(const View& view);

}  // namespace gpustall::cli
