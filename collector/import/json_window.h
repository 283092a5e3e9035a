// The sliding window: a buffer over a stream of JSON text. Whoever parses says from where the bytes
// are still needed; the rest makes room. It grows only for one element that is larger than it.
#pragma once
#include <functional>

#include "collector/import/byte_stream.h"
#include "collector/import/json_cursor.h"

namespace gpustall::collect {

class JsonWindow {
 public:
  // `tick` is called once for each buffer that was read; may be empty.
  explicit JsonWindow(ByteStream& stream, std::function<void()> tick = {});

  const char* begin() const { return buffer_.data() + at_; }
  const char* end() const { return buffer_.data() + length_; }
  void move_to(const char* at) { at_ = static_cast<size_t>(at - buffer_.data()); }
  // Keeps [begin, end), which moves, and reads on behind it; false if nothing came.
  bool more();
  uint64_t offset() const { return before_ + at_; }  // of begin() in the text
  bool too_large() const { return too_large_; }

  // Runs parse(cursor) from begin() until it succeeds, reading on while it is out of data; then
  // stands behind what it took. False: it failed for good, and the window stands where it did.
  template <typename Parse>
  bool parse(Parse&& parse_one) {
    for (;;) {
      JsonCursor cursor(begin(), end());
      if (parse_one(cursor)) {
        move_to(cursor.at());
        return true;
      }
      if (!cursor.out_of_data() || !more()) return false;
    }
  }
  // The next character that is not white space; 0 at the end of the text.
  char peek();
  // Over one value of any size, without holding it.
  bool skip_value();

 private:
  ByteStream& stream_;
  std::function<void()> tick_;
  std::string buffer_;  // one zero byte behind length_
  size_t at_ = 0, length_ = 0;
  uint64_t before_ = 0;
  bool ended_ = false, too_large_ = false;
};

}  // namespace gpustall::collect
