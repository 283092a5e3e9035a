// The passes over the files of a run, in order: open, scan, clocks, ids, events, what ties them
// together.
#include "collector/read/read_traces.h"
#include "collector/read/range_labels.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "collector/columns.h"
#include "collector/read/closed_windows.h"
#include "collector/read/file_clocks.h"
#include "collector/read/id_text.h"
#include "collector/read/process_end.h"
#include "collector/sort.h"

namespace gpustall::collect {
namespace {

struct FileWork {
  TraceFile file;
  FileScan scan;
  FileClocks clocks;
  ProcessIndex process{};
};

Process process_of(const TraceFile& f) {
  const trace::FileHeader& h = f.header;
  Process p;
  p.pid = h.pid;
  p.parent_pid = h.parent_pid;
  p.epoch = h.epoch;
  p.rank = h.rank;
  p.host = f.host();
  if (h.role <= static_cast<uint8_t>(trace::Role::Other)) p.role = static_cast<trace::Role>(h.role);
  p.python_version = h.python_version;
  p.clean_end = f.flag(trace::kCleanEnd);
  p.cap_reached = f.flag(trace::kCapReached);
  p.forked = f.flag(trace::kForkEpoch);
  p.source = f.name;
  return p;
}

// Large columns are filled from front to back once: with small pages, a third of the reading time
// would go into page faults.
template <typename Column>
void make_room_in(Column& column, uint64_t rows) {
  constexpr uintptr_t kHuge = 2 << 20;
  column.reserve(rows);
  const auto begin = (reinterpret_cast<uintptr_t>(column.data()) + kHuge - 1) & ~(kHuge - 1);
  const auto end = reinterpret_cast<uintptr_t>(column.data() + column.capacity()) & ~(kHuge - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

class TraceReader {
 public:
  TraceReader(const Progress& progress, ReadOptions options)
      : progress_(progress), options_(options), tables_(r_) {}

  Result<Recording> run(const std::vector<TraceBytes>& files) {
    if (Error error = open(files); !error.message.empty()) return error;
    for (FileWork& w : work_) {
      w.scan = scan_file(w.file);
      advance(w.file);
    }
    make_processes();
    align_clocks();
    make_threads();
    reserve();
    for (FileWork& w : work_) read_events(w);
    resolve_wakers();
    describe_cut_ends(r_);
    leave_out_closed_windows(r_);
    sort_events(r_);
    label_calls(r_, tables_);
    if (progress_) progress_(1.0);
    return std::move(r_);
  }

 private:
  Error open(const std::vector<TraceBytes>& files) {
    Error first;
    for (const TraceBytes& f : files) {
      Result<TraceFile> opened = open_trace(f.name, f.bytes);
      if (!opened) {
        if (first.message.empty()) first = opened.error();
        r_.damage.push_back(opened.error().message);
        continue;
      }
      total_bytes_ += 2 * f.bytes.size();
      for (std::string& sentence : opened->damage) r_.damage.push_back(std::move(sentence));
      FileWork& w = work_.emplace_back();
      w.file = std::move(*opened);
    }
    if (work_.empty()) return first;
    const auto key = [](const FileWork& w) {
      return std::tuple(w.file.host(), w.file.header.start_realtime_ns, w.file.header.pid,
                        w.file.header.epoch);
    };
    std::stable_sort(work_.begin(), work_.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
    return {};
  }

  void make_processes() {
    for (FileWork& w : work_) {
      w.process = ProcessIndex(static_cast<uint32_t>(r_.processes.size()));
      Process p = process_of(w.file);
      for (const trace::Info& info : w.scan.infos)
        p.info[std::string(w.scan.text(info.key))] = w.scan.text(info.value);
      if (w.file.flag(trace::kSimulated)) r_.basis = Basis::Simulated;
      r_.processes.push_back(std::move(p));
    }
  }

  void align_clocks() {
    for (FileWork& w : work_) w.clocks = make_clocks(w.file, w.scan, rate_of_host(w));
    const auto wall_offset = [](const FileWork& w) {
      return trace::detail::sub(w.file.header.start_realtime_ns, w.file.header.start_monotonic_ns);
    };
    const FileWork& reference = work_.front();
    bool several = false;
    for (FileWork& w : work_) {
      if (w.file.host() != reference.file.host()) {
        shift_host(w.clocks, trace::detail::sub(wall_offset(w), wall_offset(reference)));
        several = true;
      }
      note_clock(w);
    }
    if (several)
      r_.not_observed.push_back("a common clock of the hosts: their wall clocks were trusted");
  }

  // The processes of a host share its TSC.
  TickRate rate_of_host(const FileWork& wanted) const {
    TickRate best;
    for (const FileWork& w : work_) {
      if (w.file.host() != wanted.file.host() || !has_tsc(w)) continue;
      const TickRate rate = HostClock(w.scan.clocks, {}).rate();
      if (rate.ticks > best.ticks) best = rate;
    }
    return best;
  }

  static bool has_tsc(const FileWork& w) {
    return w.file.header.clock_kind == static_cast<uint8_t>(trace::ClockKind::Tsc);
  }

  void note_clock(const FileWork& w) {
    if (has_tsc(w) && rate_of_host(w).ticks == 0)
      r_.damage.push_back(w.file.name +
                          ": one reading of the clock only; its times are in ticks of the CPU");
    if (w.clocks.host.dropped() != 0)
      r_.damage.push_back(w.file.name + ": " + std::to_string(w.clocks.host.dropped()) +
                          " contradictory readings of the clock were left out");
    if (w.clocks.device_assumed)
      r_.not_observed.push_back("the device clock of process " + std::to_string(w.file.header.pid) +
                                ": wall time was assumed");
  }

  // All threads with records first, in reading order, so that the event tables come out sorted.
  void make_threads() {
    for (const FileWork& w : work_)
      for (const Chunk& c : w.file.chunks)
        if (c.kind() == trace::StreamKind::Thread) tables_.thread(w.process, c.header.tid);
  }

  void reserve() {
    using trace::Tag;
    const auto make_room = [this](auto& table, std::initializer_list<Tag> tags) {
      uint64_t n = 0;
      for (const FileWork& w : work_)
        for (const Tag tag : tags) n += w.scan.events(tag);
      each_column(table, [n](auto& column) { make_room_in(column, n); });
    };
    make_room(r_.activities, {Tag::Kernel, Tag::Memcpy, Tag::Memset, Tag::GraphRun});
    make_room(r_.calls, {Tag::Api});
    make_room(r_.waits, {Tag::Wait});
    make_room(r_.ranges, {Tag::Range, Tag::Mark, Tag::Gc});
    make_room(r_.samples, {Tag::Sample});
    make_room(r_.counters, {Tag::Counter});
  }

  // The file's chunks thread by thread, the others behind them: the event tables come out sorted
  // by thread, where the file has the chunks in the order in which they were begun.
  std::vector<const Chunk*> in_reading_order(const FileWork& w) {
    std::vector<std::pair<uint32_t, const Chunk*>> order;
    for (const Chunk& c : w.file.chunks)
      order.emplace_back(c.kind() == trace::StreamKind::Thread
                             ? raw(tables_.thread(w.process, c.header.tid))
                             : UINT32_MAX,
                         &c);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const Chunk*> chunks;
    for (const auto& [thread, chunk] : order) chunks.push_back(chunk);
    return chunks;
  }

  void read_events(FileWork& w) {
    FileContext context{w.file, w.scan, w.process, first_of_host(w)};
    std::unique_ptr<Symbolizer> symbolizer;
    if (options_.symbols && w.scan.native_stacks.size() > 1)
      symbolizer = std::make_unique<Symbolizer>(symbol_files(), loaded_modules(w.scan));
    FileIds ids = map_ids(context, tables_, symbolizer.get());
    EventReader reader(r_, tables_,
                       {context, ids, w.clocks.host, w.clocks.host_range, w.clocks.device_range});
    for (const Chunk* chunk : in_reading_order(w)) reader.chunk(*chunk);
    FileEvents events = reader.take();
    for (const trace::Thread& t : w.scan.threads) describe_thread(w, ids, t);
    for (const size_t row : events.overheads) {
      r_.overheads[row].start = w.clocks.device.to_host(r_.overheads[row].start);
      r_.overheads[row].end = w.clocks.device.to_host(r_.overheads[row].end);
    }
    r_.own_overhead_ns += events.own_ns;
    r_.processes[raw(w.process)].device_clock = w.clocks.device;
    describe_process_end(r_, context, events, w.clocks.host);
    note_references(w.file, ids, events);
    advance(w.file);
  }

  ProcessIndex first_of_host(const FileWork& w) const {
    for (const FileWork& other : work_)
      if (other.file.host() == w.file.host()) return other.process;
    return w.process;
  }

  // Several records for one thread complete each other.
  void describe_thread(FileWork& w, FileIds& ids, const trace::Thread& t) {
    const ThreadIndex index = tables_.thread(w.process, static_cast<uint32_t>(t.tid));
    const TraceTime start = t.start == 0 ? 0 : w.clocks.host.to_ns(t.start);
    const ThreadIndex creator =
        t.creator_tid == 0 ? kNone<ThreadIndex>
                           : tables_.thread(w.process, static_cast<uint32_t>(t.creator_tid));
    Thread& row = r_.threads[raw(index)];
    if (row.start_ns == 0 && w.clocks.host_range.holds(start)) row.start_ns = start;
    if (creator != kNone<ThreadIndex>) row.creator = creator;
    if (t.creator_stack != 0) row.creator_stack = ids.stack(t.creator_stack);
    if (t.name != 0) row.name = ids.string(t.name);
  }

  SymbolFiles& symbol_files() {
    return options_.symbol_files != nullptr ? *options_.symbol_files : own_symbol_files_;
  }

  void note_references(const TraceFile& file, const FileIds& ids, const FileEvents& events) {
    if (ids.undefined() != 0)
      r_.damage.push_back(file.name + ": " + std::to_string(ids.undefined()) +
                          " references to names, stacks or objects whose definition is missing");
    if (events.nonsense != 0)
      r_.damage.push_back(file.name + ": " + std::to_string(events.nonsense) +
                          " device activities of an unknown device were left out");
    if (ids.lines_unknown != 0)
      r_.not_observed.push_back("the lines of " + std::to_string(ids.lines_unknown) +
                                " Python frames of process " + std::to_string(file.header.pid) +
                                ": the first line of their function is shown");
  }

  // A waker may be a thread of another process (a semaphore in shared memory).
  void resolve_wakers() {
    std::unordered_map<uint32_t, ThreadIndex> by_tid;
    for (size_t i = 0; i < r_.threads.size(); ++i)
      by_tid.try_emplace(r_.threads[i].tid, ThreadIndex(static_cast<uint32_t>(i)));
    for (size_t i = 0; i < r_.waits.size(); ++i) {
      ThreadIndex& waker = r_.waits.waker[i];
      if (waker == kNone<ThreadIndex>) continue;
      const uint32_t tid = raw(waker);
      const ProcessIndex own = r_.threads[raw(r_.waits.thread[i])].process;
      const auto foreign = by_tid.find(tid);
      if (!tables_.knows_thread(own, tid) && foreign != by_tid.end())
        waker = foreign->second;
      else
        waker = tables_.thread(own, tid);
    }
  }

  void advance(const TraceFile& file) {
    done_bytes_ += file.bytes.size();
    if (progress_)
      progress_(static_cast<double>(done_bytes_) / static_cast<double>(total_bytes_ + 1));
  }

  const Progress& progress_;
  ReadOptions options_;
  Recording r_;
  Tables tables_;
  std::vector<FileWork> work_;
  SymbolFiles own_symbol_files_;
  uint64_t total_bytes_ = 0, done_bytes_ = 0;
};

}  // namespace

Result<Recording> read_traces(const std::vector<TraceBytes>& files, const Progress& progress,
                              ReadOptions options) {
  return TraceReader(progress, options).run(files);
}

}  // namespace gpustall::collect
