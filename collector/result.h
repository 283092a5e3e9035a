// Result<T>: a value or one sentence for the user, with its remedy. C++20 has no std::expected.
#pragma once
#include <optional>
#include <string>
#include <utility>

namespace gpustall::collect {

struct Error {
  std::string message;  // "cause; remedy", without program name or trailing newline
};

template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Error& error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

}  // namespace gpustall::collect
