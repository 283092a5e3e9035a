#include "collector/read/id_text.h"

#include "collector/read/kind_names.h"

namespace gpustall::collect {

std::vector<LoadedModule> loaded_modules(const FileScan& scan) {
  std::vector<LoadedModule> all;
  for (const trace::Module& m : scan.modules)
    all.push_back({m.base, m.size, m.file_offset, std::string(scan.text(m.path)),
                   std::string(scan.text(m.build_id))});
  return all;
}

IdText::IdText(const TraceFile& file, const FileScan& scan) : scan_(scan) {
  Tables tables(recording_);
  Symbolizer symbolizer(symbol_files_, loaded_modules(scan));
  ids_ = map_ids({file, scan, ProcessIndex(0), ProcessIndex(0)}, tables, &symbolizer);
}

std::string IdText::string(uint64_t id) {
  return std::string(scan_.text(id));
}

std::string IdText::stack(uint64_t id) {
  std::string text;
  for (StackId node = ids_.stack(id); node != kNone<StackId>;
       node = recording_.stacks[raw(node)].parent) {
    const Frame& f = recording_.frames[raw(recording_.stacks[raw(node)].frame)];
    std::string frame(recording_.text(f.file));
    frame += ":" + std::to_string(f.line) + " ";
    frame += recording_.text(f.function);
    text = text.empty() ? frame : frame + "; " + text;
  }
  return text;
}

std::string IdText::native_stack(uint64_t id) {
  const NativeStackId index = ids_.native_stack(id);
  std::string text;
  if (index == kNone<NativeStackId>) return text;
  for (const StringId symbol : recording_.native_stacks[raw(index)]) {
    if (!text.empty()) text += "; ";
    text += recording_.text(symbol);
  }
  return text;
}

std::string IdText::code(uint64_t id) {
  const trace::Code* found = scan_.codes.find(id);
  if (found == nullptr) return {};
  return string(found->file) + ":" + std::to_string(found->first_line) + " " +
         string(found->function);
}

std::string IdText::queue(uint64_t id) {
  const trace::Queue* found = scan_.queues.find(id);
  if (found == nullptr) return {};
  return "device " + std::to_string(found->device) + " stream " + std::to_string(found->stream);
}

std::string IdText::object(uint64_t id) {
  const trace::Object* found = scan_.objects.find(id);
  if (found == nullptr) return {};
  std::string text(object_name(found->kind));
  if (found->path != 0) text += " " + string(found->path);
  return text;
}

}  // namespace gpustall::collect
