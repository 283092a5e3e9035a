// Nsight Systems' SQLite export, schemas 2.9 to 3.25. Tables and columns come and go between
// versions and are created only when something is in them, so that what a file holds is asked of
// it, never derived from its version. One clock for host and device, from the session's start.
#include <algorithm>

#include "collector/import/import.h"
#include "collector/import/kineto_nesting.h"
#include "collector/import/lost_work.h"
#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"
#include "collector/read/range_labels.h"
#include "collector/sort.h"

namespace gpustall::collect {
namespace {

constexpr int kNewestMajor = 3;
constexpr const char* kNewest = "3.25";
constexpr const char* kRead[] = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                 "CUPTI_ACTIVITY_KIND_KERNEL",
                                 "CUPTI_ACTIVITY_KIND_MEMCPY",
                                 "CUPTI_ACTIVITY_KIND_MEMSET",
                                 "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                 "CUPTI_ACTIVITY_KIND_RUNTIME",
                                 "CUDA_CALLCHAINS",
                                 "OSRT_CALLCHAINS",
                                 "OSRT_API",
                                 "NVTX_EVENTS",
                                 "SCHED_EVENTS"};

class Importer {
 public:
  Importer(NsysDatabase database, std::string path, const Progress& progress)
      : database_(std::move(database)), path_(std::move(path)), progress_(progress) {
    recording_.basis = Basis::Nsys;
    recording_.name = path_;
  }

  Result<Recording> run() {
    if (!is_nsys()) return foreign();
    note_unfinished_writes();
    NsysState state(database_, recording_, progress_);
    for (const char* table : kRead) state.expect_rows(database_.rows(table));
    read_version(state);
    read_nsys_activities(state);
    if (recording_.activities.size() == 0) return no_device_work();
    for (Process& p : recording_.processes) p.role = trace::Role::Trainer;
    read_host(state);
    note_lost_work(recording_);
    settle_processes();
    return std::move(recording_);
  }

 private:
  bool is_nsys() const {
    return database_.has_table("StringIds") &&
           (database_.has_table("META_DATA_EXPORT") || database_.has_table("EXPORT_META_DATA") ||
            database_.has_table("ANALYSIS_DETAILS") ||
            database_.has_table("TARGET_INFO_SESSION_START_TIME"));
  }

  Error foreign() const {
    std::string found;
    const std::vector<std::string>& tables = database_.tables();
    for (size_t i = 0; i < std::min<size_t>(tables.size(), 3); ++i)
      found += (i == 0 ? "" : ", ") + printable_text(tables[i].substr(0, 40));
    if (tables.size() > 3) found += ", ...";
    return {path_ + " is SQLite, but not of Nsight Systems (" +
            (tables.empty() ? "it has no tables" : "its tables: " + found) +
            "); name a file that `nsys export --type sqlite` wrote"};
  }

  // Files beside it are not looked into: SQLite would write there.
  void note_unfinished_writes() {
    for (const char* end : {"-wal", "-journal"}) {
      std::error_code none;
      const auto bytes = std::filesystem::file_size(path_ + end, none);
      if (!none && bytes > 0)
        recording_.damage.push_back(path_ + end +
                                    " lies beside it: a program was writing, and what is not yet in"
                                    " the export is left out");
    }
  }

  // The table changed its name; it also names the user and the host, which are not read.
  void read_version(NsysState& state) {
    for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"})
      state.read(table, {"name", "value"}, [this](const NsysRow& row) {
        if (row.text(0) == "EXPORT_SCHEMA_VERSION") version_ = printable_text(row.text(1));
      });
    if (std::atoi(version_.c_str()) > kNewestMajor)
      recording_.damage.push_back("its schema " + version_ + " is newer than " + kNewest +
                                  ", the newest that is known: read as far as its tables agree");
  }

  Error no_device_work() const {
    std::string found;
    const auto add = [&](const char* table, const char* what) {
      if (const int64_t rows = database_.rows(table); rows > 0)
        found += (found.empty() ? "" : ", ") + std::to_string(rows) + " " + what;
    };
    add("NVTX_EVENTS", "NVTX events");
    add("CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA calls");
    add("OSRT_API", "libc calls");
    add("COMPOSITE_EVENTS", "CPU samples");
    std::string why;
    if (!recording_.damage.empty()) why = " (" + recording_.damage.front() + ")";
    return {path_ + " has no GPU activity: " + (found.empty() ? "nothing else" : found) +
            ", but no kernel, copy or memset" + why +
            "; record with `nsys profile -t cuda,nvtx,osrt` over a part that uses the GPU"};
  }

  void read_host(NsysState& state) {
    read_nsys_call_chains(state);
    read_nsys_calls(state);
    read_nsys_waits(state);
    const bool calls = recording_.calls.size() > 0;
    if (!calls) recording_.not_observed.push_back("CUDA calls");
    KinetoRows rows;
    rows.ranges = read_nsys_ranges(state);
    read_nsys_scheduling(state);
    read_nsys_overheads(state);
    read_nsys_names(state);
    read_nsys_diagnostics(state);
    recording_.not_observed.push_back("Python stacks, DataLoader worker processes");
    sort_events(recording_);
    drop_repeated_calls(recording_.calls);
    nest(state, std::move(rows));
    sort_events(recording_);
    label_calls(recording_, state.tables);
  }

  // Operators are the stack of a call where no call chain was recorded with it.
  void nest(NsysState& state, KinetoRows rows) {
    if (rows.ranges.empty()) return;
    const std::vector<NativeStackId> recorded = recording_.calls.native_stack;
    KinetoFrames frames(state.tables);
    nest_rows(recording_, state.tables, frames, std::move(rows));
    for (size_t i = 0; i < recorded.size(); ++i)
      if (recorded[i] != kNone<NativeStackId>) recording_.calls.native_stack[i] = recorded[i];
  }

  void settle_processes() {
    for (Process& p : recording_.processes) {
      if (p.first_ns > p.last_ns) p.first_ns = p.last_ns = 0;
      if (!version_.empty()) p.info["nsys_schema"] = version_;
    }
  }

  NsysDatabase database_;
  std::string path_;
  const Progress& progress_;
  Recording recording_;
  std::string version_;
};

}  // namespace

Result<Recording> import_nsys(const std::filesystem::path& path, const Progress& progress) {
  Result<NsysDatabase> database = NsysDatabase::open(path);
  if (!database) return database.error();
  return Importer(std::move(*database), path.string(), progress).run();
}

}  // namespace gpustall::collect
