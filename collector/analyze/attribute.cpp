#include "collector/analyze/attribute.h"

#include <algorithm>
#include <map>

namespace gpustall::collect {
namespace {

// Where two fixes would remove the same idle time, these own it and the wait stands in `also`.
bool goes_before_sync(Cause cause) {
  switch (family_of(cause)) {
    case CauseFamily::Cold:
    case CauseFamily::Data:
    case CauseFamily::Alloc:
    case CauseFamily::Copy:
    case CauseFamily::Tool:
      return true;
    default:
      return false;
  }
}

// Where a gap lies on the host: device time t corresponds to host time t + shift.
struct Projection {
  TraceTime shift = 0;
  TraceTime host_end = 0;  // what is later is the device's part
};

class Attributor {
 public:
  Attributor(const AttributeInput& input, Gaps& gaps, Slices& out)
      : in_(input), r_(input.base.recording), gaps_(gaps), out_(out) {
    collect_events();
    reserve(3 * gaps.size());
  }

  void run() {
    for (size_t d = 0; d < in_.timelines.devices.size(); ++d)
      for (uint32_t g = in_.timelines.first_gap[d]; g < in_.timelines.first_gap[d + 1]; ++g)
        gap(d, g);
    gaps_.first_slice.push_back(static_cast<uint32_t>(out_.size()));
    number_groups();
  }

 private:
  struct Owner {
    Cause cause{};
    StackId stack = kNone<StackId>;
    StringId object{};
    uint32_t key_plus_one = 0;  // of the waits' groups
    uint64_t also = 0;
    Cause other{};  // of `also`, with its stack
    StackId other_stack = kNone<StackId>;
    uint32_t other_key_plus_one = 0;

    void also_without(Cause repaired, StackId at, uint32_t its_key_plus_one) {
      if (repaired == cause) return;
      also |= bit_of(repaired);
      other = repaired;
      other_stack = at;
      other_key_plus_one = its_key_plus_one;
    }
  };

  // Most gaps have one or two; growing would copy what is there, and room that is not used is no
  // memory.
  void reserve(size_t slices) {
    const auto each = [slices](auto&... column) { (column.reserve(slices), ...); };
    each(out_.gap, out_.start, out_.end, out_.cause, out_.site, out_.object, out_.stack);
    each(out_.group, out_.other);
    gaps_.first_slice.reserve(gaps_.size() + 1);
  }

  void collect_events() {
    events_.resize(r_.processes.size());
    for (uint32_t i = 0; i < in_.stalls.all.size(); ++i) {
      const Stall& s = in_.stalls.all[i];
      if (in_.reader.launches_kernels(s.thread)) add_event(s.thread, {s.end, i});
    }
    for (uint32_t i = 0; i < r_.waits.size(); ++i)
      if (in_.reader.launches_kernels(r_.waits.thread[i]) && in_.reader.is_outside_wait(i))
        add_event(r_.waits.thread[i], {r_.waits.end[i], kNoIndex, i});
    for (auto& events : events_)
      std::stable_sort(events.begin(), events.end(),
                       [](const LeadEvent& a, const LeadEvent& b) { return a.end < b.end; });
  }
  void add_event(ThreadIndex thread, LeadEvent event) {
    events_[raw(r_.threads[raw(thread)].process)].push_back(event);
  }

  struct Side {  // a process on a device
    LeadLedger lead;
    LeadCharges charges;
  };
  Side& side(ProcessIndex process, size_t device) {
    const auto key = std::make_pair(raw(process), device);
    const auto at = sides_.find(key);
    if (at != sides_.end()) return at->second;
    LeadLedger::Input input{
        r_,     in_.stalls,           in_.base.clocks[raw(process)], in_.timelines,
        device, events_[raw(process)]};
    return sides_.try_emplace(key, Side{LeadLedger(std::move(input), groups_), {}}).first->second;
  }

  void gap(size_t device, uint32_t g) {
    gaps_.first_slice.push_back(static_cast<uint32_t>(out_.size()));
    gap_ = g;
    const TraceTime start = gaps_.start[g], end = gaps_.end[g];
    const uint32_t closing = gaps_.closing[g];
    if (in_.base.links.call_of[closing] == kNoIndex) {
      add(start, end, {lost_records(closing) ? Cause::UnknownLost : Cause::UnknownUnlinked});
      return;
    }
    const Projection p = project(closing, start, end);
    const TraceTime host_start = start + p.shift;
    if (p.host_end > host_start) host_part(device, closing, host_start, p);
    const TraceTime asked = std::max(start, p.host_end - p.shift);
    if (asked < end) {
      const TraceTime asked_at =
          in_.base.recording.calls.end[in_.base.links.call_of[closing]] - p.shift;
      Owner owner{in_.device_part.cause(closing, start, end, asked_at)};
      owner.stack = stack_of(in_.base.links.call_of[closing]);
      add(asked, end, owner);
    }
  }

  bool lost_records(uint32_t activity) const {
    const ProcessIndex process = r_.queues[raw(r_.activities.queue[activity])].process;
    return std::any_of(r_.losses.begin(), r_.losses.end(), [&](const Loss& loss) {
      return loss.process == process && loss.kind == trace::LossKind::NoChunk && loss.count > 0;
    });
  }

  Projection project(uint32_t closing, TraceTime start, TraceTime end) const {
    const uint32_t call = in_.base.links.call_of[closing];
    const uint32_t process = raw(r_.queues[raw(r_.activities.queue[closing])].process);
    const LaunchLatency& latency = in_.latency[process];
    const TraceTime started = in_.base.clocks[process].to_host(end);
    const TraceTime returned = r_.calls.end[call];
    const int64_t took = started - returned;
    Projection p;
    // A copy may start inside its call; then the host had come exactly so far when it started.
    const int64_t shift = took < 0 ? 0 : took <= latency.limit_ns ? took : latency.normal_ns;
    const TraceTime host_until = started - shift;
    p.shift = host_until - end;
    p.host_end = std::clamp(std::min(returned, host_until), start + p.shift, host_until);
    if (took < 0) p.host_end = host_until;
    return p;
  }

  void host_part(size_t device, uint32_t closing, TraceTime host_start, const Projection& p) {
    pieces_.clear();
    in_.reader.read(thread_to_follow(closing, host_start), host_start, p.host_end, pieces_);
    const ProcessIndex process = r_.queues[raw(r_.activities.queue[closing])].process;
    Side& at = side(process, device);
    for (const HostPiece& piece : pieces_) {
      for (uint32_t wait : at.lead.advance(piece.start)) give_back(at, process, wait);
      charge(piece, p.shift, at);
    }
  }

  // The launching thread of the next kernel or graph; copies do not choose it, unless that kernel
  // had been asked for before and it was the copy that was late.
  ThreadIndex thread_to_follow(uint32_t closing, TraceTime host_start) const {
    const Calls& c = r_.calls;
    const uint32_t closing_call = in_.base.links.call_of[closing];
    const uint32_t next = in_.timelines.next_work[gap_];
    const uint32_t next_call = next == kNoIndex ? kNoIndex : in_.base.links.call_of[next];
    if (next_call == kNoIndex || c.end[next_call] <= host_start) return c.thread[closing_call];
    return c.thread[next_call];
  }

  void charge(const HostPiece& piece, TraceTime shift, Side& at) {
    Owner owner{piece.cause, piece.stack, piece.object};
    TraceTime from = piece.start;
    if (piece.stall != kNoIndex) {
      owner.key_plus_one = groups_.key_of(in_.stalls.all[piece.stall]) + 1;
    } else if (piece.own &&
               family_of(piece.cause) != CauseFamily::Sync) {  // else it is the wait's own
      while (from < piece.end) {
        const LeadLedger::Share share = at.lead.take(piece.end - from);
        if (share.ns == 0) break;
        const Owner hidden = hidden_by(owner, in_.stalls.all[share.stall]);
        // A slice of its own for each owner of the work: it may have to go back.
        const bool moved = hidden.cause != owner.cause || hidden.stack != owner.stack;
        add(from - shift, from + share.ns - shift, hidden, moved ? &owner : nullptr);
        if (moved)
          at.charges.add(
              {from, last_slice(), share.ns, true, owner.cause, owner.stack, owner.object});
        from += share.ns;
      }
    }
    add(from - shift, piece.end - shift, owner, piece.stall != kNoIndex ? &owner : nullptr);
    if (piece.stall != kNoIndex && family_of(piece.cause) == CauseFamily::Sync)
      at.charges.add({from, last_slice(), piece.end - from});
  }
  uint32_t last_slice() const { return static_cast<uint32_t>(out_.size() - 1); }

  void give_back(Side& at, ProcessIndex process, uint32_t wait) {
    const bool batch = in_.reader.waits_for_loader(wait);
    const TraceTime start = r_.waits.start[wait], end = r_.waits.end[wait];
    const std::vector<LeadCharge> back =
        at.charges.settle(batch ? &in_.workers : nullptr, process, start, end);
    if (back.empty()) return;
    const Owner late = owner_of(wait);
    for (const LeadCharge& c : back)
      own(c.slice, c.is_work ? Owner{c.work, c.stack, c.object} : late);
  }

  // Who keeps the batch waiting, in the middle of the wait.
  Owner owner_of(uint32_t wait) {
    const TraceTime middle = r_.waits.start[wait] + (r_.waits.end[wait] - r_.waits.start[wait]) / 2;
    HostPieces pieces;
    in_.reader.read(r_.waits.thread[wait], middle, middle + 1, pieces);
    if (pieces.empty()) return {Cause::DataWait, r_.waits.stack[wait]};
    return {pieces.front().cause, pieces.front().stack, pieces.front().object};
  }

  // Changes hands: the wait that owned it would have to go, too.
  void own(uint32_t slice, const Owner& owner) {
    const uint64_t also = (out_.also(slice) | bit_of(out_.cause[slice])) & ~bit_of(owner.cause);
    const OtherRepair before{
        also, also != 0, out_.cause[slice], out_.site[slice], out_.stack[slice], out_.group[slice]};
    if (out_.other[slice] == Slices::kNoOther) {
      out_.other[slice] = static_cast<uint32_t>(out_.others.size());
      out_.others.push_back(before);
    } else {
      out_.others[out_.other[slice]] = before;
    }
    out_.cause[slice] = owner.cause;
    out_.site[slice] = in_.base.facts.site(owner.stack);
    out_.stack[slice] = owner.stack;
    out_.object[slice] = owner.object;
    out_.group[slice] = 0;
  }

  // Work that the lead given up in `stall` would have hidden.
  Owner hidden_by(Owner work, const Stall& stall) {
    if (goes_before_sync(work.cause)) {
      work.also_without(stall.cause, stall.stack, groups_.key_of(stall) + 1);
      return work;
    }
    Owner owner{stall.cause, stall.stack};
    owner.key_plus_one = groups_.key_of(stall) + 1;
    owner.also_without(work.cause, work.stack, 0);
    return owner;
  }

  StackId stack_of(uint32_t call) const {
    return in_.base.backward.effective(r_.calls.thread[call], r_.calls.start[call],
                                       r_.calls.stack[call]);
  }

  // `work`: whose the time would be otherwise; slices of different work are not joined.
  void add(TraceTime start, TraceTime end, const Owner& owner, const Owner* work = nullptr) {
    if (end <= start) return;
    const WorkKey key = work == nullptr ? WorkKey() : WorkKey{true, work->cause, work->stack};
    const SiteId site = in_.base.facts.site(owner.stack);
    const OtherRepair other = other_of(owner);
    if (out_.size() > gaps_.first_slice.back() && out_.cause.back() == owner.cause &&
        out_.site.back() == site && out_.object.back() == owner.object &&
        out_.group.back() == owner.key_plus_one && same_other(other) && key == last_work_) {
      out_.end.back() = end;
      return;
    }
    last_work_ = key;
    out_.gap.push_back(gap_);
    out_.start.push_back(start);
    out_.end.push_back(end);
    out_.cause.push_back(owner.cause);
    out_.site.push_back(site);
    out_.object.push_back(owner.object);
    out_.stack.push_back(owner.stack);
    out_.group.push_back(owner.key_plus_one);
    out_.push_other(other);
  }
  OtherRepair other_of(const Owner& owner) const {
    if (owner.also == 0) return {};
    return {owner.also,        true,
            owner.other,       in_.base.facts.site(owner.other_stack),
            owner.other_stack, owner.other_key_plus_one};
  }
  // As the last slice's; the stack may be another one of the same site.
  bool same_other(const OtherRepair& other) const {
    const OtherRepair* last = out_.other_of(out_.size() - 1);
    if (last == nullptr || other.also == 0) return last == nullptr && other.also == 0;
    return last->also == other.also && last->cause == other.cause && last->site == other.site &&
           last->group == other.group;
  }

  void number_groups() {
    const auto number = [&](uint32_t key_plus_one, Cause cause, SiteId site) {
      return key_plus_one != 0 ? groups_.group_of(key_plus_one - 1) : groups_.group_of(cause, site);
    };
    for (size_t s = 0; s < out_.size(); ++s) {
      out_.group[s] = number(out_.group[s], out_.cause[s], out_.site[s]);
      if (out_.other[s] == Slices::kNoOther) continue;
      OtherRepair& other = out_.others[out_.other[s]];
      other.group = number(other.group, other.cause, other.site);
    }
  }

  const AttributeInput& in_;
  const Recording& r_;
  Gaps& gaps_;
  Slices& out_;
  SyncGroups groups_;
  std::vector<std::vector<LeadEvent>> events_;  // by process
  std::map<std::pair<uint32_t, size_t>, Side> sides_;
  HostPieces pieces_;
  struct WorkKey {
    bool moved = false;
    Cause cause{};
    StackId stack = kNone<StackId>;
    bool operator==(const WorkKey&) const = default;
  };
  WorkKey last_work_;
  uint32_t gap_ = 0;
};

}  // namespace

void attribute_gaps(const AttributeInput& input, Gaps& gaps, Slices& slices) {
  Attributor(input, gaps, slices).run();
}

Cause cause_of_copy(const Activities& a, uint32_t i) {
  if (a.copy_kind[i] == kDeviceToDevice || a.copy_kind[i] == kPeerToPeer) return Cause::CopyDevice;
  const bool pageable = a.src_kind[i] == kPageable || a.dst_kind[i] == kPageable;
  return pageable ? Cause::CopyPageable : Cause::CopyPinned;
}

BusySlices attribute_busy(const StallInput& base, const Timelines& timelines) {
  const Recording& r = base.recording;
  BusySlices out;
  for (const ExposedStretch& e : timelines.exposed) {
    const uint32_t call = base.links.call_of[e.activity];
    const StackId stack = call == kNoIndex
                              ? kNone<StackId>
                              : base.backward.effective(r.calls.thread[call], r.calls.start[call],
                                                        r.calls.stack[call]);
    out.device.push_back(r.device_of(e.activity));
    out.start.push_back(e.start);
    out.end.push_back(e.end);
    out.cause.push_back(e.collective ? Cause::DeviceCollective
                                     : cause_of_copy(r.activities, e.activity));
    out.site.push_back(base.facts.site(stack));
    out.object.push_back(e.collective ? r.activities.name[e.activity] : StringId{});
    out.stack.push_back(stack);
    out.activity.push_back(e.activity);
  }
  return out;
}

}  // namespace gpustall::collect
