// Places of calls in traces without stacks: the range around them.
#include "collector/analysis.h"
#include "test/unit/import/kineto_text.h"

using namespace gpustall;
using namespace gpustall::collect;
using namespace gpustall::test;

namespace {

std::string label_of(const Recording& r, size_t call) {
  const StackId stack = r.calls.stack[call];
  if (stack == kNone<StackId>) return "-";
  CHECK(r.stacks[raw(stack)].parent == kNone<StackId>);
  const Frame& f = r.frames[raw(r.stacks[raw(stack)].frame)];
  CHECK(r.text(f.file).empty());
  return std::string(r.text(f.function));
}

std::string range(const char* category, const char* name, const char* start, const char* length) {
  return row(category, name, "50", "50", start, length);
}

}  // namespace

TEST_CASE("a call is placed by the repeated annotation around it, else by the outermost operator") {
  const Recording r = imported(file({
      range("user_annotation", "ProfilerStep#1", "0", "100"),
      range("user_annotation", "forward", "1", "30"),
      range("cpu_op", "aten::linear", "2", "20"),
      range("cpu_op", "aten::addmm", "3", "10"),
      call("cudaLaunchKernel", 1, "5", "2"),
      kernel("gemm", 1, "8", "1"),
      range("cpu_op", "aten::sum", "40", "20"),
      range("cpu_op", "aten::zero_", "41", "10"),
      call("cudaLaunchKernel", 2, "45", "2"),
      kernel("reduce", 2, "48", "1"),
      call("cudaLaunchKernel", 3, "70", "2"),
      kernel("reduce", 3, "74", "1"),
      range("user_annotation", "forward", "80", "10"),
      call("cudaLaunchKernel", 4, "85", "2"),
      kernel("gemm", 4, "88", "1"),
  }));
  REQUIRE(r.calls.size() == 4);
  CHECK(label_of(r, 0) == "forward");
  CHECK(label_of(r, 1) == "aten::sum");
  CHECK(label_of(r, 2) == "-");  // only inside the step, whose name comes up once
  CHECK(label_of(r, 3) == "forward");
  const Analysis a = analyze(r);
  bool placed = false;
  for (const Site& s : a.sites) placed |= r.text(s.function) == "aten::sum" && s.line == 0;
  CHECK(placed);
}

TEST_CASE("the autograd engine's rows are told by what they evaluate") {
  const Recording r = imported(file({
      range("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", "2", "20"),
      call("cudaLaunchKernel", 1, "5", "2"),
      kernel("gemm", 1, "8", "1"),
  }));
  CHECK(label_of(r, 0) == "AddmmBackward0");
}

TEST_CASE("where Python stacks were recorded, nothing is labelled") {
  const Recording r = imported(file({
      range("python_function", "train.py(7): main", "0", "30"),
      range("cpu_op", "aten::sum", "2", "20"),
      call("cudaLaunchKernel", 1, "5", "2"),
      kernel("reduce", 1, "8", "1"),
      range("cpu_op", "aten::sum", "42", "20"),
      call("cudaLaunchKernel", 2, "45", "2"),
      kernel("reduce", 2, "48", "1"),
  }));
  CHECK(r.text(r.frames[raw(r.stacks[raw(r.calls.stack[0])].frame)].file) == "train.py");
  CHECK(r.calls.stack[1] == kNone<StackId>);
}
