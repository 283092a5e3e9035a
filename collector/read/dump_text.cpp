#include "collector/read/dump_text.h"

#include <filesystem>
#include <ostream>

#include "collector/read/kind_names.h"

namespace gpustall::collect {

std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string signed_text(int64_t value) {
  return (value < 0 ? "" : "+") + std::to_string(value);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string hex_bytes(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

namespace {

void write_flags(const TraceFile& file, std::ostream& out) {
  constexpr std::pair<trace::HeaderFlag, const char*> kNames[] = {
      {trace::kCleanEnd, "clean_end"},
      {trace::kForkEpoch, "fork_epoch"},
      {trace::kSimulated, "simulated"},
      {trace::kCapReached, "cap_reached"},
      {trace::kCuptiActive, "cupti_active"}};
  const char* separator = " flags=";
  for (const auto& [flag, name] : kNames) {
    if (!file.flag(flag)) continue;
    out << separator << name;
    separator = ",";
  }
}

}  // namespace

void write_header_line(const TraceFile& file, int64_t end_ns, std::ostream& out) {
  const trace::FileHeader& h = file.header;
  out << "header file=" << quoted(std::filesystem::path(file.name).filename().string())
      << " version=" << h.format_version << " min_reader=" << h.min_reader_version
      << " pid=" << h.pid << " parent_pid=" << h.parent_pid << " epoch=" << h.epoch
      << " rank=" << h.rank << " role=" << role_name(h.role) << " host=" << quoted(file.host())
      << " run_id=" << hex(h.run_id[0]) << "," << hex(h.run_id[1])
      << " python=" << hex(h.python_version) << " clock="
      << (h.clock_kind == static_cast<uint8_t>(trace::ClockKind::Tsc) ? "Tsc" : "MonotonicNs");
  if (end_ns != 0) out << " end=" << signed_text(end_ns);
  if (h.max_bytes != 0) out << " max_bytes=" << h.max_bytes;
  if (h.cuda_driver_version != 0) out << " cuda_driver=" << h.cuda_driver_version;
  if (h.cupti_version != 0) out << " cupti=" << h.cupti_version;
  write_flags(file, out);
  for (size_t kind = 0; kind < std::size(h.losses); ++kind)
    if (h.losses[kind] != 0) {
      const std::string_view name = loss_name(kind);
      out << " lost." << (name.empty() ? std::to_string(kind) : std::string(name)) << '='
          << h.losses[kind];
    }
  out << '\n';
}

}  // namespace gpustall::collect
