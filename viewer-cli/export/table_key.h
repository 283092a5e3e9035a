// What all tables share: the columns that say of which device a row is, and the smallest helpers.
#pragma once
#include "viewer-cli/export/tables.h"

namespace gpustall::cli {

inline constexpr int kTableSchema = 1;

class DeviceKeys {
 public:
  explicit DeviceKeys(const TimelineInput& in);
  // schema, host, rank, device, gpu_uuid
  void write(TableText& out, collect::DeviceIndex device) const;

 private:
  const TimelineInput& in_;
  std::vector<int32_t> rank_;  // of the process that works on it; -1: none, or several
};

std::string_view family_name(collect::Cause cause);
// file, line, function
void write_site(TableText& out, TimelineInput& in, collect::SiteId site);
bool is_wanted(const TimelineInput& in, const TableWish& wish, collect::DeviceIndex device);

void write_causes_table(TimelineInput& in, const TableWish& wish, TextSink& sink);

}  // namespace gpustall::cli
