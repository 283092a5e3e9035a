// The rows of a Chrome trace, appended one after the other; a buffer is all that is held.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "viewer-cli/export/json_text.h"
#include "viewer-cli/export/text_sink.h"

namespace gpustall::cli {

struct Track {
  int64_t pid = 0, tid = 0;
};

class EventText {
 public:
  explicit EventText(TextSink& sink) : sink_(sink) {}

  // Opens a row; then its further members, args() and members of those, and end(). `name` is JSON.
  void slice(std::string_view category, std::string_view name, Track track, int64_t start,
             int64_t end);
  void args();
  void member(std::string_view key, int64_t number);
  void member(std::string_view key, std::string_view text);  // UTF-8; left out if it is empty
  void member_json(std::string_view key, std::string_view json);
  void end();

  // An arrow between two slices, at a time inside of each.
  void flow(std::string_view name, int64_t id, Track from, int64_t from_time, Track to,
            int64_t to_time);
  void counter(std::string_view name, int64_t pid, int64_t time, std::string_view series,
               int64_t value);
  // "process_name", "thread_name", ...; the value is JSON.
  void metadata(std::string_view what, Track track, std::string_view key, std::string_view value);

  // Around the rows.
  void raw(std::string_view text) { text_ += text; }
  void flush();

 private:
  void begin();
  void key(std::string_view key);
  TextSink& sink_;
  std::string text_;
  bool first_ = true, first_member_ = false, in_args_ = false;
};

}  // namespace gpustall::cli
