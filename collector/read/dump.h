// A trace as text, one line per header, chunk and record: the oracle of the tests and the content
// of `gpustall dump`. The lines are stable: kinds and fields are named as in records.def, fields
// that are zero are left out.
//
//   header file=r0-100.gst version=1 … pid=100 …
//   chunk 0 at=4096 kind=Thread tid=100 sequence=0 bytes=23
//     Api call=cudaLaunchKernel start=+1500 duration=500 correlation=7 stack=3
//
// Host times are nanoseconds since the file's start. Device times are shifted by one constant so
// that the first reading of the device clock falls where the host clock has it: distances between
// them are exact.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/result.h"

namespace gpustall::collect {

struct DumpOptions {
  bool resolve = false;        // ids as what they stand for
  std::set<std::string> only;  // records by name; empty: all, with header and chunk lines
};

// A file, or all .gst files of a directory: one error for each that cannot be read, in their order;
// the others are printed all the same.
std::vector<Error> dump_path(const std::filesystem::path& path, std::ostream& out,
                             const DumpOptions& options);
// The error, or an empty message.
Error dump_bytes(const std::string& name, std::string_view bytes, std::ostream& out,
                 const DumpOptions& options);

// True for a record of records.def.
bool is_record_name(std::string_view name);

}  // namespace gpustall::collect
