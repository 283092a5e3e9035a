// Where an export's text goes: a file or standard output, packed or not.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gpustall::cli {

class Output;
class OutputFile;

class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void write(std::string_view text) = 0;  // throws Failure
  virtual void finish() {}                        // after the last write
};

// The targets must outlive their sinks.
std::unique_ptr<TextSink> sink_to(OutputFile& file);
std::unique_ptr<TextSink> sink_to(Output& out);
// gzip, for names that end in .gz.
std::unique_ptr<TextSink> packed(std::unique_ptr<TextSink> inner);

}  // namespace gpustall::cli
