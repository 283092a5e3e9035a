#include "collector/import/kineto_reader.h"

#include "collector/import/decimal.h"

namespace gpustall::collect {
namespace {

constexpr uint64_t kMostBroken = 1000;  // then the text is something else
constexpr size_t kMostDevices = 4096;

bool read_args(JsonCursor& c, KinetoEvent& e) {
  if (c.peek() != '{') return c.skip();
  // Those of an operator are long and seldom hold the one member that matters.
  if (e.category == "cpu_op" || e.category == "python_function") {
    JsonCursor ahead = c;
    bool call_stack = false;
    if (!ahead.skip_nested('C', 'a', call_stack)) return c = ahead, false;
    if (!call_stack) return c = ahead, true;
  }
  return c.object([&](std::string_view key) {
    std::string_view* into = nullptr;
    switch (key.size()) {
      case 4:
        if (key == "name") into = &e.label;
        break;
      case 5:
        if (key == "bytes") into = &e.bytes;
        break;
      case 6:
        if (key == "stream") into = &e.stream;
        if (key == "device") into = &e.device;
        break;
      case 7:
        if (key == "context") into = &e.context;
        if (key == "process") into = &e.process;
        break;
      case 10:
        if (key == "Call stack") into = &e.call_stack;
        break;
      case 11:
        if (key == "correlation") into = &e.correlation;
        break;
      default:
        break;
    }
    return into == nullptr ? c.skip() : c.text(*into);
  });
}

// The text of a value as it stands.
bool read_raw(JsonCursor& c, std::string_view& raw) {
  c.peek();
  const char* from = c.at();
  if (!c.skip()) return false;
  raw = {from, static_cast<size_t>(c.at() - from)};
  return true;
}

bool read_event(JsonCursor& c, KinetoEvent& e) {
  e = {};
  if (c.peek() != '{') return c.skip();
  return c.object([&](std::string_view key) {
    std::string_view* into = nullptr;
    switch (key.size()) {
      case 2:
        if (key == "ph") into = &e.phase;
        if (key == "ts") into = &e.start;
        if (key == "sf") into = &e.stack_frame;
        break;
      case 3:
        if (key == "cat") into = &e.category;
        if (key == "pid") into = &e.pid;
        if (key == "tid") into = &e.tid;
        if (key == "dur") into = &e.duration;
        break;
      case 4:
        if (key == "name") into = &e.name;
        if (key == "args")
          return e.category.starts_with("gpustall_") ? read_raw(c, e.args) : read_args(c, e);
        break;
      default:
        break;
    }
    return into == nullptr ? c.skip() : c.text(*into);
  });
}

bool read_device(JsonCursor& c, KinetoDevice& device) {
  device = {};
  if (c.peek() != '{') return c.skip();
  return c.object([&](std::string_view key) {
    std::string_view text;
    if (!c.text(text)) return false;
    const uint64_t value = parse_count(text).value_or(0);
    if (key == "id") device.ordinal = static_cast<uint32_t>(value);
    if (key == "name") device.name = clean_text(text);
    if (key == "totalGlobalMem") device.memory_bytes = value;
    if (key == "numSms") device.multiprocessors = static_cast<uint32_t>(value);
    if (key == "computeMajor") device.capability += static_cast<uint32_t>(value % 1000) * 10;
    if (key == "computeMinor") device.capability += static_cast<uint32_t>(value % 10);
    return true;
  });
}

class Reader {
 public:
  Reader(JsonWindow& window, KinetoSink& sink) : w_(window), sink_(sink) {}

  KinetoText run() {
    const char first = w_.peek();
    if (first == '[') {
      events();
    } else if (first == '{') {
      take('{');
      members();
    }
    return std::move(out_);
  }

 private:
  bool take(char wanted) {
    if (w_.peek() != wanted) return false;
    w_.move_to(w_.begin() + 1);
    return true;
  }
  void cut(const char* where) {
    out_.cut = true;
    out_.damage.push_back(std::string("the JSON ends or breaks ") + where + " at byte " +
                          std::to_string(w_.offset()) + ", after " + std::to_string(out_.events) +
                          " events");
  }

  void members() {
    if (take('}')) return;
    for (;;) {
      std::string key;
      const bool named = w_.parse([&](JsonCursor& c) {
        std::string_view raw;
        if (!c.string(raw) || !c.take(':')) return false;
        key = raw;
        return true;
      });
      if (!named) return cut("outside of an event");
      if (!value_of(key)) return told_ ? void() : cut("outside of an event");
      if (take('}')) return;
      if (!take(',')) return cut("outside of an event");
    }
  }

  bool value_of(const std::string& key) {
    const char first = w_.peek();
    if (key == "traceEvents" && first == '[') return events();
    if (key == "deviceProperties" && first == '[') return devices();
    if (key == "distributedInfo" && first == '{') return distributed();
    if (key == "gpustall" && first == '{') return own_header();
    if (key == "stackFrames" && first == '{' && !out_.header.gpustall.empty())
      return stack_frames();
    if (first == '{' || first == '[') return w_.skip_value();
    std::string text;
    const bool read = w_.parse([&](JsonCursor& c) {
      std::string_view raw;
      if (!c.text(raw)) return false;
      text = raw;
      return true;
    });
    if (key == "baseTimeNanoseconds") out_.header.base_ns = parse_decimal(text, 0).value_or(0);
    if (key == "cuda_runtime_version") out_.header.runtime_version = clean_text(text);
    if (key == "cuda_driver_version") out_.header.driver_version = clean_text(text);
    return read;
  }

  bool devices() {
    std::vector<KinetoDevice> devices;
    const bool read = w_.parse([&](JsonCursor& c) {
      devices.clear();
      return c.array([&] {
        KinetoDevice device;
        if (!read_device(c, device)) return false;
        if (devices.size() < kMostDevices) devices.push_back(std::move(device));
        return true;
      });
    });
    if (read) out_.header.devices = std::move(devices);
    return read || w_.skip_value();
  }

  bool own_header() {
    return w_.parse([&](JsonCursor& c) {
      std::string_view raw;
      if (!read_raw(c, raw)) return false;
      out_.header.gpustall = raw;
      return true;
    });
  }

  bool stack_frames() {
    take('{');
    if (take('}')) return true;
    for (;;) {
      KinetoStackFrame frame;
      const bool read = w_.parse([&](JsonCursor& c) {
        frame = {};
        if (!c.string(frame.id) || !c.take(':')) return false;
        return c.object([&](std::string_view key) {
          std::string_view text;
          if (!c.text(text)) return false;
          if (key == "parent") frame.parent = text;
          if (key == "file") frame.file = text;
          if (key == "line") frame.line = text;
          if (key == "function") frame.function = text;
          return true;
        });
      });
      if (!read) return false;
      sink_.stack_frame(frame);
      if (take('}')) return true;
      if (!take(',')) return false;
    }
  }

  bool distributed() {
    return w_.parse([&](JsonCursor& c) {
      return c.object([&](std::string_view key) {
        std::string_view text;
        if (!c.text(text)) return false;
        const uint64_t value = parse_count(text).value_or(1u << 31);
        if (key == "rank" && value < 1u << 31) out_.header.rank = static_cast<int64_t>(value);
        if (key == "world_size") out_.header.world_size = clean_text(text);
        if (key == "backend") out_.header.backend = clean_text(text);
        if (key == "hostname" || key == "host") out_.header.host = clean_text(text);
        return true;
      });
    });
  }

  // False only where nothing behind the array can be read any more.
  bool events() {
    out_.has_events = true;
    sink_.before_events(out_.header);
    take('[');
    if (take(']')) return true;
    KinetoEvent e;
    for (;;) {
      if (w_.parse([&](JsonCursor& c) { return read_event(c, e); })) {
        ++out_.events;
        sink_.event(e);
        if (take(',')) continue;
        if (take(']')) return tell_broken(), true;
      }
      if (resynchronise()) continue;
      cut("in the events");
      told_ = true;
      return tell_broken(), false;
    }
  }

  // Behind a damaged event: the next object that follows a comma.
  bool resynchronise() {
    if (w_.too_large() || broken_ == kMostBroken || w_.peek() == 0) return false;
    w_.move_to(w_.begin() + 1);
    char before = 0;
    for (;;) {
      for (const char* p = w_.begin(); p < w_.end(); ++p) {
        if (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') continue;
        if (*p == '{' && before == ',') {
          w_.move_to(p);
          ++broken_;
          return true;
        }
        before = *p;
      }
      w_.move_to(w_.end());
      if (!w_.more()) return false;
    }
  }
  void tell_broken() {
    if (broken_ > 0)
      out_.damage.push_back(std::to_string(broken_) +
                            (broken_ == 1 ? " damaged event was" : " damaged events were") +
                            " passed over");
  }

  JsonWindow& w_;
  KinetoSink& sink_;
  KinetoText out_;
  uint64_t broken_ = 0;
  bool told_ = false;
};

}  // namespace

KinetoText read_kineto(JsonWindow& window, KinetoSink& sink) {
  return Reader(window, sink).run();
}

}  // namespace gpustall::collect
