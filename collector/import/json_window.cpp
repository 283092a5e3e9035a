#include "collector/import/json_window.h"

#include <cstring>

namespace gpustall::collect {
namespace {

constexpr size_t kFirst = 256 << 10;    // fits the second-level cache
constexpr size_t kLargest = 256 << 20;  // no event is larger

}  // namespace

JsonWindow::JsonWindow(ByteStream& stream, std::function<void()> tick)
    : stream_(stream), tick_(std::move(tick)), buffer_(kFirst + 1, '\0') {}

bool JsonWindow::more() {
  if (ended_) return false;
  const size_t kept = length_ - at_;
  if (at_ > 0) std::memmove(buffer_.data(), buffer_.data() + at_, kept);
  before_ += at_;
  at_ = 0;
  length_ = kept;
  if (kept + 1 >= buffer_.size() / 2) {
    if (buffer_.size() >= kLargest) return too_large_ = true, false;
    buffer_.resize((buffer_.size() - 1) * 2 + 1);
  }
  while (length_ + 1 < buffer_.size()) {
    const size_t got = stream_.read(buffer_.data() + length_, buffer_.size() - 1 - length_);
    if (got == 0) {
      ended_ = true;
      break;
    }
    length_ += got;
  }
  buffer_[length_] = '\0';
  if (tick_) tick_();
  return length_ > kept;
}

char JsonWindow::peek() {
  for (;;) {
    JsonCursor cursor(begin(), end());
    const char c = cursor.peek();
    move_to(cursor.at());
    if (!cursor.out_of_data()) return c;
    if (!more()) return 0;
  }
}

bool JsonWindow::skip_value() {
  const char first = peek();
  if (first != '{' && first != '[') return parse([](JsonCursor& c) { return c.skip(); });
  for (JsonNesting nesting;;) {
    for (const char* p = begin(); p < end(); ++p)
      if (nesting.step(*p)) return move_to(p + 1), true;
    move_to(end());
    if (!more()) return false;
  }
}

}  // namespace gpustall::collect
