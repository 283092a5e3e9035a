#include "collector/compare/reasons.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "collector/compare/loader_reasons.h"
#include "collector/compare/run_rows.h"
#include "collector/compare/wording.h"

namespace gpustall::collect {
namespace {

// Speeds closer than that are the same; between two runs on one machine they vary by a few percent.
constexpr double kClearlyOther = 1.08;
constexpr double kInProportion = 0.75;  // smaller over larger factor of two things that slowed down
constexpr double kSameKernels = 0.9;  // share of the kernels' time under names that both sides have
constexpr double kSameCount = 1.02;   // kernels per step
constexpr double kAgreeing = 0.75;    // share of the kernels' time that changed the same way
constexpr uint64_t kLargeCopy = 64 * 1024;  // bytes; smaller ones measure latency

bool is_copy(const std::string& name) {
  return name.starts_with("copy ") || name == "copy" || name == "memset";
}

struct Work {
  double count = 0, ns = 0, bytes = 0;  // per step, or of the whole recording
  double each() const { return count > 0 ? ns / count : 0; }
  double rate() const { return ns > 0 ? bytes / ns : 0; }  // GB/s
};

struct Pace {
  double call_ns = 0, between_ns = 0;
  double sum() const { return call_ns + between_ns; }
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// All runs of one side.
struct SideWork {
  std::map<std::string, Work> kernels, copies;
  double kernels_per_step = 0, kernel_ns = 0;
  Pace pace;
};

SideWork work_of(std::span<const Model> models, std::span<const ModelDevice* const> devices,
                 Unit unit) {
  SideWork side;
  std::vector<double> calls, betweens;
  double steps = 0;
  for (size_t r = 0; r < models.size(); ++r) {
    const std::optional<uint64_t> warmup = warmup_of(models[r], *devices[r]);
    const bool counted = unit == Unit::Step && warmup;
    steps += counted ? double(devices[r]->step_span_ns.size() - *warmup) : 1;
    for (const WorkRow& row : devices[r]->work) {
      Work& work = (is_copy(row.name) ? side.copies : side.kernels)[row.name];
      work.count += double(row.count);
      work.ns += double(row.ns);
      work.bytes += double(row.bytes);
    }
    for (const ModelProcess& process : models[r].processes) {
      if (!process.pace || process.pace->launches == 0) continue;
      calls.push_back(double(process.pace->launch_call_ns));
      betweens.push_back(double(process.pace->between_launches_ns));
    }
  }
  side.pace = {median(calls), median(betweens)};
  for (auto* all : {&side.kernels, &side.copies})
    for (auto& [name, work] : *all) work.count /= steps, work.ns /= steps, work.bytes /= steps;
  for (const auto& [name, work] : side.kernels) {
    side.kernels_per_step += work.count;
    side.kernel_ns += work.ns;
  }
  return side;
}

class Reasons {
 public:
  Reasons(const SideWork& base, const SideWork& next, const DeviceComparison& comparison,
          const std::vector<EnvironmentDifference>& environment)
      : base_(base), next_(next), comparison_(comparison), environment_(environment) {
    compare_kernels();
  }

  std::vector<Reason> run() {
    other_gpu();
    other_work();
    gpu_speed();
    host_speed();
    without_cpu();
    link_speed();
    return std::move(reasons_);
  }

 private:
  void add(const char* code, std::string sentence) {
    reasons_.push_back({code, std::move(sentence)});
  }

  const char* unit() const { return comparison_.unit == Unit::Step ? "per step" : "in all"; }

  // Kernels that both sides run: how much of the time they are, and their factor of duration.
  void compare_kernels() {
    double shared = 0;
    for (const auto& [name, work] : base_.kernels) {
      const auto at = next_.kernels.find(name);
      if (at == next_.kernels.end() || work.each() <= 0 || name == "others") continue;
      shared += work.ns;
      factors_.push_back({at->second.each() / work.each(), work.ns});
    }
    const double ratio =
        base_.kernels_per_step > 0 ? next_.kernels_per_step / base_.kernels_per_step : 0;
    same_work_ = base_.kernel_ns > 0 && shared >= kSameKernels * base_.kernel_ns &&
                 ratio < kSameCount && ratio * kSameCount > 1;
    std::sort(factors_.begin(), factors_.end());
    double seen = 0;
    for (const auto& [factor, ns] : factors_) {
      if (seen < shared / 2) factor_ = factor;
      seen += ns;
      (factor > 1 ? longer_ : shorter_) += ns / shared;
    }
  }

  static bool differ(double a, double b) {
    return a > 0 && b > 0 && (a / b > kClearlyOther || b / a > kClearlyOther);
  }

  void other_gpu() {
    // A trace may say nothing of the device; that is no other one.
    if (comparison_.base_name.empty() || comparison_.next_name.empty()) return;
    if (comparison_.base_name == comparison_.next_name) return;
    add("other_gpu",
        "Different GPUs: " + comparison_.base_name + " -> " + comparison_.next_name + ".");
  }

  void other_work() {
    if (same_work_ || base_.kernels.empty() || next_.kernels.empty()) return;
    std::string sentence = printed("The program gives the GPU other work: %.0f -> %.0f kernels %s",
                                   base_.kernels_per_step, next_.kernels_per_step, unit());
    if (differ(base_.kernel_ns, next_.kernel_ns))
      sentence +=
          ", together " + ms_text(base_.kernel_ns) + " -> " + ms_text(next_.kernel_ns) + " ms";
    add("other_work", sentence + ".");
  }

  void gpu_speed() {
    const bool slower = factor_ > 1;
    const bool agreed = (slower ? longer_ : shorter_) >= kAgreeing;
    if (!same_work_ || !differ(factor_, 1) || !agreed) return;
    std::string sentence = printed("The same %.0f kernels %s take %.2f times as long",
                                   base_.kernels_per_step, unit(), factor_);
    if (comparison_.base_name == comparison_.next_name)
      sentence += slower
                      ? " on the same kind of GPU: a lower clock (power or heat limit), or another "
                        "process on it"
                      : " on the same kind of GPU: a higher clock, or a process less on it";
    add(slower ? "gpu_slower" : "gpu_faster", sentence + ".");
  }

  void host_speed() {
    const Pace &a = base_.pace, &b = next_.pace;
    if (!same_work_ || !differ(a.sum(), b.sum()) || a.call_ns <= 0 || a.between_ns <= 0) return;
    const double call = b.call_ns / a.call_ns, between = b.between_ns / a.between_ns;
    if (std::min(call, between) / std::max(call, between) < kInProportion) return;
    if ((call > 1) != (between > 1)) return;
    const bool slower = call > 1;
    std::string sentence = std::string("The host is ") + (slower ? "slower" : "faster") +
                           " at the same work: " + us_text(a.call_ns) + " -> " +
                           us_text(b.call_ns) + " inside a launch, " + us_text(a.between_ns) +
                           " -> " + us_text(b.between_ns) + " between two (medians; " +
                           printed("%.2f and %.2f times", call, between) + ")";
    sentence += slower ? ": a slower CPU core (model, clock), or one that is shared."
                       : ": a faster CPU core (model, clock), or one that is less shared.";
    add(slower ? "cpu_slower" : "cpu_faster", sentence + grown_host_causes());
  }

  // " launch.dispatch +3.10 ms, host.python +0.40 ms per step." of those that stand out
  std::string grown_host_causes() const {
    std::string text;
    for (const ChangeRow& row : comparison_.cause_rows) {
      const CauseFamily family = family_of(row.cause);
      const bool host = family == CauseFamily::Launch || family == CauseFamily::Host;
      if (row.kind != ChangeRow::Kind::Cause || !host || !row.change.distinguishable) continue;
      text += (text.empty() ? " " : ", ") + std::string(text_of(row.cause).id) + " " +
              signed_ms(row.change.change()) + " ms";
    }
    return text.empty() || comparison_.unit != Unit::Step ? std::string() : text + " per step.";
  }

  // Time in which threads were ready and had no core, where the cores differ too.
  void without_cpu() {
    std::string cores;
    for (const EnvironmentDifference& d : environment_)
      if (d.key.starts_with("cpu.") && !d.base.empty() && !d.next.empty())
        cores += (cores.empty() ? "" : ", ") + d.key + " " + d.base + " -> " + d.next;
    if (cores.empty()) return;
    for (const ChangeRow& row : comparison_.cause_rows) {
      const bool starved = row.cause == Cause::HostStarved || row.cause == Cause::HostThrottled ||
                           row.cause == Cause::DataWorkerStarved;
      if (row.kind == ChangeRow::Kind::Cause && starved && row.change.distinguishable)
        add(row.change.change() > 0 ? "fewer_cores" : "more_cores",
            "Time without a CPU core changed (" + std::string(text_of(row.cause).id) + " " +
                signed_ms(row.change.change()) + " ms), and so did the cores: " + cores + ".");
    }
  }

  void link_speed() {
    for (const auto& [name, work] : base_.copies) {
      const auto at = next_.copies.find(name);
      const bool over_link =
          name.starts_with("copy host to") || name.starts_with("copy device to host");
      if (at == next_.copies.end() || !over_link) continue;
      const Work& other = at->second;
      const bool large = work.count > 0 && other.count > 0 &&
                         std::min(work.bytes / work.count, other.bytes / other.count) >= kLargeCopy;
      if (!large || !differ(work.rate(), other.rate())) continue;
      const bool slower = other.rate() < work.rate();
      add(slower ? "link_slower" : "link_faster",
          "Rate of \"" + name + "\": " + printed("%.2f -> %.2f GB/s", work.rate(), other.rate()) +
              (slower ? ": a slower link (PCIe generation or width) or host memory, or others on "
                        "it."
                      : ": a faster link or host memory, or others less on it."));
    }
  }

  const SideWork& base_;
  const SideWork& next_;
  const DeviceComparison& comparison_;
  const std::vector<EnvironmentDifference>& environment_;
  std::vector<std::pair<double, double>> factors_;  // of duration, with the kernel's time
  double factor_ = 1, longer_ = 0, shorter_ = 0;    // median by time; shares of the time
  bool same_work_ = false;
  std::vector<Reason> reasons_;
};

}  // namespace

std::vector<Reason> reasons_for(std::span<const Model> base, std::span<const Model> next,
                                std::span<const ModelDevice* const> base_devices,
                                std::span<const ModelDevice* const> next_devices,
                                const DeviceComparison& comparison,
                                const std::vector<EnvironmentDifference>& environment) {
  const SideWork base_work = work_of(base, base_devices, comparison.unit);
  const SideWork next_work = work_of(next, next_devices, comparison.unit);
  std::vector<Reason> reasons = Reasons(base_work, next_work, comparison, environment).run();
  for (Reason& reason : loader_reasons(base, next, base_devices, next_devices, comparison))
    reasons.push_back(std::move(reason));
  return reasons;
}

}  // namespace gpustall::collect
