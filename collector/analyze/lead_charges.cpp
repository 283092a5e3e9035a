#include "collector/analyze/lead_charges.h"

#include <algorithm>

namespace gpustall::collect {

std::vector<LeadCharge> LeadCharges::settle(const LoaderWorkers* loader, ProcessIndex process,
                                            TraceTime start, TraceTime end) {
  std::vector<LeadCharge> back;
  if (loader != nullptr && !since_.empty()) {
    if (loader->has_workers(process)) {
      const TraceTime limited = loader->last_all_idle(process, since_.front().host, start);
      for (const LeadCharge& c : since_)
        if (c.host >= limited) back.push_back(c);
    } else {
      int64_t charged = 0;
      for (const LeadCharge& c : since_) charged += c.ns;
      if (end - start >= charged) back = since_;
    }
  }
  since_.clear();
  return back;
}

}  // namespace gpustall::collect
