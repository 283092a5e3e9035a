#include "viewer-cli/render/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "viewer-cli/render/places.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

using collect::Judgement;
using collect::LimitResult;
using Json = nlohmann::ordered_json;

constexpr size_t kSitesShown = 3;

Places places_of(const CheckedRun& run) {
  std::vector<std::string> files;
  for (const LimitResult& result : run.results)
    for (const collect::CauseRow& row : result.rows)
      if (row.site) files.push_back(row.site->file);
  return Places(files);
}

std::string sites_of(const LimitResult& result, const Places& places, const Terminal& terminal) {
  std::string text;
  for (size_t i = 0; i < result.rows.size() && i < kSitesShown; ++i) {
    const collect::CauseRow& row = result.rows[i];
    text += "    " + std::string(text_of(row.cause).id) + "  " + places.where(row.site);
    if (row.site && !row.site->text.empty()) text += "  " + printable(row.site->text);
    const size_t start = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    text = text.substr(0, start) + cut(text.substr(start), terminal.width) + "\n";
  }
  return text;
}

Json json_of(const LimitResult& result) {
  const collect::Limit& limit = result.limit;
  Json j = {{"of", limit.of == collect::Limit::Of::Idle   ? "idle"
                   : limit.of == collect::Limit::Of::Step ? "step"
                                                          : limit.causes}};
  j["device"] = result.device;
  j["unit"] = limit.is_share ? "share" : "ns_per_step";
  j["limit"] = limit.value;
  j["measured"] = result.measured ? Json(*result.measured) : Json(nullptr);
  j["margin"] = result.margin ? Json(*result.margin) : Json(nullptr);
  j["result"] = collect::judgement_name(result.judgement);
  j["sentence"] = result.sentence;
  j["rows"] = Json::array();
  for (const collect::CauseRow& row : result.rows) {
    Json one = {{"cause", text_of(row.cause).id}, {"ns", row.ns}, {"site", nullptr}};
    if (row.site)
      one["site"] = {
          {"file", row.site->file}, {"line", row.site->line}, {"function", row.site->function}};
    j["rows"].push_back(std::move(one));
  }
  return j;
}

}  // namespace

std::string render_check(const std::vector<CheckedRun>& runs, Judgement worst,
                         const Terminal& terminal) {
  std::string text;
  for (const CheckedRun& run : runs) {
    const Places places = places_of(run);
    if (runs.size() > 1) text += printable(run.path) + "\n";
    const auto other = [&run](const LimitResult& r) {
      return r.device != run.results.front().device;
    };
    const bool several = std::any_of(run.results.begin(), run.results.end(), other);
    for (const LimitResult& result : run.results) {
      const bool passed = result.judgement == Judgement::Passed;
      const std::string word = passed                                    ? "ok  "
                               : result.judgement == Judgement::Exceeded ? "OVER"
                                                                         : "?   ";
      const std::string device = several ? "device " + std::to_string(result.device) + ": " : "";
      text += paint(terminal,
                    passed                                    ? Paint::Green
                    : result.judgement == Judgement::Exceeded ? Paint::Red
                                                              : Paint::Yellow,
                    word) +
              "  " + wrapped(device + result.sentence, terminal.width - 6, 6) + "\n";
      if (!passed) text += sites_of(result, places, terminal);
    }
  }
  if (worst == Judgement::Passed || runs.empty()) return text;
  return text + "\nNext:  gpustall report " + runs.front().path + "\n";
}

std::string render_check_json(const std::vector<CheckedRun>& runs, Judgement worst) {
  Json j = {{"check_schema", 1}, {"result", collect::judgement_name(worst)}};
  j["runs"] = Json::array();
  for (const CheckedRun& run : runs) {
    Json one = {{"name", run.path}, {"limits", Json::array()}};
    for (const LimitResult& result : run.results) one["limits"].push_back(json_of(result));
    j["runs"].push_back(std::move(one));
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpustall::cli
