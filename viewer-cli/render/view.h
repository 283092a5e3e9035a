// Which part of a model is shown, and its rows as they are listed: the largest by themselves, the
// rest as one, unknown always. Text and Markdown print the same view.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/model.h"
#include "collector/model/verdict.h"
#include "viewer-cli/render/places.h"

namespace gpustall::cli {

enum class WindowChoice {
  Default,
  Whole,
  Warmup,
  Steady
};  // Default: steady where there are steps

struct ReportOptions {
  WindowChoice window = WindowChoice::Default;
  size_t top = 10;                 // rows; 0: all
  double min_share = 0.01;         // of the idle time
  size_t advice = 3;               // findings explained below the table
  bool stacks = false;             // print the stack of each finding
  bool verbose = false;            // also the environment card
  std::optional<uint32_t> device;  // ordinal
  std::string path;                // what the user named, for the next command
};

// The window of one device and what its numbers are divided by.
struct View {
  const collect::Model* model = nullptr;
  const collect::ModelDevice* device = nullptr;
  const collect::Window* window = nullptr;
  const collect::ModelProcess* process = nullptr;  // whose steps count; null: without steps
  WindowChoice choice = WindowChoice::Whole;       // what was really chosen, never Default
  uint64_t steps = 0;                              // in the window; 0: numbers are per second
  double divisor = 1;                              // steps, or seconds of the window

  double per_unit(int64_t ns) const { return static_cast<double>(ns) / divisor; }
  double share(int64_t ns) const;  // of the window's time
  const char* unit() const { return steps > 0 ? "step" : "second"; }
  const char* heading() const { return steps > 0 ? "ms/step" : "ms/s"; }
};

// Of the window and the devices that are shown; the model's own sentence for the usual one of all.
collect::Verdict verdict_for(const collect::Model& model, WindowChoice choice,
                             std::optional<uint32_t> ordinal);

// False when the device has no such window.
bool make_view(const collect::Model& model, const collect::ModelDevice& device, WindowChoice choice,
               View& view);

struct Row {
  enum class Kind { Cause, Others, Unknown, Total } kind = Kind::Cause;
  const collect::CauseRow* cause = nullptr;  // of Kind::Cause
  int64_t ns = 0;
  std::string time, share;       // as printed; both add up to the total
  std::string id, where, words;  // "sync.item", "train.py:104 (every 5 steps)", in words
};

// Rows of the window's idle time (or of its owned busy time), TOTAL last.
std::vector<Row> idle_rows(const View& view, const ReportOptions& options, const Places& places);
std::vector<Row> busy_rows(const View& view, const ReportOptions& options, const Places& places);

// "reading a scalar from the GPU", with the object where there is one.
std::string title_of(const collect::CauseRow& row);

}  // namespace gpustall::cli
