// What all parts of the importer of Nsight Systems share while it runs: the ids of the file (global
// thread and process ids, string ids, device ordinals) as ids of the Recording, and the count of
// rows that cannot be true. Holds references only; lives as long as the import.
#pragma once
#include <map>
#include <unordered_map>

#include "collector/import/nsys_database.h"
#include "collector/load.h"
#include "collector/read/tables.h"

namespace gpustall::collect {

struct NsysTimes {
  TraceTime start = 0, end = 0;
};

class NsysState {
 public:
  NsysState(NsysDatabase& database, Recording& recording, const Progress& progress)
      : r(recording), tables(recording), database_(database), progress_(progress) {}

  // Reads a table if it is there; what stops early is damage. True: rows came.
  bool read(const std::string& table, NsysDatabase::Columns columns,
            const std::function<void(const NsysRow&)>& row);
  void reject() { ++rejected_; }  // the row being read says nothing usable
  void expect_rows(int64_t rows) { expected_rows_ += rows; }
  const NsysDatabase& database() const { return database_; }

  StringId string(int64_t id);  // of StringIds; the empty one if it is not there
  StringId string(std::string_view raw);
  std::string_view text(int64_t id) { return r.text(string(id)); }

  // Both columns must be times, in order and near the activities once those are known.
  std::optional<NsysTimes> times(const NsysRow& row, int start, int end) const;
  bool is_time(TraceTime time) const;
  void settle_window();  // after the activities

  std::optional<ProcessIndex> process(std::optional<int64_t> global_id);
  std::optional<ThreadIndex> thread(std::optional<int64_t> global_id);
  bool knows_process(int64_t global_id) const;
  void seen(ProcessIndex process, NsysTimes at);
  ProcessIndex process_of(ThreadIndex thread) const { return r.threads[raw(thread)].process; }

  // By the number that the file gives a call chain.
  std::unordered_map<int64_t, NativeStackId> cuda_chains, os_chains;

  Recording& r;
  Tables tables;

 private:
  void advance();

  NsysDatabase& database_;
  const Progress& progress_;
  std::unordered_map<int64_t, StringId> strings_;
  std::unordered_map<int64_t, ProcessIndex> processes_;  // by global id without the thread
  std::unordered_map<int64_t, ThreadIndex> threads_;
  std::map<int64_t, std::string> hosts_;  // by virtual machine
  int64_t last_thread_id_ = -1;
  ThreadIndex last_thread_{};
  TraceTime middle_ = 0;
  bool windowed_ = false;
  uint64_t rejected_ = 0;
  int64_t expected_rows_ = 0, read_rows_ = 0;
};

}  // namespace gpustall::collect
