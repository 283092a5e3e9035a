// Exports of a recording as texts, for the tests.
#pragma once
#include <string>

#include "collector/analysis.h"
#include "collector/model.h"
#include "viewer-cli/export/idle_stacks.h"
#include "viewer-cli/export/tables.h"
#include "viewer-cli/export/timeline.h"

namespace gpustall::test {

class TextBuffer : public cli::TextSink {
 public:
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Exported {
  explicit Exported(collect::Recording of);
  collect::Recording recording;
  collect::Analysis analysis;
  collect::Model model;

  std::string chrome(const cli::TimelineWish& wish = {}) const;
  std::string torch() const;  // of the first rank
  std::string table(cli::Table table, cli::TableFormat format = cli::TableFormat::Csv) const;
  std::string collapsed() const;
  std::string speedscope() const;
};

// A small training run with everything that a timeline shows: two streams that overlap, waits,
// ranges, samples, a worker, steps.
collect::Recording training_run();

}  // namespace gpustall::test
