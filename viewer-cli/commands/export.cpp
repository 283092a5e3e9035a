// `gpustall export`: a recording as the files of other tools.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "viewer-cli/build_info.h"
#include "viewer-cli/command.h"
#include "viewer-cli/export/idle_stacks.h"
#include "viewer-cli/export/tables.h"
#include "viewer-cli/export/timeline.h"
#include "viewer-cli/loading.h"
#include "viewer-cli/option_checks.h"
#include "viewer-cli/output_file.h"
#include "viewer-cli/progress.h"

namespace gpustall::cli {

namespace {

constexpr char kDescription[] =
    "Write a recording as files of other tools: timelines, tables, flame graphs.\n"
    "\n"
    "  gpustall export gpustall-train-1204T103106 --chrome out.json.gz\n"
    "  gpustall export before --chrome worst.json --window worst:20\n"
    "  gpustall export before --csv tables/ --collapsed idle.txt\n"
    "\n"
    "ui.perfetto.dev and chrome://tracing open --chrome, HTA and other tools of\n"
    "torch.profiler --kineto, speedscope.app --speedscope, flamegraph.pl --collapsed.\n"
    "A name that ends in .gz is packed; - is standard output.\n";

constexpr char kDefaultLimit[] = "50M";

struct Exported {
  collect::Recording recording;
  collect::Analysis analysis;
  collect::Model model;
};

// A file, or standard output for "-"; packed if its name says so.
class Target {
 public:
  Target(const std::string& path, bool force, const std::string& input, Output& standard_output) {
    if (path == "-") {
      sink_ = sink_to(standard_output);
      return;
    }
    file_ = std::make_unique<OutputFile>(path, force, std::vector{input});
    sink_ = sink_to(*file_);
    if (path.ends_with(".gz")) sink_ = packed(std::move(sink_));
  }
  TextSink& sink() { return *sink_; }
  void place() {
    if (file_) file_->place();
  }

 private:
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<TextSink> sink_;
};

// A folder that is not left behind without a file.
class MadeFolder {
 public:
  MadeFolder() = default;
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;
  ~MadeFolder() {
    if (!path_.empty()) rmdir(path_.c_str());  // refused where something is in it
  }
  void make(const std::string& path) {
    if (mkdir(path.c_str(), 0755) == 0)
      path_ = path;
    else if (errno != EEXIST)
      fail("cannot make " + path + ": " + std::strerror(errno) + "; choose another folder");
  }

 private:
  std::string path_;
};

class ExportCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description(kDescription);
    app.add_option("path", path_,
                   "a recording (folder or file), a torch.profiler trace, an nsys export")
        ->required();
    const auto output = [&](const char* name, std::string& into, const char* text,
                            const char* type = "FILE") {
      app.add_option(name, into, text)->type_name(type);
    };
    output("--chrome", chrome_, "timeline with the causes, for Perfetto and chrome://tracing");
    output("--kineto", kineto_,
           "timeline as torch.profiler writes it; a folder when there are several ranks", "PATH");
    output("--csv", csv_, "tables of causes, gaps, slices, steps: a folder, or FILE.csv for one",
           "PATH");
    output("--jsonl", jsonl_, "the same tables as one JSON object per line");
    output("--speedscope", speedscope_, "flame graph of idle time, for speedscope.app");
    output("--collapsed", collapsed_, "the same as folded stacks with nanoseconds");
    app.add_option("--table", table_, "with --csv FILE.csv or --jsonl: only this table")
        ->type_name("NAME")
        ->check(CLI::IsMember({"causes", "gaps", "slices", "steps"}));
    app.add_option("--window", window_text_,
                   "with --chrome: 1.5s:2s (times of the timeline), steps:10:20, worst:20 (so many "
                   "of the longest gaps)")
        ->type_name("WINDOW");
    app.add_option("--device", device_, "only this device")->type_name("N")->check(whole_number(0));
    app.add_option("--max-size", max_size_,
                   "with --chrome: unpacked size; beyond it only the longest gaps are shown in "
                   "detail (50M; 0: no limit)")
        ->type_name("SIZE");
    app.add_flag("-f,--force", force_, "replace existing files");
  }

  int run(Session& session) override {
    check_wishes();
    open_targets(session);
    const Exported run = load(session);
    write_all(run, session);
    return 0;
  }

 private:
  void check_wishes();
  void check_distinct() const;
  void open_targets(Session& session);
  Exported load(const Session& session) const;
  void write_all(const Exported& run, const Session& session);
  static void say_written(const Session& session, const std::string& path, const std::string& more);
  void write_chrome(Timeline& timeline, const Session& session);
  void write_kineto(Timeline& timeline, const Exported& run, Session const& session);
  void write_tables(TimelineInput& in, const Session& session);
  std::vector<Table> chosen_tables(Table otherwise) const;

  std::string path_, chrome_, kineto_, csv_, jsonl_, speedscope_, collapsed_;
  std::string table_, window_text_, max_size_ = kDefaultLimit;
  int64_t device_ = -1;
  bool force_ = false;

  std::optional<uint32_t> device() const {
    return device_ < 0 ? std::nullopt : std::optional(static_cast<uint32_t>(device_));
  }
  bool csv_is_folder() const {
    return !csv_.empty() && csv_ != "-" && !csv_.ends_with(".csv") && !csv_.ends_with(".csv.gz");
  }
  std::string csv_file(std::string_view table) const {
    return csv_ + "/" + std::string(table) + ".csv";
  }
  WindowWish window_;
  uint64_t limit_ = 0;
  std::unique_ptr<Target> chrome_file_, jsonl_file_, speedscope_file_, collapsed_file_;
  MadeFolder csv_folder_;  // outlives its files
  std::vector<std::pair<Table, std::unique_ptr<Target>>> csv_files_;
};

uint64_t parse_size(const std::string& asked) {
  std::string text = asked;
  uint64_t unit = 1;
  if (!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0) {
    const char suffix = static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())));
    unit = suffix == 'K' ? 1'000 : suffix == 'M' ? 1'000'000 : suffix == 'G' ? 1'000'000'000 : 0;
    text.pop_back();
  }
  if (unit == 0 || text.empty() || text.size() > 9 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    fail_usage("'" + asked + "' is no size; write a number with K, M or G, such as 200M");
  return std::stoull(text) * unit;
}

void ExportCommand::check_wishes() {
  const std::string* outputs[] = {&chrome_, &kineto_, &csv_, &jsonl_, &speedscope_, &collapsed_};
  size_t named = 0, standard = 0;
  for (const std::string* output : outputs) {
    named += !output->empty();
    standard += *output == "-";
  }
  if (named == 0) fail_usage("nothing to write; name a file, such as --chrome out.json.gz");
  if (standard > 1) fail_usage("only one output can be -; name a file for the others");
  if (kineto_ == "-")
    fail_usage("readers of --kineto go by a file's ending; name a file in .json or .json.gz");
  check_distinct();
  limit_ = parse_size(max_size_);
  if (window_text_.empty()) return;
  const auto window = parse_window(window_text_);
  if (!window)
    fail_usage("'" + window_text_ + "' is no window; write 1.5s:2s, steps:10:20 or worst:20");
  if (chrome_.empty()) fail_usage("--window goes with --chrome; leave it out");
  window_ = *window;
}

// Two outputs in one file: the second would replace the first.
void ExportCommand::check_distinct() const {
  std::vector<std::string> paths{chrome_, kineto_, csv_, jsonl_, speedscope_, collapsed_};
  if (csv_is_folder())
    for (const std::string_view table : kTableNames) paths.push_back(csv_file(table));
  std::set<std::filesystem::path> seen;
  for (const std::string& path : paths) {
    if (path.empty() || path == "-") continue;
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    const auto plain = std::filesystem::weakly_canonical(absolute, error);
    if (!seen.insert(error ? absolute : plain).second)
      fail_usage("two outputs go to " + path + "; name a file for each");
  }
}

std::vector<Table> ExportCommand::chosen_tables(Table otherwise) const {
  for (size_t i = 0; i < kTableNames.size(); ++i)
    if (table_ == kTableNames[i]) return {static_cast<Table>(i)};
  return {otherwise};
}

// Before anything is read: who waited for the analysis must not hear of a forbidden place then.
void ExportCommand::open_targets(Session& session) {
  const auto open = [&](const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<Target>(path, force_, path_, session.out);
  };
  chrome_file_ = open(chrome_);
  jsonl_file_ = open(jsonl_);
  speedscope_file_ = open(speedscope_);
  collapsed_file_ = open(collapsed_);
  if (csv_.empty()) return;
  if (!csv_is_folder()) {
    csv_files_.emplace_back(chosen_tables(Table::Causes).front(), open(csv_));
    return;
  }
  csv_folder_.make(csv_);
  for (size_t i = 0; i < kTableNames.size(); ++i)
    if (table_.empty() || table_ == kTableNames[i])
      csv_files_.emplace_back(static_cast<Table>(i), open(csv_file(kTableNames[i])));
}

Exported ExportCommand::load(const Session& session) const {
  Analyzed analyzed = load_and_analyze(path_, session);
  check_device(device(), analyzed.recording);
  collect::Model model = collect::build_model(analyzed.recording, analyzed.analysis);
  return {std::move(analyzed.recording), std::move(analyzed.analysis), std::move(model)};
}

void ExportCommand::write_all(const Exported& run, const Session& session) {
  if (!chrome_.empty() || !kineto_.empty()) {
    Timeline timeline(run.recording, run.analysis, run.model, kVersion);
    if (!chrome_.empty()) write_chrome(timeline, session);
    if (!kineto_.empty()) write_kineto(timeline, run, session);
  }
  if (csv_.empty() && jsonl_.empty() && speedscope_.empty() && collapsed_.empty()) return;
  TimelineInput in(run.recording, run.analysis, run.model);
  if (!csv_.empty() || !jsonl_.empty()) write_tables(in, session);
  const auto stacks = idle_stacks(run.recording, run.analysis, device());
  if (!speedscope_.empty()) {
    write_speedscope(in, stacks, kVersion, speedscope_file_->sink());
    speedscope_file_->place();
    say_written(session, speedscope_, "; open it in https://www.speedscope.app");
  }
  if (!collapsed_.empty()) {
    write_collapsed(in, stacks, collapsed_file_->sink());
    collapsed_file_->place();
    say_written(session, collapsed_, "; flamegraph.pl draws it");
  }
}

void ExportCommand::say_written(const Session& session, const std::string& path,
                                const std::string& more) {
  if (path != "-") note(session, "wrote " + path + more);
}

void ExportCommand::write_chrome(Timeline& timeline, const Session& session) {
  const TimelinePlan plan = timeline.plan({window_, window_text_, device(), limit_});
  {
    ProgressLine progress("writing " + chrome_, session.quiet);
    timeline.write(plan, Dialect::Viewer, chrome_file_->sink(), progress.callback());
  }
  chrome_file_->place();
  for (const std::string& sentence : plan.left_out) note(session, sentence);
  if (!plan.left_out.empty())
    note(session, "--max-size 0 writes everything; --window shows one part in full");
  say_written(session, chrome_, "; open it in https://ui.perfetto.dev");
}

void ExportCommand::write_kineto(Timeline& timeline, const Exported& run, const Session& session) {
  const auto ranks = timeline.plans_of_ranks(device());
  MadeFolder folder;
  if (ranks.size() > 1) folder.make(kineto_);
  if (ranks.size() == 1 && !kineto_.ends_with(".json") && !kineto_.ends_with(".json.gz"))
    fail_usage(
        "readers of torch.profiler's traces go by the ending; name a file in .json or .json.gz");
  std::vector<std::unique_ptr<Target>> files;
  for (const auto& [process, plan] : ranks) {
    const collect::Process& p = run.recording.processes[raw(process)];
    const std::string name = (p.rank >= 0 ? "rank-" + std::to_string(p.rank) + "-" : "") + "pid-" +
                             std::to_string(p.pid) + "-" + std::to_string(raw(process)) +
                             ".pt.trace.json.gz";
    files.push_back(std::make_unique<Target>(ranks.size() > 1 ? kineto_ + "/" + name : kineto_,
                                             force_, path_, session.out));
    timeline.write(plan, Dialect::Torch, files.back()->sink());
  }
  for (const auto& file : files) file->place();
  say_written(session, kineto_,
              ", " + std::to_string(files.size()) + (files.size() == 1 ? " rank" : " ranks"));
}

void ExportCommand::write_tables(TimelineInput& in, const Session& session) {
  for (const auto& [table, file] : csv_files_) {
    write_table(table, in, {TableFormat::Csv, device()}, file->sink());
    file->sink().finish();
  }
  std::string tables;
  for (const auto& [table, file] : csv_files_) {
    file->place();
    tables += (tables.empty() ? ": " : ", ") + std::string(kTableNames[static_cast<size_t>(table)]);
  }
  if (!csv_.empty()) say_written(session, csv_, tables);
  if (jsonl_.empty()) return;
  for (size_t i = 0; i < kTableNames.size(); ++i)
    if (table_.empty() || table_ == kTableNames[i])
      write_table(static_cast<Table>(i), in, {TableFormat::JsonLines, device()},
                  jsonl_file_->sink());
  jsonl_file_->sink().finish();
  jsonl_file_->place();
  say_written(session, jsonl_, "");
}

}  // namespace

std::unique_ptr<Command> make_export_command() {
  return std::make_unique<ExportCommand>();
}

}  // namespace gpustall::cli
