#include "collector/read/tables.h"

namespace gpustall::collect {
namespace {

template <typename Id, typename Row>
Id append(std::vector<Row>& rows, Row row) {
  rows.push_back(std::move(row));
  return static_cast<Id>(rows.size() - 1);
}

uint64_t pair_key(uint32_t high, uint32_t low) {
  return uint64_t{high} << 32 | low;
}

}  // namespace

StringId Tables::string(std::string_view text) {
  if (text.empty()) return StringId(0);
  if (const auto found = strings_.find(text); found != strings_.end()) return found->second;
  const auto id = append<StringId>(r_.strings, std::string(text));
  strings_.emplace(text, id);
  return id;
}

FrameId Tables::frame(StringId file, StringId function, int32_t line) {
  const auto [at, made] = frames_.try_emplace({raw(file), raw(function), line});
  if (made) at->second = append<FrameId>(r_.frames, Frame{file, function, line});
  return at->second;
}

StackId Tables::stack(StackId parent, FrameId frame) {
  const auto [at, made] = stacks_.try_emplace(pair_key(raw(parent), raw(frame)));
  if (made) at->second = append<StackId>(r_.stacks, StackNode{parent, frame});
  return at->second;
}

NativeStackId Tables::native_stack(const std::vector<StringId>& symbols) {
  const auto [at, made] = native_stacks_.try_emplace(symbols);
  if (made) at->second = append<NativeStackId>(r_.native_stacks, symbols);
  return at->second;
}

ObjectId Tables::object(ProcessIndex process, trace::ObjectKind kind, uint64_t identity,
                        StringId path) {
  const auto [at, made] =
      objects_.try_emplace({raw(process), static_cast<uint8_t>(kind), identity, raw(path)});
  if (made) at->second = append<ObjectId>(r_.objects, Object{kind, identity, path});
  return at->second;
}

DeviceIndex Tables::device(const Device& wanted) {
  // A UUID says it all; without one the ordinal is the best there is.
  const uint32_t ordinal = wanted.uuid.empty() ? wanted.ordinal : 0;
  const auto [at, made] = devices_.try_emplace({wanted.host, wanted.uuid, ordinal});
  if (made) at->second = append<DeviceIndex>(r_.devices, wanted);
  return at->second;
}

QueueIndex Tables::queue(const Queue& wanted) {
  const auto [at, made] =
      queues_.try_emplace({raw(wanted.process), raw(wanted.device), wanted.context, wanted.stream});
  if (made) at->second = append<QueueIndex>(r_.queues, wanted);
  return at->second;
}

ThreadIndex Tables::thread(ProcessIndex process, uint32_t tid) {
  const auto [at, made] = threads_.try_emplace(pair_key(raw(process), tid));
  if (made) {
    Thread row;
    row.process = process;
    row.tid = tid;
    at->second = append<ThreadIndex>(r_.threads, row);
  }
  return at->second;
}

bool Tables::knows_thread(ProcessIndex process, uint32_t tid) const {
  return threads_.count(pair_key(raw(process), tid)) != 0;
}

void Tables::drop_processes(ProcessIndex first) {
  std::erase_if(threads_, [first](const auto& known) { return known.first >> 32 >= raw(first); });
  std::erase_if(r_.threads, [first](const Thread& t) { return raw(t.process) >= raw(first); });
  r_.processes.resize(raw(first));
}

}  // namespace gpustall::collect
