// A small Nsight Systems export in a folder of its own, made with SQL. Tables are created only when
// a test asks for them, as nsys does.
#pragma once
#include <filesystem>
#include <string>

#include "collector/recording.h"
#include "collector/result.h"

namespace gpustall::test {

// The ids that nsys writes: virtual machine, process and thread in one number.
constexpr int64_t nsys_id(int64_t machine, int64_t pid, int64_t tid = 0) {
  return machine << 48 | pid << 24 | tid;
}

class NsysFile {
 public:
  // With META_DATA_EXPORT and StringIds, as every file has them; small pages, for damage.
  explicit NsysFile(const std::string& version = "3.16.1");
  NsysFile(const NsysFile&) = delete;
  NsysFile& operator=(const NsysFile&) = delete;
  ~NsysFile();

  NsysFile& sql(const std::string& statements);
  int64_t text(const std::string& value);  // its id in StringIds
  // The rows below create their table at first use.
  NsysFile& kernel(int64_t start, int64_t end, int64_t correlation, int64_t pid = 100,
                   int64_t device = 0, int64_t stream = 7);
  NsysFile& call(int64_t start, int64_t end, const std::string& name, int64_t correlation,
                 int64_t pid = 100, int64_t event_class = 0);

  const std::filesystem::path& path() const { return path_; }
  std::string bytes() const;
  // Through load(), which goes by the content.
  collect::Result<collect::Recording> load() const;
  collect::Recording recording() const;  // throws where load() refuses

 private:
  void run(const std::string& statements);

  std::filesystem::path folder_, path_;
  int64_t texts_ = 0;
};

// SQL for the columns of the tables of activities and calls.
extern const char* const kKernelTable;
extern const char* const kCallTable;

}  // namespace gpustall::test
