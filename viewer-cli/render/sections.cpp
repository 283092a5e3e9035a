// One sentence per fact, with its unit and its basis.
#include "viewer-cli/render/sections.h"
#include "viewer-cli/render/places.h"

#include <algorithm>

#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Basis;
using collect::Model;
using collect::Window;

constexpr size_t kActivitiesShown = 3;  // of the workers, largest first

std::string per_step(const View& view, int64_t ns) {
  return duration(view.per_unit(ns));
}

std::string busy_sentence(const View& view) {
  const Window& window = *view.window;
  std::string text =
      "GPU busy " + percent(view.share(window.busy_ns)) + " (" + per_step(view, window.busy_ns);
  if (window.exposed_copy_ns + window.exposed_collective_ns > 0) {
    text += ": compute " + per_step(view, window.compute_ns);
    if (window.exposed_copy_ns > 0) {
      text += ", copies alone " + per_step(view, window.exposed_copy_ns);
    }
    if (window.exposed_collective_ns > 0) {
      text += ", collectives alone " + per_step(view, window.exposed_collective_ns);
    }
  }
  text += "), idle " + percent(view.share(window.idle_ns)) + " (" + per_step(view, window.idle_ns) +
          "), per " + view.unit() + ".";
  return text;
}

std::string step_sentence(const View& view) {
  const collect::StepStats& steps = *view.process->steps;
  const uint64_t first = view.choice == WindowChoice::Warmup ? 0 : steps.warmup;
  std::string text = "Steps " + std::to_string(first + 1) + " to " +
                     std::to_string(first + view.steps) + " of " + std::to_string(steps.count);
  if (view.choice == WindowChoice::Steady) {
    text += ": mean " + duration(static_cast<double>(steps.mean_ns)) + ", median " +
            duration(static_cast<double>(steps.p50_ns)) + ", 95 % below " +
            duration(static_cast<double>(steps.p95_ns));
  }
  if (!steps.basis.empty()) text += " (steps found by: " + printable(steps.basis) + ")";
  return text + ".";
}

// The promise of every report, checked where it is made: causes tile the measured idle time.
std::string sum_fault(const View& view) {
  if (view.window == nullptr) return {};
  int64_t sum = 0;
  for (const collect::CauseRow& row : view.window->causes) sum += row.ns;
  if (sum == view.window->idle_ns) return {};
  return "FAULT: the causes add up to " + std::to_string(sum) + " ns, measured are " +
         std::to_string(view.window->idle_ns) + " ns idle. Please report this.";
}

// The ends of killed processes stand among what was not observed; once is enough.
bool is_named(const std::vector<std::string>& sentences, uint32_t pid) {
  return std::any_of(sentences.begin(), sentences.end(), [pid](const std::string& sentence) {
    return sentence.find(std::to_string(pid)) != std::string::npos;
  });
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + printable(part);
  return text;
}

}  // namespace

std::string basis_warning(const Model& model) {
  const bool simulated =
      model.basis == Basis::Simulated ||
      std::any_of(model.devices.begin(), model.devices.end(),
                  [](const collect::ModelDevice& device) { return device.simulated; });
  if (simulated) return "SIMULATED DEVICE: host times are real, times on the device are modelled.";
  if (model.basis == Basis::Kineto) return "Read from a torch.profiler trace.";
  if (model.basis == Basis::Nsys) return "Read from an Nsight Systems export.";
  return {};
}

std::string device_line(const View& view) {
  std::vector<std::string> parts;
  const collect::ModelProcess* process = view.process;
  for (const collect::ModelProcess& candidate : view.model->processes) {
    if (process == nullptr &&
        candidate.pid == (view.device->pids.empty() ? 0 : view.device->pids[0])) {
      process = &candidate;
    }
  }
  if (process != nullptr && !process->script.empty()) parts.push_back(base_name(process->script));
  std::string device = "device " + std::to_string(view.device->ordinal);
  if (!view.device->name.empty()) device += " (" + view.device->name + ")";
  parts.push_back(device);
  for (const char* key : {"torch", "python"}) {
    const auto found = view.model->environment.find(key);
    if (found != view.model->environment.end()) parts.push_back(key + (" " + found->second));
  }
  if (process != nullptr) parts.push_back("pid " + std::to_string(process->pid));
  if (process != nullptr && process->rank >= 0)
    parts.push_back("rank " + std::to_string(process->rank));
  const bool several_hosts =
      std::any_of(view.model->devices.begin(), view.model->devices.end(),
                  [&view](const auto& other) { return other.host != view.device->host; });
  if (several_hosts) parts.push_back("on " + view.device->host);
  return joined(parts, ", ");
}

std::vector<std::string> time_lines(const View& view) {
  std::vector<std::string> lines;
  const std::string span = duration(static_cast<double>(view.window->span_ns));
  if (view.steps > 0) {
    lines.push_back(step_sentence(view));
  } else if (view.process == nullptr) {
    lines.push_back("No steps were found: numbers are per second of the recording (" + span + ").");
  } else {
    lines.push_back("The whole recording, start and end included: numbers are per second of it (" +
                    span + ").");
  }
  lines.push_back(busy_sentence(view));
  return lines;
}

std::string warmup_line(const View& view) {
  if (view.choice != WindowChoice::Steady || !view.device->warmup || view.process == nullptr)
    return {};
  const Window& warmup = *view.device->warmup;
  const uint64_t steps = view.process->steps->warmup;
  if (warmup.span_ns <= 0) return {};
  std::string text =
      "Left out: warm-up, the first " + duration(static_cast<double>(warmup.span_ns));
  if (steps > 0) text += " with " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
  text += ", idle " +
          percent(static_cast<double>(warmup.idle_ns) / static_cast<double>(warmup.span_ns));
  if (!warmup.causes.empty() && warmup.idle_ns > 0) {
    text += ", most of it " + title_of(warmup.causes.front()) + " (" +
            duration(static_cast<double>(warmup.causes.front().ns)) + ")";
  }
  return text + ". See --window warmup.";
}

std::vector<std::string> loader_lines(const Model& model, const View& view) {
  std::vector<std::string> lines;
  for (const collect::LoaderSummary& loader : model.loaders) {
    const auto& pids = view.device->pids;
    if (std::find(pids.begin(), pids.end(), loader.pid) == pids.end()) continue;
    std::string text = "Data is loaded on the training process; ";
    if (loader.workers > 0)
      text =
          std::to_string(loader.workers) +
          (loader.workers == 1 ? " DataLoader worker delivers " : " DataLoader workers deliver ") +
          quantity(loader.delivered_per_s) + " batches/s; ";
    text += "the rest of a step could take " + quantity(loader.wanted_per_s);
    // A step takes as many batches as it does now.
    const double step_ns = view.steps > 0 ? view.per_unit(view.window->span_ns) : 0;
    if (step_ns > 0 && view.window->busy_ns > 0) {
      const double gpu_per_s =
          loader.delivered_per_s * step_ns / view.per_unit(view.window->busy_ns);
      text += ", the GPU " + quantity(gpu_per_s);
    }
    text += ".";
    if (!loader.doing.empty()) {
      text += " The workers' time:";
      for (size_t i = 0; i < loader.doing.size() && i < kActivitiesShown; ++i) {
        text += (i == 0 ? " " : ", ") + percent(loader.doing[i].second) + " " +
                printable(loader.doing[i].first);
      }
      text += ".";
    }
    lines.push_back(text);
  }
  return lines;
}

std::vector<std::string> ledger_lines(const Model& model, const View& view) {
  const collect::Ledger& ledger = model.ledger;
  std::string text = "Ledger: " + grouped(ledger.lost_records) + " records lost, " +
                     grouped(ledger.unlinked_activities) + " activities without their launch";
  if (ledger.clock_error_ns > 0) {
    text += ", clock error up to " + duration(static_cast<double>(ledger.clock_error_ns));
  }
  if (ledger.overhead_ns > 0) {
    text += ", own cost " + duration(static_cast<double>(ledger.overhead_ns)) + " of host time";
    // Of all threads together: more than the device's span says nothing as a share of it.
    const int64_t span = view.device->whole.span_ns;
    if (span > ledger.overhead_ns) {
      text +=
          " (" + percent(static_cast<double>(ledger.overhead_ns) / static_cast<double>(span)) + ")";
    }
  }
  std::vector<std::string> lines{text + "."};
  if (const std::string fault = sum_fault(view); !fault.empty()) lines.push_back(fault);
  for (const std::string& loss : ledger.losses) lines.push_back(printable(loss));
  if (!ledger.not_observed.empty()) {
    lines.push_back("Not observed: " + joined(ledger.not_observed, "; ") + ".");
  }
  for (const collect::ModelProcess& process : model.processes) {
    if (process.clean_end || is_named(ledger.not_observed, process.pid)) continue;
    lines.push_back(
        "Process " + std::to_string(process.pid) +
        " did not end by itself (killed, or still running): its recording stops there.");
  }
  return lines;
}

}  // namespace gpustall::cli
