// Names, and what the profiler says about its own recording. Only the columns named here are read:
// environments, users, hosts and command lines stay in the file.
#include <algorithm>
#include <set>

#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kWarning = 2, kError = 3;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL
constexpr size_t kMostSentences = 20, kLongestSentence = 300;

// "No NVTX events collected. Does the process use NVTX?": the tables say as much.
bool says_nothing_new(std::string_view text) {
  return text.starts_with("No ") && text.find("events collected") != std::string_view::npos;
}

std::string sentence_of(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  std::string sentence = printable_text(without_directories(text.substr(0, kLongestSentence)));
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ' '))
    sentence.pop_back();
  return sentence;
}

}  // namespace

void read_nsys_names(NsysState& state) {
  state.read("ThreadNames", {"nameId", "globalTid", "?priority"}, [&](const NsysRow& row) {
    const std::optional<int64_t> id = row.integer(1);
    if (!id || !state.knows_process(*id)) return;
    const std::optional<ThreadIndex> thread = state.thread(id);
    if (thread) state.r.threads[raw(*thread)].name = state.string(row.integer_or(0, -1));
  });
  state.read("PROCESSES", {"globalPid", "name"}, [&](const NsysRow& row) {
    const std::optional<int64_t> id = row.integer(0);
    if (!id || !state.knows_process(*id)) return;
    const std::optional<ProcessIndex> process = state.process(id);
    const std::string name = printable_text(without_directories(row.text(1)));
    if (process && !name.empty()) state.r.processes[raw(*process)].info["script"] = name;
  });
}

void read_nsys_diagnostics(NsysState& state) {
  std::set<std::string> said;
  state.read("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const NsysRow& row) {
    const int64_t severity = row.integer_or(0, 0);
    const std::string_view text = row.text(1);
    if (severity != kWarning && severity != kError) return;
    if (text.empty() || says_nothing_new(text) || said.size() >= kMostSentences) return;
    const std::string sentence = sentence_of(text);
    if (!said.insert(sentence).second) return;
    if (severity == kError)
      state.r.damage.push_back("nsys reported an error: " + sentence);
    else
      state.r.not_observed.push_back("nsys warned: " + sentence);
  });
}

}  // namespace gpustall::collect
