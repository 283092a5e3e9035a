// Small torch.profiler traces as text, for tests.
#pragma once
#include <string>
#include <vector>

#include "collector/import/import.h"
#include "test/catch.h"

namespace gpustall::test {

inline std::string row(const std::string& category, const std::string& name, const std::string& pid,
                       const std::string& tid, const std::string& ts, const std::string& dur,
                       const std::string& args = "") {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )" + pid +
         R"(, "tid": )" + tid + R"(, "ts": )" + ts + R"(, "dur": )" + dur + R"(, "args": {)" +
         args + "}}";
}

inline std::string call(const std::string& name, int correlation, const std::string& ts,
                        const std::string& dur, const std::string& tid = "50") {
  return row("cuda_runtime", name, "50", tid, ts, dur,
             R"("External id": 3, "correlation": )" + std::to_string(correlation));
}

inline std::string kernel(const std::string& name, int correlation, const std::string& ts,
                          const std::string& dur, int stream = 7) {
  return row("kernel", name, "0", std::to_string(stream), ts, dur,
             R"("device": 0, "context": 1, "stream": )" + std::to_string(stream) +
                 R"(, "correlation": )" + std::to_string(correlation));
}

inline std::string file(const std::vector<std::string>& rows, const std::string& before = "",
                        const std::string& after = "") {
  std::string text = "{" + before + R"("traceEvents": [)";
  for (size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "\n  " : ",\n  ") + rows[i];
  return text + "\n]" + after + "}\n";
}

inline collect::Recording imported(const std::string& text) {
  collect::Result<collect::Recording> r = collect::import_kineto_bytes(text, "test.json");
  if (!r) FAIL(r.error().message);
  return std::move(*r);
}

}  // namespace gpustall::test
