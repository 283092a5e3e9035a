// html_samples FOLDER: writes the pages that browser_test.py looks at.
#include <cstdio>
#include <fstream>

#include "../cli/models.h"
#include "samples.h"
#include "viewer-cli/render/html.h"

using namespace gpustall;

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string folder = words[1];
  const auto write = [&folder](const char* name, const collect::Model& model) {
    std::ofstream(folder + "/" + name) << cli::render_html(model, {{}, {}, "gpustall"});
  };
  const collect::Recording loop = test::training_loop(200, 12);
  write("loop.html", collect::build_model(loop, collect::analyze(loop)));
  const collect::Recording million = test::training_loop(test::kManySteps, 100);  // 99 gaps each
  write("million.html", collect::build_model(million, collect::analyze(million)));
  write("hostile.html", test::hostile_model());
  write("stalled.html", test::stalled_model());
  write("healthy.html", test::healthy_model());
  write("empty.html", test::empty_model());
  const auto side = [](size_t launches) {
    const collect::Recording run = test::training_loop(60, launches);
    return collect::build_model(run, collect::analyze(run));
  };
  const collect::Model base[] = {side(20)}, next[] = {side(12)};
  std::ofstream(folder + "/diff.html") << cli::render_diff_html(
      collect::compare(base, next),
      {.verbose = true, .gate = {}, .base_path = "before", .next_path = "after"}, "gpustall");
  return 0;
}
