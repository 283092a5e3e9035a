// What predicting gains costs beside the analysis, on a simulated training loop.
//   gain_bench [million events, default 2]
// Prints the events of the recording per second of analyze(), those per second of one replay,
// "10 gains: R times the analysis", and events per second from the recording to the report's model.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "collector/gain/gain.h"
#include "collector/model.h"
#include "test/sim/host_sim.h"

using namespace gpustall;
using namespace gpustall::test::sim;

namespace {

constexpr int kGains = 10;

double cpu_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const double millions = argc > 1 ? std::atof(argv[1]) : 2;
  // A call and its kernel are two events; 330 launches a step.
  const Step step = Step{cpu(300)} + net(8, 20, 110, 'f') + Step{hand_to(1)} +
                    net(8, 20, 110, 'b') + Step{hand_to(0)} + net(8, 20, 110, 'o') +
                    Step{read('a')};
  const auto steps = static_cast<size_t>(millions * 1e6 / 665);
  const collect::Recording recording = run({std::vector<Step>(steps, step), {}}).recording;
  const double events =
      double(recording.calls.size() + recording.activities.size() + recording.waits.size());
  double start = cpu_seconds();
  const collect::Analysis analysis = collect::analyze(recording);
  const double analyzing = cpu_seconds() - start;
  if (analysis.steps.empty()) return std::fprintf(stderr, "no steps\n"), 1;
  start = cpu_seconds();
  const collect::GainPredictor predictor(recording, analysis, analysis.steps[0]);
  for (int i = 0; i < kGains; ++i)
    predictor.predict({{collect::Cause::SyncItem, collect::SiteId(static_cast<uint32_t>(i))}});
  const double predicting = cpu_seconds() - start;
  const double replayed = double(predictor.steady_steps() + analysis.steps[0].warmup) /
                          double(analysis.steps[0].count());
  start = cpu_seconds();
  const collect::Model model = collect::build_model(recording, analysis);
  const double modelling = cpu_seconds() - start;
  if (model.devices.empty()) return 1;
  std::printf("analysis: %.2f M events/s\n", events / analyzing / 1e6);
  std::printf("replay: %.1f M events/s, of %.0f %% of the steps\n",
              replayed * events * (kGains + 1) / predicting / 1e6, 100 * replayed);
  std::printf("%d gains: %.3f times the analysis\n", kGains, predicting / analyzing);
  std::printf("recording to model: %.2f M events/s\n", events / (analyzing + modelling) / 1e6);
}
