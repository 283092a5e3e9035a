#include "viewer-cli/limit_options.h"

#include <cmath>
#include <cstdlib>

namespace gpustall::cli {

namespace {

struct Amount {
  double value = 0;
  bool is_share = false, good = false;
};

Amount amount_of(const std::string& text) {
  char* end = nullptr;
  Amount amount;
  amount.value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit == "%"    ? 0.01
                       : unit == "s"  ? 1e9
                       : unit == "ms" ? 1e6
                       : unit == "us" ? 1e3
                       : unit == "ns" ? 1
                                      : 0;
  amount.is_share = unit == "%";
  amount.good =
      end != text.c_str() && scale > 0 && std::isfinite(amount.value) && amount.value >= 0;
  amount.value *= scale;
  return amount;
}

bool is_cause_or_family(const std::string& name) {
  for (const collect::CauseText& cause : collect::kCauses)
    if (cause.id == name || cause.id.substr(0, cause.id.find('.')) == name) return true;
  return false;
}

std::string complaint_about(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return "'" + text + "' has no '='; write sync=2ms or copy=3%";
  const std::string name = text.substr(0, equals);
  if (name != "idle" && name != "step" && !is_cause_or_family(name))
    return "'" + name + "' is no cause; gpustall causes lists them";
  const Amount amount = amount_of(text.substr(equals + 1));
  if (!amount.good || (name == "step" && amount.is_share))
    return "'" + text.substr(equals + 1) + "' is no amount; write 2ms, 500us" +
           (name == "step" ? "" : " or 3%");
  return {};
}

}  // namespace

CLI::Validator share_text() {
  return CLI::Validator(
      [](std::string& text) {
        const Amount amount = amount_of(text.find('%') == std::string::npos ? text + "%" : text);
        if (!amount.good || !amount.is_share) return "'" + text + "' is no percentage; write 3%";
        text = std::to_string(amount.value);
        return std::string{};
      },
      "");
}

CLI::Validator limit_text() {
  return CLI::Validator([](std::string& text) { return complaint_about(text); }, "");
}

collect::Limit parse_limit(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const Amount amount = amount_of(text.substr(equals + 1));
  collect::Limit limit;
  limit.of = name == "idle"   ? collect::Limit::Of::Idle
             : name == "step" ? collect::Limit::Of::Step
                              : collect::Limit::Of::Causes;
  limit.causes = name;
  limit.is_share = amount.is_share;
  limit.value = amount.value;
  return limit;
}

}  // namespace gpustall::cli
