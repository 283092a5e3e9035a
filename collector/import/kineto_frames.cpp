#include "collector/import/kineto_frames.h"

#include <algorithm>
#include <vector>

#include "collector/import/decimal.h"
#include "collector/import/json_cursor.h"

namespace gpustall::collect {
namespace {

constexpr size_t kDeepest = 512;

// The profiler cuts sys.path's directories off, so that torch's own "torch/nn/functional.py" looks
// like a package of the user's. Put back what tells them apart.
constexpr std::string_view kPackages[] = {
    "torch/",        "torchvision/", "torchaudio/",  "numpy/",
    "transformers/", "accelerate/",  "lightning/",   "pytorch_lightning/",
    "tqdm/",         "PIL/",         "diffusers/",   "triton/",
    "datasets/",     "tokenizers/",  "safetensors/", "huggingface_hub/",
    "pandas/",       "scipy/",       "timm/",        "deepspeed/",
    "einops/",       "wandb/"};
constexpr std::string_view kStandard[] = {
    "threading.py", "contextlib.py", "runpy.py",       "queue.py",
    "functools.py", "copy.py",       "typing.py",      "abc.py",
    "enum.py",      "random.py",     "inspect.py",     "os.py",
    "selectors.py", "socket.py",     "pickle.py",      "subprocess.py",
    "tempfile.py",  "weakref.py",    "warnings.py",    "ast.py",
    "re.py",        "pathlib.py",    "dataclasses.py", "multiprocessing/",
    "concurrent/",  "importlib/",    "logging/",       "collections/",
    "json/",        "asyncio/",      "unittest/",      "ctypes/"};

std::string with_root(std::string file) {
  const auto below = [&file](std::string_view root) { return file.starts_with(root); };
  if (std::any_of(std::begin(kPackages), std::end(kPackages), below))
    return "site-packages/" + file;
  const auto standard = [&file](std::string_view root) {
    return root.ends_with('/') ? file.starts_with(root) : file == root;
  };
  if (std::any_of(std::begin(kStandard), std::end(kStandard), standard))
    return "/lib/python3/" + file;
  return file;
}

// Objects differ from run to run and from call to call; the function is the same.
std::string without_address(std::string name) {
  const size_t at = name.find(" object at 0x");
  if (at == std::string::npos) return name;
  return name.substr(0, at) + (name.starts_with('<') ? ">" : "");
}

}  // namespace

FrameId KinetoFrames::frame(std::string_view raw_name) {
  if (const auto known = frames_.find(raw_name); known != frames_.end()) return known->second;
  std::string name = clean_text(raw_name);
  FrameId id{};
  const size_t close = name.find("): ");
  const size_t open = close == std::string::npos ? close : name.rfind('(', close);
  const auto line = open == std::string::npos
                        ? std::nullopt
                        : parse_count(std::string_view(name).substr(open + 1, close - open - 1));
  if (line)
    id = tables_.frame(tables_.string(with_root(name.substr(0, open))),
                       tables_.string(name.substr(close + 3)),
                       static_cast<int32_t>(std::min<uint64_t>(*line, 1u << 30)));
  else
    id = tables_.frame(StringId{}, tables_.string(without_address(std::move(name))), 0);
  frames_.emplace(raw_name, id);
  return id;
}

StackId KinetoFrames::call_stack(std::string_view raw_list) {
  if (raw_list.empty()) return kNone<StackId>;
  if (const auto known = stacks_.find(raw_list); known != stacks_.end()) return known->second;
  std::vector<std::string_view> names;
  for (std::string_view rest = raw_list; !rest.empty() && names.size() < kDeepest;) {
    const size_t end = std::min(rest.find(';'), rest.size());
    if (end > 0) names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  StackId stack = kNone<StackId>;
  for (size_t i = names.size(); i-- > 0;) stack = tables_.stack(stack, frame(names[i]));
  stacks_.emplace(raw_list, stack);
  return stack;
}

StackId KinetoFrames::inside(StackId parent, const char* file, const char* function) {
  return tables_.stack(parent, tables_.frame(tables_.string(file), tables_.string(function), 0));
}

}  // namespace gpustall::collect
