#include "test/sim/program.h"

namespace gpustall::test::sim {

Op cpu(double us, char line) {
  return {Op::Cpu, us, line};
}
Op load_on_main(double us, char site) {
  return {Op::LoadOnMain, us, site};
}
Op kernel(double us, char line, int stream) {
  return {Op::Kernel, us, line, 0, stream};
}
Op read(char site) {
  return {Op::Sync, 0, site};
}
Op hand_to(int thread) {
  return {Op::Hand, 0, 0, thread};
}
Op next_batch() {
  return {Op::NextBatch};
}
Op python(double us, char site) {
  return {Op::Python, us, site};
}

Step operator+(Step a, const Step& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Step times(int n, const Step& step) {
  Step out;
  for (int i = 0; i < n; ++i) out.insert(out.end(), step.begin(), step.end());
  return out;
}

Step net(double host_us, double kernel_us, int layers, char line) {
  return times(layers, {cpu(host_us, line), kernel(kernel_us, line)});
}

std::string line_of(char site) {
  return "train.py:" + std::to_string(100 + site) + " step";
}

std::string function_of(char site) {
  return "helpers.py:" + std::to_string(site) + " work_" + site;
}

}  // namespace gpustall::test::sim
