#include "collector/read/file_ids.h"

#include <unordered_map>

#include "collector/read/python_lines.h"

namespace gpustall::collect {
namespace {

template <typename Id, typename T, typename Make>
std::vector<Id> map_all(const IdTable<T>& from, Make make) {
  std::vector<Id> ids(from.size(), FileIds::kUndefined<Id>);
  for (size_t id = 1; id < from.size(); ++id)
    if (const T* found = from.find(id)) ids[id] = make(id, *found);
  return ids;
}

class Mapper {
 public:
  Mapper(const FileContext& context, Tables& tables) : c_(context), t_(tables) {}

  FileIds run(Symbolizer* symbolizer) {
    ids_.strings = map_all<StringId>(
        c_.scan.strings, [this](size_t, std::string_view text) { return t_.string(text); });
    // Filled as it goes: a node's parent was numbered before it, so its id is smaller.
    ids_.stacks.assign(c_.scan.frames.size(), FileIds::kUndefined<StackId>);
    for (size_t id = 1; id < ids_.stacks.size(); ++id)
      if (const trace::Frame* found = c_.scan.frames.find(id)) ids_.stacks[id] = stack(id, *found);
    ids_.native_stacks = map_all<NativeStackId>(
        c_.scan.native_stacks,
        [&](size_t, std::string_view coded) { return native(coded, symbolizer); });
    ids_.queues = map_all<QueueIndex>(c_.scan.queues,
                                      [this](size_t, const trace::Queue& q) { return queue(q); });
    ids_.objects = map_all<ObjectId>(c_.scan.objects,
                                     [this](size_t, const trace::Object& o) { return object(o); });
    for (const trace::Device& d : c_.scan.devices)
      ids_.devices.emplace_back(d.ordinal, t_.device(device(d)));
    return std::move(ids_);
  }

 private:
  StackId stack(size_t id, const trace::Frame& frame) {
    const StackId parent = frame.parent < id ? ids_.stack(frame.parent) : kNone<StackId>;
    return t_.stack(parent, python_frame(frame));
  }

  FrameId python_frame(const trace::Frame& frame) {
    const trace::Code* code = c_.scan.codes.find(frame.code);
    if (code == nullptr) return t_.frame(StringId(0), t_.string("[unknown]"), 0);
    const auto first = static_cast<uint32_t>(code->first_line);
    int line = line_of(c_.file.header.python_version, first, code->line_table, frame.position);
    if (line == 0 && first != 0) {
      line = static_cast<int>(first);  // the function at least is right
      ++ids_.lines_unknown;
    }
    return t_.frame(ids_.string(code->file), ids_.string(code->function), line);
  }

  NativeStackId native(std::string_view coded, Symbolizer* symbolizer) {
    std::vector<StringId> names;
    for (const uint64_t pc : native_pcs(coded)) {
      auto [at, made] = names_of_pcs_.try_emplace(pc);
      if (made) at->second = t_.string(symbolizer ? symbolizer->name(pc) : address_text(pc));
      names.push_back(at->second);
    }
    return t_.native_stack(names);
  }

  Device device(const trace::Device& d) const {
    Device row;
    row.host = c_.file.host();
    row.name = c_.scan.text(d.name);
    row.uuid = c_.scan.text(d.uuid);
    row.ordinal = static_cast<uint32_t>(d.ordinal);
    row.multiprocessors = static_cast<uint32_t>(d.multiprocessors);
    row.capability = static_cast<uint32_t>(d.capability);
    row.memory_bytes = d.memory_bytes;
    row.simulated = c_.file.flag(trace::kSimulated);
    return row;
  }

  QueueIndex queue(const trace::Queue& q) {
    trace::Device plain;
    plain.ordinal = q.device;
    const trace::Device* described = &plain;
    for (const trace::Device& d : c_.scan.devices)
      if (d.ordinal == q.device) described = &d;
    return t_.queue({c_.process, t_.device(device(*described)), static_cast<uint32_t>(q.context),
                     static_cast<uint32_t>(q.stream)});
  }

  // Inodes name the same thing in all processes of a host, addresses only in their own.
  ObjectId object(const trace::Object& o) {
    using trace::ObjectKind;
    const auto kind = o.kind <= static_cast<uint64_t>(ObjectKind::Device)
                          ? static_cast<ObjectKind>(o.kind)
                          : ObjectKind::Unknown;
    const bool shared = kind == ObjectKind::File || kind == ObjectKind::Pipe ||
                        kind == ObjectKind::Socket || kind == ObjectKind::Tty;
    return t_.object(shared ? c_.first_of_host : c_.process, kind, o.identity, ids_.string(o.path));
  }

  const FileContext& c_;
  Tables& t_;
  FileIds ids_;
  std::unordered_map<uint64_t, StringId> names_of_pcs_;
};

}  // namespace

FileIds map_ids(const FileContext& context, Tables& tables, Symbolizer* symbolizer) {
  return Mapper(context, tables).run(symbolizer);
}

}  // namespace gpustall::collect
