#include "test/unit/export/exported.h"

#include "test/builder/recording_text.h"
#include "test/unit/analysis/invariants.h"

namespace gpustall::test {

Exported::Exported(collect::Recording of)
    : recording(std::move(of)),
      analysis(collect::analyze(recording)),
      model(collect::build_model(recording, analysis)) {}

std::string Exported::chrome(const cli::TimelineWish& wish) const {
  cli::Timeline timeline(recording, analysis, model, "0");
  TextBuffer out;
  timeline.write(timeline.plan(wish), cli::Dialect::Viewer, out);
  return out.text();
}

std::string Exported::torch() const {
  cli::Timeline timeline(recording, analysis, model, "0");
  TextBuffer out;
  timeline.write(timeline.plans_of_ranks({}).front().second, cli::Dialect::Torch, out);
  return out.text();
}

std::string Exported::table(cli::Table table, cli::TableFormat format) const {
  cli::TimelineInput in(recording, analysis, model);
  TextBuffer out;
  cli::write_table(table, in, {format, {}}, out);
  return out.text();
}

std::string Exported::collapsed() const {
  cli::TimelineInput in(recording, analysis, model);
  TextBuffer out;
  cli::write_collapsed(in, cli::idle_stacks(recording, analysis, {}), out);
  return out.text();
}

std::string Exported::speedscope() const {
  cli::TimelineInput in(recording, analysis, model);
  TextBuffer out;
  cli::write_speedscope(in, cli::idle_stacks(recording, analysis, {}), "0", out);
  return out.text();
}

collect::Recording training_run() {
  RecordingBuilder b;
  add_text(b, R"(
    process 100 trainer rank=0
    device 0 name="Test GPU" uuid=GPU-0
    clock 1000us 501000us
    clock 901000us 1401100us
    thread main
    queue 7 device=0
  )");
  // 20 steps of 40 ms: loading 10 ms, 30 launches, an .item(); a copy on a second stream overlaps.
  std::string text = "thread main\n";
  const auto line = [&](const std::string& l) { text += l + "\n"; };
  for (int step = 0; step < 20; ++step) {
    const int t = 540'000 + step * 40'000, d = t - 500'000;  // us on the host, on the device
    const auto us = [](int x) { return std::to_string(x) + "us"; };
    line("range step " + us(t) + " +39000us");
    line("sample " + us(t + 5000) + " state=running | /home/alice/train.py:5 main; data.py:9 load");
    line("wait read " + us(t + 1000) +
         " +3000us object=file:/home/alice/x.jpg | "
         "/home/alice/train.py:5 main; data.py:7 load");
    for (int k = 0; k < 30; ++k)
      line("launch gemm_" + std::to_string(k % 3) + " " + us(t + 10'000 + k * 500) + " +20us " +
           us(d + 10'030 + k * 500) + " +300us | /home/alice/train.py:8 main; model.py:3 forward");
    line("call cudaStreamSynchronize " + us(t + 25'100) + " +200us | /home/alice/train.py:9 main");
    line("queue 13 device=0");
    line("memcpy h2d " + us(d + 12'000) + " +900us bytes=4000 src=pageable");
    line("memcpy h2d " + us(d + 12'500) + " +700us bytes=4000 src=pageable");
    line("queue 7 device=0");
  }
  add_text(b, text);
  add_text(b, R"(
    process 101 loader_worker parent=100
    thread worker
    sample 550ms state=running | data.py:20 decode
    sample 560ms state=running | data.py:20 decode
    wait read 561ms +2ms | data.py:21 decode
  )");
  return b.build();
}

}  // namespace gpustall::test
