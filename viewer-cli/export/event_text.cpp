#include "viewer-cli/export/event_text.h"

namespace gpustall::cli {

namespace {
constexpr size_t kBufferBytes = 64 * 1024;
}

void EventText::begin() {
  text_ += first_ ? "\n" : ",\n";
  first_ = false;
}

void EventText::slice(std::string_view category, std::string_view name, Track track, int64_t start,
                      int64_t end) {
  begin();
  text_ += "{\"ph\":\"X\",\"cat\":\"";
  text_ += category;
  text_ += "\",\"name\":";
  text_ += name;
  append_member(text_, "pid", track.pid);
  append_member(text_, "tid", track.tid);
  text_ += ",\"ts\":";
  append_us(text_, start);
  text_ += ",\"dur\":";
  append_us(text_, end - start);
}

void EventText::args() {
  text_ += ",\"args\":{";
  first_member_ = in_args_ = true;
}

void EventText::key(std::string_view key) {
  text_ += first_member_ ? "\"" : ",\"";
  first_member_ = false;
  text_ += key;
  text_ += "\":";
}

void EventText::member(std::string_view name, int64_t number) {
  key(name);
  append_number(text_, number);
}

void EventText::member(std::string_view name, std::string_view text) {
  if (text.empty()) return;
  key(name);
  append_quoted(text_, text);
}

void EventText::member_json(std::string_view name, std::string_view json) {
  key(name);
  text_ += json;
}

void EventText::end() {
  text_ += in_args_ ? "}}" : "}";
  first_member_ = in_args_ = false;
  if (text_.size() > kBufferBytes) flush();
}

void EventText::flow(std::string_view name, int64_t id, Track from, int64_t from_time, Track to,
                     int64_t to_time) {
  for (const bool start : {true, false}) {
    const Track track = start ? from : to;
    begin();
    text_ += start ? "{\"ph\":\"s\"" : "{\"ph\":\"f\",\"bp\":\"e\"";
    append_member(text_, "id", id);
    append_member(text_, "cat", name);
    append_member(text_, "name", name);
    append_member(text_, "pid", track.pid);
    append_member(text_, "tid", track.tid);
    text_ += ",\"ts\":";
    append_us(text_, start ? from_time : to_time);
    end();
  }
}

void EventText::counter(std::string_view name, int64_t pid, int64_t time, std::string_view series,
                        int64_t value) {
  begin();
  text_ += "{\"ph\":\"C\"";
  append_member(text_, "name", name);
  append_member(text_, "pid", pid);
  text_ += ",\"ts\":";
  append_us(text_, time);
  args();
  member(series, value);
  end();
}

void EventText::metadata(std::string_view what, Track track, std::string_view name,
                         std::string_view value) {
  begin();
  text_ += "{\"ph\":\"M\"";
  append_member(text_, "name", what);
  append_member(text_, "pid", track.pid);
  append_member(text_, "tid", track.tid);
  args();
  member_json(name, value);
  end();
}

void EventText::flush() {
  sink_.write(text_);
  text_.clear();
}

}  // namespace gpustall::cli
