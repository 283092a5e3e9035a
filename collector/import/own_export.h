// What `gpustall export --chrome` wrote beside torch.profiler's rows: devices and processes by
// their true names, causes, steps. An export that holds all of its recording is read back with the
// causes that it states, so that nothing is attributed twice from less evidence.
#pragma once
#include <map>
#include <memory>
#include <optional>

#include "collector/analysis.h"
#include "collector/analyze/timeline.h"
#include "collector/import/kineto_event.h"
#include "collector/read/tables.h"
#include "collector/result.h"

namespace gpustall::collect {

class OwnExport {
 public:
  explicit OwnExport(Tables& tables) : tables_(tables) {}

  // False: the text is no header of an export.
  bool read_header(const std::string& json);
  bool is_export() const { return schema_ > 0; }
  // Why nothing can be told from the file: it shows a part of a recording only. Empty: it is whole.
  const std::string& incomplete() const { return incomplete_; }
  Basis basis() const { return basis_; }
  const std::vector<std::string>& not_observed() const { return not_observed_; }

  // By the pid of the file.
  const Device* device(uint32_t pid) const;
  const Process* process(uint32_t pid) const;

  // A row of a gpustall_* category; times still without the base of the file.
  void row(const KinetoEvent& event, TraceTime start, TraceTime end);
  void stack_frame(const KinetoStackFrame& frame);

  // The causes and steps of the file for the recording made from it, sorted. Otherwise a sentence:
  // they do not tile the gaps between the file's activities.
  Result<std::shared_ptr<const Analysis>> analysis(const Recording& recording, int64_t base_ns);

  // Where the file's processes and devices went in the recording.
  std::map<uint32_t, ProcessIndex> process_index;
  std::map<uint32_t, DeviceIndex> device_index;

 private:
  struct Row {
    uint32_t pid = 0;  // of the device
    TraceTime start = 0, end = 0;
    Cause cause{};
    Site site;
    bool has_site = false;
    StringId object{};
    uint64_t frame = 0;  // of the stack, plus one; 0: none
    uint32_t group = 0;
    uint64_t also = 0;
  };
  struct StepRow {
    uint32_t pid = 0;
    TraceTime start = 0, end = 0;
    int64_t device_start = 0, device_end = 0;
  };
  struct RawFrame {
    uint64_t parent = 0;  // plus one
    FrameId frame{};
    StackId stack = kNone<StackId>;
    bool resolved = false;
  };

  std::optional<DeviceIndex> place(const Row& row) const;
  StackId stack_of(uint64_t id_plus_one);
  SiteId site_of(const Row& row, std::vector<Site>& sites);
  bool fill_idle(Analysis& out, int64_t base_ns);
  bool fill_busy(Analysis& out, const std::vector<ExposedStretch>& exposed, const Recording& r,
                 int64_t base_ns);
  bool fill_steps(Analysis& out, int64_t base_ns) const;

  Tables& tables_;
  int schema_ = 0;
  Basis basis_{};
  std::string incomplete_;
  std::vector<std::string> not_observed_;
  int64_t launch_latency_ns_ = 0;
  uint64_t unlinked_ = 0;
  std::map<uint32_t, Device> devices_;
  std::map<uint32_t, Process> processes_;
  std::map<uint32_t, Steps> steps_;  // basis and warm-up; boundaries come from the rows
  std::vector<Row> idle_, busy_;
  std::vector<StepRow> step_rows_;
  std::unordered_map<uint64_t, RawFrame> frames_;
  std::map<std::tuple<StringId, StringId, int32_t>, SiteId> sites_;
};

}  // namespace gpustall::collect
