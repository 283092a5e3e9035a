#include "collector/read/dump.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "collector/read/dump_text.h"
#include "collector/read/field_meaning.h"
#include "collector/read/file_clocks.h"
#include "collector/read/id_text.h"
#include "collector/read/kind_names.h"
#include "collector/read/mapped_file.h"
#include "collector/read/trace_directory.h"
#include "collector/read/walk.h"
#include "libinterpose/trace/names.h"

namespace gpustall::collect {
namespace {

class Dumper {
 public:
  Dumper(const TraceFile& file, std::ostream& out, const DumpOptions& options)
      : f_(file), out_(out), options_(options), scan_(scan_file(file)) {
    clocks_ = make_clocks(f_, scan_, {});
    if (options.resolve) text_.emplace(f_, scan_);
    device_shift_ = device_shift();
  }

  void run() {
    if (options_.only.empty()) {
      const int64_t end_ticks = f_.header.end_ticks;
      write_header_line(f_, end_ticks == 0 ? 0 : host_time(end_ticks), out_);
    }
    std::vector<const Chunk*> chunks;
    for (const Chunk& c : f_.chunks) chunks.push_back(&c);
    std::sort(chunks.begin(), chunks.end(),
              [](const Chunk* a, const Chunk* b) { return a->offset < b->offset; });
    for (const Chunk* c : chunks) chunk(*c);
    for (const std::string& sentence : f_.damage) out_ << "damage " << quoted(sentence) << '\n';
  }

  // The visitor of walk_chunk.
#define GPUSTALL_DUMP(kind, field) print_##kind(Meanings::field, #field, r.field);
#define GPUSTALL_MEANING(kind, field) static constexpr Meaning field = meaning_of(kName, #field);
#define GPUSTALL_RECORD(name, tag)                      \
  struct name##Meanings {                               \
    static constexpr std::string_view kName = #name;    \
    GPUSTALL_FIELDS_##name(GPUSTALL_MEANING)            \
  };                                                    \
  bool operator()(const trace::name& r) {               \
    using Meanings = name##Meanings;                    \
    if (!wanted(#name)) return true;                    \
    out_ << "  " #name;                                 \
    GPUSTALL_FIELDS_##name(GPUSTALL_DUMP) out_ << '\n'; \
    return true;                                        \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_MEANING
#undef GPUSTALL_DUMP

 private:
  bool wanted(std::string_view name) const {
    return options_.only.empty() || options_.only.count(std::string(name)) != 0;
  }

  // Device time + this = nanoseconds since the start, at the first reading of the device clock.
  int64_t device_shift() {
    if (!scan_.device_clocks.empty()) {
      const DeviceReading& first = scan_.device_clocks.front();
      return trace::detail::sub(host_time(first.ticks), first.device_ns);
    }
    int64_t lowest = INT64_MAX;
    for (const Chunk& c : f_.chunks)
      if (c.kind() == trace::StreamKind::Device) lowest = std::min(lowest, c.header.base_time);
    return lowest == INT64_MAX ? 0 : trace::detail::sub(0, lowest);
  }

  int64_t host_time(int64_t ticks) {
    return trace::detail::sub(clocks_.host.to_ns(ticks), f_.header.start_monotonic_ns);
  }
  int64_t host_duration(uint64_t ticks) {
    const int64_t end = trace::detail::add(time_, static_cast<int64_t>(ticks));
    return trace::detail::sub(clocks_.host.to_ns(end), clocks_.host.to_ns(time_));
  }

  void chunk(const Chunk& c) {
    device_ = c.kind() == trace::StreamKind::Device;
    if (options_.only.empty()) {
      const int64_t base = device_ ? trace::detail::add(c.header.base_time, device_shift_)
                                   : host_time(c.header.base_time);
      out_ << "chunk " << c.index << " at=" << c.offset
           << " kind=" << stream_name(c.header.stream_kind) << " tid=" << c.header.tid
           << " sequence=" << c.header.sequence << " bytes=" << c.payload.size()
           << " base_time=" << signed_text(base)
           << " base_correlation=" << c.header.base_correlation << '\n';
    }
    const WalkEnd end = walk_chunk(c, *this);
    if (end.unknown != 0 && options_.only.empty())
      out_ << "  unknown_records=" << end.unknown << '\n';
    if (end.damaged) out_ << "  damage at=" << end.offset << " skipped=" << end.skipped << '\n';
  }

  void print_U(Meaning meaning, const char* name, uint64_t v) {
    const bool zero_has_a_name = meaning == Meaning::Loss || meaning == Meaning::Notice;
    if (v == 0 && !zero_has_a_name) return;
    out_ << ' ' << name << '=';
    if (const std::string_view known = enum_name(meaning, v); !known.empty()) {
      out_ << known;
    } else if (meaning == Meaning::Hex) {
      out_ << hex(v);
    } else if (meaning == Meaning::HostTime) {
      out_ << signed_text(host_time(static_cast<int64_t>(v)));
    } else if (meaning == Meaning::Ticks) {
      out_ << host_duration(v);
    } else {
      out_ << v;
      if (text_) resolved(meaning, v);
    }
  }
  void print_S(Meaning meaning, const char* name, int64_t v) {
    const trace::FileHeader& h = f_.header;
    if (meaning == Meaning::Monotonic)
      out_ << ' ' << name << '=' << signed_text(trace::detail::sub(v, h.start_monotonic_ns));
    else if (meaning == Meaning::Realtime)
      out_ << ' ' << name << '=' << signed_text(trace::detail::sub(v, h.start_realtime_ns));
    else if (meaning == Meaning::DeviceTime)
      out_ << ' ' << name << '=' << signed_text(trace::detail::add(v, device_shift_));
    else if (v != 0)
      out_ << ' ' << name << '=' << v;
  }
  void print_T(Meaning, const char* name, int64_t v) {
    time_ = v;
    const int64_t shown = device_ ? trace::detail::add(v, device_shift_) : host_time(v);
    out_ << ' ' << name << '=' << signed_text(shown);
  }
  void print_D(Meaning, const char* name, uint64_t v) {
    if (v == 0) return;
    out_ << ' ' << name << '=';
    if (device_)
      out_ << v;
    else
      out_ << host_duration(v);
  }
  void print_C(Meaning, const char* name, uint64_t v) {
    if (v != 0) out_ << ' ' << name << '=' << v;
  }
  void print_B(Meaning meaning, const char* name, std::string_view v) {
    if (v.empty()) return;
    out_ << ' ' << name << '=';
    if (meaning == Meaning::Text) {
      out_ << quoted(v);
    } else if (meaning == Meaning::Pcs) {
      const char* separator = "";
      for (const uint64_t pc : native_pcs(v)) {
        out_ << separator << hex(pc);
        separator = ",";
      }
    } else {
      out_ << hex_bytes(v);
    }
  }

  // A call that this build does not know is shown by its number.
  static std::string_view known(std::string_view name) {
    return name == "?" ? std::string_view{} : name;
  }
  static std::string_view enum_name(Meaning meaning, uint64_t v) {
    switch (meaning) {
      case Meaning::Call:
        return known(v < 256 ? trace::name_of(static_cast<trace::Call>(v)) : "?");
      case Meaning::Wait:
        return known(v < 256 ? trace::name_of(static_cast<trace::WaitId>(v)) : "?");
      case Meaning::ObjectKind:
        return object_name(v);
      case Meaning::RunState:
        return state_name(v);
      case Meaning::Loss:
        return loss_name(v);
      case Meaning::Notice:
        return notice_name(v);
      default:
        return {};
    }
  }

  void resolved(Meaning meaning, uint64_t id) {
    switch (meaning) {
      case Meaning::String:
        out_ << ':' << quoted(text_->string(id));
        break;
      case Meaning::Stack:
        out_ << ':' << quoted(text_->stack(id));
        break;
      case Meaning::NativeStack:
        out_ << ':' << quoted(text_->native_stack(id));
        break;
      case Meaning::Code:
        out_ << ':' << quoted(text_->code(id));
        break;
      case Meaning::Queue:
        out_ << ':' << quoted(text_->queue(id));
        break;
      case Meaning::Object:
        out_ << ':' << quoted(text_->object(id));
        break;
      default:
        break;
    }
  }

  const TraceFile& f_;
  std::ostream& out_;
  const DumpOptions& options_;
  FileScan scan_;
  FileClocks clocks_;
  std::optional<IdText> text_;
  int64_t device_shift_ = 0;
  int64_t time_ = 0;  // the last T, of the record being printed
  bool device_ = false;
};

}  // namespace

bool is_record_name(std::string_view name) {
#define GPUSTALL_RECORD(record, tag) \
  if (name == #record) return true;
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
  return false;
}

Error dump_bytes(const std::string& name, std::string_view bytes, std::ostream& out,
                 const DumpOptions& options) {
  const Result<TraceFile> file = open_trace(name, bytes);
  if (!file) return file.error();
  Dumper(*file, out, options).run();
  return {};
}

std::vector<Error> dump_path(const std::filesystem::path& path, std::ostream& out,
                             const DumpOptions& options) {
  std::vector<std::filesystem::path> paths{path};
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    Result<std::vector<std::filesystem::path>> found = traces_in(path);
    if (!found) return {found.error()};
    paths = std::move(*found);
  }
  std::vector<Error> errors;
  for (const std::filesystem::path& each : paths) {
    const Result<MappedFile> file = MappedFile::open(each);
    const Error error =
        file ? dump_bytes(each.string(), file->bytes(), out, options) : file.error();
    if (!error.message.empty()) errors.push_back(error);
  }
  return errors;
}

}  // namespace gpustall::collect
