// The pictures over time as SVG that needs no script: one path per series. report.js draws the same
// paths again when the reader picks a cause.
#pragma once
#include <string>

#include "viewer-cli/render/html/bins.h"
#include "viewer-cli/render/view.h"

namespace gpustall::cli {

// Idle by cause, and busy, in every step. `view`: for the limits of the warm-up.
std::string steps_figure(const Bins& bins, const Palette& palette, const View& view);
// Busy share over time upwards, what the idle rest was waiting for downwards.
std::string timeline_figure(const Bins& bins, const Palette& palette);
// How often a step took how long, steady steps only.
std::string distribution_figure(const View& view);

// What they are made of: a figure that can be read by keys (its plot is open), lines across for
// values, and its end with the words that are read out.
std::string figure_open(const char* kind, const char* label);
std::string value_axis(double scale);
std::string figure_close();

}  // namespace gpustall::cli
