// The text form of a Recording: words of a line -> calls of the builder.
#include "test/builder/recording_text.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "test/builder/words.h"

namespace gpustall::test {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  const bool hex = text.substr(0, 2) == "0x";
  const char* begin = text.data() + (hex ? 2 : 0);
  const auto [end, ec] = std::from_chars(begin, text.data() + text.size(), value, hex ? 16 : 10);
  if (ec != std::errc() || end != text.data() + text.size())
    refuse("not a number: '" + std::string(text) + "'");
  return value;
}

struct Name {
  std::string_view text;
  uint64_t value;
};

template <size_t N>
uint64_t named(const Name (&names)[N], std::string_view text) {
  for (const Name& n : names)
    if (n.text == text) return n.value;
  refuse("unknown word '" + std::string(text) + "'");
}

constexpr Name kRoles[] = {{"trainer", 1}, {"loader_worker", 2}, {"other", 3}, {"unknown", 0}};
constexpr Name kCopies[] = {{"unknown", kCopyUnknown},
                            {"h2d", kHostToDevice},
                            {"d2h", kDeviceToHost},
                            {"d2d", kDeviceToDevice},
                            {"p2p", kPeerToPeer}};
constexpr Name kMemories[] = {{"unknown", kMemoryUnknown},
                              {"pageable", kPageable},
                              {"pinned", kPinned},
                              {"device", kDeviceMemory},
                              {"managed", kManaged}};
constexpr Name kObjects[] = {{"unknown", 0}, {"file", 1},      {"pipe", 2},      {"socket", 3},
                             {"tty", 4},     {"semaphore", 5}, {"condition", 6}, {"gil", 7},
                             {"eventfd", 8}, {"device", 9}};
constexpr Name kRanges[] = {{"nvtx", 0}, {"cpu_op", 1}, {"annotation", 2}, {"gc", 3}, {"other", 4}};
constexpr Name kStates[] = {{"unknown", 0},  {"running", 1},   {"runnable", 2},
                            {"sleeping", 3}, {"disk_wait", 4}, {"stopped", 5}};

// A line: its plain words, its key=value words, the stack after the bar.
class Line {
 public:
  explicit Line(std::string_view text) {
    if (const size_t bar = find_outside_quotes(text, '|'); bar != std::string_view::npos) {
      stack_ = trimmed(text.substr(bar + 1));
      text = text.substr(0, bar);
    }
    while (!(text = trimmed(text)).empty()) {
      size_t end = find_outside_quotes(text, ' ');
      if (end == std::string_view::npos) end = text.size();
      const std::string_view word = text.substr(0, end);
      const size_t equals = find_outside_quotes(word, '=');
      if (equals == std::string_view::npos || equals == 0)
        words_.push_back(unquoted(word));
      else
        keys_.emplace_back(word.substr(0, equals), unquoted(word.substr(equals + 1)));
      text = text.substr(end);
    }
  }

  std::string_view word() {
    if (next_ >= words_.size()) refuse("a word is missing");
    return words_[next_++];
  }
  TraceTime time() {
    const std::string_view text = word();
    last_time_ = text[0] == '+' ? last_time_ + time_of(text.substr(1)) : time_of(text);
    return last_time_;
  }
  Span span() {
    const TraceTime start = time();
    return {start, time()};
  }
  std::optional<std::string_view> key(std::string_view name) {
    for (auto& [key, value] : keys_)
      if (key == name) {
        key = {};
        return value;
      }
    return {};
  }
  uint64_t count(std::string_view name) {
    const auto value = key(name);
    return value ? number(*value) : 0;
  }
  template <size_t N>
  uint64_t choice(const Name (&names)[N], std::string_view name, uint64_t otherwise = 0) {
    const auto value = key(name);
    return value ? named(names, *value) : otherwise;
  }
  std::string_view stack() const { return stack_; }

  void expect_all_used() const {
    if (next_ < words_.size()) refuse("too many words: '" + std::string(words_[next_]) + "'");
    for (const auto& [key, value] : keys_)
      if (!key.empty()) refuse("unknown key '" + std::string(key) + "'");
  }

 private:
  static size_t find_outside_quotes(std::string_view text, char wanted) {
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"') quoted = !quoted;
      if (!quoted && text[i] == wanted) return i;
    }
    return std::string_view::npos;
  }
  static std::string_view unquoted(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
      return text.substr(1, text.size() - 2);
    return text;
  }

  std::vector<std::string_view> words_;
  std::vector<std::pair<std::string_view, std::string_view>> keys_;
  std::string_view stack_;
  size_t next_ = 0;
  TraceTime last_time_ = 0;
};

class Interpreter {
 public:
  explicit Interpreter(RecordingBuilder& builder) : b_(builder) {}

  void run(Line& line) {
    const std::string_view verb = line.word();
    if (!scope(verb, line) && !host_event(verb, line) && !device_event(verb, line))
      refuse("unknown verb '" + std::string(verb) + "'");
    line.expect_all_used();
  }

 private:
  bool scope(std::string_view verb, Line& line) {
    if (verb == "process") {
      const auto pid = static_cast<uint32_t>(number(line.word()));
      Process& p = b_.process(pid, static_cast<trace::Role>(named(kRoles, line.word())));
      if (const auto rank = line.key("rank")) p.rank = static_cast<int32_t>(number(*rank));
      p.parent_pid = static_cast<uint32_t>(line.count("parent"));
      thread_ = kNone<ThreadIndex>;
      queue_ = kNone<QueueIndex>;
    } else if (verb == "device") {
      Device& d = b_.device(static_cast<uint32_t>(number(line.word())));
      if (const auto name = line.key("name")) d.name = *name;
      if (const auto uuid = line.key("uuid")) d.uuid = *uuid;
    } else if (verb == "clock") {
      const TraceTime device_ns = line.time();
      b_.device_clock(device_ns, line.time(), static_cast<int64_t>(line.count("error")));
    } else if (verb == "thread") {
      thread_ = b_.thread(line.word());
      Thread& t = b_.thread_at(thread_);
      if (const auto tid = line.key("tid")) t.tid = static_cast<uint32_t>(number(*tid));
      if (const auto start = line.key("start")) t.start_ns = time_of(*start);
      if (const auto creator = line.key("creator")) {
        const ThreadIndex index = b_.thread(*creator);
        b_.thread_at(thread_).creator = index;
      }
    } else if (verb == "queue") {
      const auto stream = static_cast<uint32_t>(number(line.word()));
      queue_ = b_.queue(static_cast<uint32_t>(line.count("device")), stream);
    } else {
      return false;
    }
    return true;
  }

  bool host_event(std::string_view verb, Line& line) {
    if (verb == "call") return call(line), true;
    if (verb == "wait") return wait(line), true;
    if (verb == "range") {
      const std::string_view name = line.word();
      const Span at = line.span();
      const auto kind = static_cast<RangeKind>(line.choice(kRanges, "kind"));
      b_.range(thread(), name, at, kind, line.key("domain").value_or(""));
      return true;
    }
    if (verb == "sample") {
      const TraceTime at = line.time();
      SampleFields f;
      f.state = static_cast<trace::ThreadRunState>(line.choice(kStates, "state"));
      if (const auto cpu = line.key("cpu")) f.cpu_ns = static_cast<uint64_t>(time_of(*cpu));
      if (const auto r = line.key("runnable")) f.runnable_ns = static_cast<uint64_t>(time_of(*r));
      f.major_faults = line.count("faults");
      f.minor_faults = line.count("minor");
      if (const auto s = line.key("system")) f.system_ns = static_cast<uint64_t>(time_of(*s));
      f.flags = static_cast<uint8_t>((line.count("gil") != 0 ? trace::kSampleHoldsGil : 0u) |
                                     (line.count("gc") != 0 ? trace::kSampleGc : 0u));
      b_.sample(thread(), at, line.stack(), f);
      return true;
    }
    return false;
  }

  void call(Line& line) {
    const std::string_view name = line.word();
    const Span at = line.span();
    CallFields f;
    f.correlation = line.count("corr");
    f.stack = line.stack();
    f.native_stack = line.key("native").value_or("");
    f.stream = static_cast<uint32_t>(line.count("stream"));
    f.object = line.count("object");
    f.bytes = line.count("bytes");
    f.copy_kind = static_cast<uint8_t>(line.choice(kCopies, "kind"));
    f.result = static_cast<int32_t>(line.count("result"));
    f.name = line.key("name").value_or("");
    b_.call(thread(), name, at, f);
  }

  void wait(Line& line) {
    const std::string_view name = line.word();
    const Span at = line.span();
    WaitFields f;
    if (const auto object = line.key("object")) {
      const size_t colon = object->find(':');
      const auto kind = static_cast<trace::ObjectKind>(named(kObjects, object->substr(0, colon)));
      f.object = b_.object(kind, colon == std::string_view::npos ? "" : object->substr(colon + 1),
                           line.count("identity"));
    }
    if (const auto waker = line.key("waker")) {
      const size_t at_sign = waker->find('@');
      if (at_sign == std::string_view::npos) refuse("waker=THREAD@TIME is wanted");
      f.waker = b_.thread(waker->substr(0, at_sign));
      f.waker_time = time_of(waker->substr(at_sign + 1));
    }
    f.result = static_cast<int64_t>(line.count("result"));
    f.stack = line.stack();
    f.native_stack = line.key("native").value_or("");
    b_.wait(thread(), name, at, f);
  }

  bool device_event(std::string_view verb, Line& line) {
    if (verb == "kernel") {
      const std::string_view name = line.word();
      const Span at = line.span();
      b_.kernel(queue(), name, at, line.count("corr"));
    } else if (verb == "memcpy") {
      CopyFields f;
      f.kind = static_cast<uint8_t>(named(kCopies, line.word()));
      const bool download = f.kind == kDeviceToHost, local = f.kind == kDeviceToDevice;
      const Span at = line.span();
      f.bytes = line.count("bytes");
      f.src = static_cast<uint8_t>(
          line.choice(kMemories, "src", download || local ? kDeviceMemory : kPageable));
      f.dst =
          static_cast<uint8_t>(line.choice(kMemories, "dst", download ? kPageable : kDeviceMemory));
      b_.memcpy(queue(), at, line.count("corr"), f);
    } else if (verb == "memset") {
      const Span at = line.span();
      const uint64_t correlation = line.count("corr");
      b_.memset(queue(), at, correlation, line.count("bytes"));
    } else if (verb == "graph") {
      const Span at = line.span();
      b_.graph(queue(), at, line.count("corr"));
    } else if (verb == "launch") {
      const std::string_view name = line.word();
      const Span at = line.span();
      b_.launch(thread(), at, queue(), name, line.span(), line.stack());
    } else {
      return false;
    }
    return true;
  }

  ThreadIndex thread() {
    return thread_ == kNone<ThreadIndex> ? thread_ = b_.thread("main") : thread_;
  }
  QueueIndex queue() { return queue_ == kNone<QueueIndex> ? queue_ = b_.queue(0, 7) : queue_; }

  RecordingBuilder& b_;
  ThreadIndex thread_ = kNone<ThreadIndex>;
  QueueIndex queue_ = kNone<QueueIndex>;
};

}  // namespace

TraceTime time_of(std::string_view text) {
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (ec != std::errc()) refuse("not a time: '" + std::string(text) + "'");
  const double scale = unit.empty() || unit == "ns" ? 1
                       : unit == "us"               ? 1e3
                       : unit == "ms"               ? 1e6
                       : unit == "s"                ? 1e9
                                                    : 0;
  if (scale == 0) refuse("not a unit of time: '" + std::string(unit) + "'");
  return std::llround(value * scale);
}

void add_text(RecordingBuilder& builder, std::string_view text) {
  Interpreter interpreter(builder);
  for (size_t row = 1; !text.empty(); ++row) {
    const size_t end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    rest = trimmed(rest.substr(0, rest.find('#')));
    if (rest.empty()) continue;
    try {
      Line line(rest);
      interpreter.run(line);
    } catch (const std::invalid_argument& e) {
      refuse("line " + std::to_string(row) + ": " + e.what() + " in: " + std::string(rest));
    }
  }
}

Recording recording_of(std::string_view text) {
  RecordingBuilder builder;
  add_text(builder, text);
  return builder.build();
}

}  // namespace gpustall::test
