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
  write("hostile.html", test::hostile_model());
  write("stalled.html", test::stalled_model());
  write("healthy.html", test::healthy_model());
  write("empty.html", test::empty_model());
  return 0;
}
