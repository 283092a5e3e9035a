// torch.profiler's traces: a file, an archive or a directory of ranks, into one Recording. What a
// profiler cannot see is named, never guessed. The base of this format is one clock for host and
// device, so that no mapping is needed.
#include <algorithm>

#include "collector/import/import.h"
#include "collector/import/kineto_file.h"
#include "collector/import/kineto_nesting.h"
#include "collector/import/kineto_reader.h"
#include "collector/import/lost_work.h"
#include "collector/import/tar_stream.h"
#include "collector/read/mapped_file.h"
#include "collector/read/range_labels.h"
#include "collector/sort.h"

namespace gpustall::collect {
namespace {

namespace fs = std::filesystem;

bool may_be_trace(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.starts_with('.')) return false;
  for (const char* end : {".json", ".json.gz", ".json.zst", ".tar", ".tar.gz", ".tgz"})
    if (name.ends_with(end)) return true;
  return false;
}

class Importer {
 public:
  explicit Importer(const Progress& progress) : progress_(progress) {
    recording_.basis = Basis::Kineto;
  }

  Result<Recording> run(std::string_view content, const std::string& name) {
    MemoryStream whole(content);
    stream(whole, name);
    return result(name);
  }

  Result<Recording> run(const std::vector<fs::path>& paths) {
    for (size_t i = 0; i < paths.size(); ++i) {
      done_ = static_cast<double>(i) / static_cast<double>(paths.size());
      part_ = 1.0 / static_cast<double>(paths.size());
      file(paths[i]);
    }
    return result(paths.size() == 1 ? paths.front().string()
                                    : paths.front().parent_path().string());
  }

 private:
  Result<Recording> result(const std::string& name) {
    if (recording_.activities.size() == 0) return refusal(name);
    sort_events(recording_);
    nest_rows(recording_, tables_, frames_, std::move(rows_));
    sort_events(recording_);
    label_calls(recording_, tables_);
    name_what_is_missing();
    if (own_)
      take_own_causes();
    else
      note_lost_work(recording_);
    return std::move(recording_);
  }

  void file(const fs::path& path) {
    if (Result<MappedFile> regular = MappedFile::open(path); !regular) {
      recording_.damage.push_back(regular.error().message);
      return;
    }
    FileStream whole(path);
    stream(whole, path.string());
  }

  void stream(SourceStream& whole, const std::string& name) {
    source_ = &whole;
    PeekStream packed(whole);
    const auto unpacked = unpacking(packed, packed.peek(4));
    PeekStream text(unpacked ? *unpacked : static_cast<ByteStream&>(packed));
    if (looks_like_tar(text.peek(kTarBlock))) return archive(text, name);
    if (text.peek(16).starts_with("SQLite format 3"))
      refused_ = name + " is packed SQLite; unpack it, and name what is in it";
    rank(text, name);
  }

  void archive(ByteStream& stream, const std::string& path) {
    TarStream members(stream);
    while (members.next()) {
      PeekStream member(members);
      const auto unpacked = unpacking(member, member.peek(4));
      PeekStream text(unpacked ? *unpacked : static_cast<ByteStream&>(member));
      const std::string_view head = text.peek(64);
      const size_t first = head.find_first_not_of(" \t\r\n");
      const std::string source = path + ":" + members.name();
      if (first != std::string_view::npos && (head[first] == '{' || head[first] == '['))
        rank(text, source);
      else if (may_be_trace(members.name()))
        without_events_.push_back(source);
    }
    if (files_ == 0 && members.damage().empty())
      refused_ = path +
                 " is an archive without JSON of torch.profiler; unpack it, and name what is"
                 " in it";
    if (!members.damage().empty()) recording_.damage.push_back(path + ": " + members.damage());
  }

  void rank(ByteStream& stream, const std::string& source) {
    const auto first = ProcessIndex(static_cast<uint32_t>(recording_.processes.size()));
    KinetoFile rows(recording_, tables_, frames_, rows_, source);
    JsonWindow window(stream, [this] {
      if (progress_) progress_(done_ + part_ * source_->share());
    });
    const KinetoText text = read_kineto(window, rows);
    ++files_;
    events_ += text.events;
    is_trace_ = is_trace_ || text.has_events;
    add(rows.counts());
    for (const std::string& sentence : text.damage)
      recording_.damage.push_back(source + ": " + sentence);
    if (!stream.damage().empty()) recording_.damage.push_back(source + ": " + stream.damage());
    if (!stream.damage().empty()) cut_ = stream.damage();
    if (text.cut) cut_ = text.damage.front();
    if (!rows.own_export().incomplete().empty())
      refused_ = source + " " + rows.own_export().incomplete();
    const bool idle = rows.counts().activities == 0;
    if (idle && text.has_events) without_device_.push_back(source);
    if (idle && !text.has_events) without_events_.push_back(source);
    if (idle || !rows.own_export().incomplete().empty()) return tables_.drop_processes(first);
    rows.finish(text.header);
    // With other files beside it there would be two kinds of causes in one recording.
    own_.reset();
    if (rows.own_export().is_export() && files_ == 1)
      own_ = std::make_unique<OwnExport>(std::move(rows.own_export()));
    base_ns_ = text.header.base_ns;
    if (rows.counts().untimed > 0)
      recording_.damage.push_back(source + ": " + std::to_string(rows.counts().untimed) +
                                  " rows of the host have no usable time (negative, no number, or"
                                  " years from the others) and were left out");
  }

  void add(const KinetoFile::Counts& c) {
    counts_.operators += c.operators;
    counts_.functions += c.functions;
    counts_.calls += c.calls;
    counts_.syncs += c.syncs;
    counts_.call_stacks += c.call_stacks;
    counts_.untimed_activities += c.untimed_activities;
  }

  void take_own_causes() {
    auto stated = own_->analysis(recording_, base_ns_);
    if (!stated) {
      recording_.damage.push_back(stated.error().message);
      return;
    }
    recording_.stated = *stated;
    recording_.basis = own_->basis();
    recording_.not_observed = own_->not_observed();
    recording_.lines_are_defs = false;
  }

  Error refusal(const std::string& path) const {
    if (!refused_.empty()) return {refused_};
    if (!is_trace_) {
      const std::string why =
          recording_.damage.empty() ? std::string() : " (" + recording_.damage.front() + ")";
      return {path + " is no trace of torch.profiler: it has no traceEvents" + why +
              "; name a file that export_chrome_trace() or tensorboard_trace_handler() wrote"};
    }
    if (!cut_.empty())
      return {path + " is cut before any GPU activity: " + cut_ +
              "; copy it again, or profile again and let the program end, which writes the rest"};
    if (counts_.untimed_activities > 0)
      return {path + " has no GPU activity with a usable time: " +
              std::to_string(counts_.untimed_activities) +
              " have a negative one or none; profile again, with a newer PyTorch"};
    return {path + " has no GPU activity: " + std::to_string(events_) + " events, among them " +
            std::to_string(counts_.operators) + " operators and " + std::to_string(counts_.calls) +
            " CUDA calls, but no kernel, copy or memset; profile with activities=[CPU, CUDA] over"
            " steps that use the GPU"};
  }

  void name_what_is_missing() {
    std::vector<std::string>& missing = recording_.not_observed;
    for (const std::string& source : without_device_)
      recording_.damage.push_back(source + ": no GPU activity in it, left out");
    for (const std::string& source : without_events_)
      recording_.damage.push_back(source + ": no trace of torch.profiler in it, left out");
    missing.push_back("waits for files, pipes and locks");
    missing.push_back("DataLoader worker processes");
    missing.push_back("whether threads were running or waiting for a core");
    if (counts_.functions == 0 && counts_.call_stacks == 0)
      missing.push_back("Python stacks (profile with with_stack=True)");
    if (counts_.calls == 0) missing.push_back("CUDA calls");
    recording_.lines_are_defs = counts_.functions > 0;
    if (recording_.lines_are_defs)
      missing.push_back("which line of a function ran: each is named by the line of its def");
  }

  Progress progress_;
  Recording recording_;
  Tables tables_{recording_};
  KinetoFrames frames_{tables_};
  KinetoRows rows_;
  KinetoFile::Counts counts_;
  std::vector<std::string> without_device_, without_events_;
  std::unique_ptr<OwnExport> own_;  // the one file, if it is an export of gpustall
  int64_t base_ns_ = 0;
  std::string refused_, cut_;
  const SourceStream* source_ = nullptr;
  double done_ = 0, part_ = 1;
  uint64_t events_ = 0, files_ = 0;
  bool is_trace_ = false;
};

}  // namespace

std::vector<fs::path> kineto_files_in(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (may_be_trace(at->path())) paths.push_back(at->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Recording> import_kineto_bytes(std::string_view content, const std::string& name) {
  return Importer({}).run(content, name);
}

Result<Recording> import_kineto(const fs::path& path, const Progress& progress) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return Importer(progress).run({path});
  const std::vector<fs::path> paths = kineto_files_in(path);
  if (paths.empty())
    return Error{path.string() +
                 " holds no trace of torch.profiler (.json, .json.gz, .tar.gz);"
                 " name the directory that tensorboard_trace_handler() wrote to"};
  return Importer(progress).run(paths);
}

}  // namespace gpustall::collect
