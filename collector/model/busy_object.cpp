#include "collector/model/busy_object.h"

#include <cstdio>

namespace gpustall::collect {
namespace {

const char* direction(uint32_t copy_kind) {
  switch (copy_kind) {
    case kHostToDevice:
      return "host to device";
    case kDeviceToHost:
      return "device to host";
    case kDeviceToDevice:
      return "device to device";
    case kPeerToPeer:
      return "peer to peer";
    default:
      return "copy";
  }
}

std::string size_text(double bytes) {
  char text[32];
  const char* unit = bytes >= 1e9 ? "GB" : bytes >= 1e6 ? "MB" : bytes >= 1e3 ? "KB" : "B";
  const double scale = bytes >= 1e9 ? 1e9 : bytes >= 1e6 ? 1e6 : bytes >= 1e3 ? 1e3 : 1;
  std::snprintf(text, sizeof text, bytes >= 1e3 ? "%.1f %s" : "%.0f %s", bytes / scale, unit);
  return text;
}

}  // namespace

void BusyObjects::add(const Recording& r, Cause cause, SiteId site, StringId key,
                      uint32_t activity) {
  Sum& sum = sums_[{cause, site, key}];
  if (sum.last == activity) return;  // a copy may be exposed in several stretches
  sum.last = activity;
  ++sum.copies;
  sum.bytes += r.activities.bytes[activity];
  sum.ns += r.activities.end[activity] - r.activities.start[activity];
}

std::string BusyObjects::text(Cause cause, SiteId site, StringId key) const {
  std::string text = direction(raw(key));
  const auto at = sums_.find({cause, site, key});
  if (at == sums_.end() || at->second.bytes == 0 || at->second.copies == 0) return text;
  const Sum& sum = at->second;
  const double each = double(sum.bytes) / double(sum.copies);
  text += ", " + size_text(each) + " each";
  // The rate of small copies is their latency, not the link.
  if (each >= 64 * 1024 && sum.ns > 0)
    text += ", " + size_text(double(sum.bytes) * 1e9 / double(sum.ns)) + "/s";
  return text;
}

}  // namespace gpustall::collect
