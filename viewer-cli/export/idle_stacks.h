// Idle time as stacks with weights: the input of flame graphs. Exact: the weights of a device add
// up to its idle nanoseconds.
//   device ; family ; cause ; Python stack, outermost frame first
#pragma once
#include <optional>

#include "viewer-cli/export/text_sink.h"
#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

struct IdleStack {
  collect::DeviceIndex device{};
  collect::Cause cause{};
  collect::StackId stack = collect::kNone<collect::StackId>;
  int64_t ns = 0;
};

// By device, cause and stack; of one device only, if it is named.
std::vector<IdleStack> idle_stacks(const collect::Recording& recording,
                                   const collect::Analysis& analysis,
                                   std::optional<uint32_t> device);

// "GPU 0;sync;sync.item;main (train.py:57) 1234": for flamegraph.pl, inferno and the like.
void write_collapsed(TimelineInput& in, const std::vector<IdleStack>& stacks, TextSink& sink);
// https://www.speedscope.app, one profile per device.
void write_speedscope(TimelineInput& in, const std::vector<IdleStack>& stacks,
                      const std::string& version, TextSink& sink);

}  // namespace gpustall::cli
