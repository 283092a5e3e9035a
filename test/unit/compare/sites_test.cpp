// Which places of two runs are the same.
#include "collector/compare/sites.h"
#include "test/catch.h"

using namespace gpustall::collect;

namespace {

constexpr uint64_t kItem = uint64_t{1} << static_cast<unsigned>(Cause::SyncItem);
constexpr uint64_t kDispatch = uint64_t{1} << static_cast<unsigned>(Cause::LaunchDispatch);

Place place(const char* file, int line, const char* function, const char* text,
            uint64_t causes = kItem) {
  return {ModelSite{file, function, line, text}, causes};
}

// The line of `base` that each place of `next` is taken for; 0: none.
std::vector<int> matched(const std::vector<Place>& base, const std::vector<Place>& next) {
  SiteMatcher matcher;
  const std::vector<uint32_t> old_ids = matcher.add(base);
  std::vector<int> lines;
  for (const uint32_t id : matcher.add(next)) {
    lines.push_back(0);
    for (size_t i = 0; i < base.size(); ++i)
      if (old_ids[i] == id) lines.back() = base[i].site.line;
  }
  return lines;
}

}  // namespace

TEST_CASE("an inserted line makes no new place") {
  CHECK(
      matched({place("/a/train.py", 10, "f", "x.item()"), place("/a/train.py", 12, "f", "y.cpu()")},
              {place("/a/train.py", 11, "f", "x.item()"),
               place("/a/train.py", 13, "f", "y.cpu()")}) == std::vector{10, 12});
}

TEST_CASE("without the text of the lines their order tells, not the nearest number") {
  CHECK(matched({place("/a/train.py", 104, "f", ""), place("/a/train.py", 105, "f", "")},
                {place("/a/train.py", 105, "f", ""), place("/a/train.py", 106, "f", "")}) ==
        std::vector{104, 105});
}

TEST_CASE("without the text the cause tells which line moved") {
  CHECK(matched({place("/a/train.py", 104, "f", "", kItem)},
                {place("/a/train.py", 104, "f", "print(1)", kDispatch),
                 place("/a/train.py", 105, "f", "x.item()", kItem)}) == std::vector{0, 104});
}

TEST_CASE("another checkout, another user, another Python's packages are the same files") {
  CHECK(matched({place("/home/ann/proj/lib/model.py", 5, "forward", ""),
                 place("/home/ann/proj/model.py", 7, "forward", ""),
                 place("/v/lib/python3.9/site-packages/torch/optim/adamw.py", 400, "step", "")},
                {place("/srv/ci/1234/lib/model.py", 5, "forward", ""),
                 place("/srv/ci/1234/model.py", 7, "forward", ""),
                 place("/opt/lib/python3.12/site-packages/torch/optim/adamw.py", 412, "step",
                       "")}) == std::vector{5, 7, 400});
}

TEST_CASE("a renamed file is known by what is in it") {
  CHECK(matched({place("/a/train_slow.py", 64, "main", "loss.backward()"),
                 place("/a/train_slow.py", 70, "main", "print(loss)"),
                 place("/a/data.py", 3, "load", "read()")},
                {place("/a/train_fast.py", 60, "main", "loss.backward()"),
                 place("/a/data.py", 3, "load", "read()")}) == std::vector{64, 3});
}

TEST_CASE("a line moved to another function keeps its place, and so does an edited one") {
  CHECK(matched({place("/a/t.py", 10, "train", "total += loss.item()")},
                {place("/a/t.py", 30, "log", "total += loss.item()")}) == std::vector{10});
  CHECK(matched({place("/a/t.py", 10, "train", "total += loss.item()")},
                {place("/a/t.py", 14, "train", "total += float(loss.item())")}) == std::vector{10});
}

TEST_CASE("other lines are other places") {
  CHECK(matched({place("/a/t.py", 10, "train", "total += loss.item()")},
                {place("/a/t.py", 40, "train", "mask = x[y > 0]")}) == std::vector{0});
  CHECK(matched({place("/a/t.py", 10, "train", "")}, {place("/a/u.py", 99, "other", "")}) ==
        std::vector{0});
  CHECK(matched({place("/a/t.py", 10, "train", "")}, {}).empty());
}

TEST_CASE("the same text several times in a function is paired in order") {
  CHECK(matched({place("/a/t.py", 10, "forward", "x = relu(x)"),
                 place("/a/t.py", 12, "forward", "x = relu(x)"),
                 place("/a/t.py", 14, "forward", "x = relu(x)")},
                {place("/a/t.py", 11, "forward", "x = relu(x)"),
                 place("/a/t.py", 13, "forward", "x = relu(x)"),
                 place("/a/t.py", 15, "forward", "x = relu(x)")}) == std::vector{10, 12, 14});
}

TEST_CASE("a third run is matched to the latest sight of a place") {
  SiteMatcher matcher;
  const auto first = matcher.add({place("/a/t.py", 10, "f", "")});
  const auto second = matcher.add({place("/a/t.py", 11, "f", "x.item()")});
  const auto third =
      matcher.add({place("/a/t.py", 15, "f", "y.item()"), place("/a/t.py", 20, "f", "x.item()")});
  CHECK(first[0] == second[0]);
  CHECK(third[1] == first[0]);
  CHECK(third[0] != first[0]);
}

TEST_CASE("what was sampled in a function is one place, whichever of its lines was hottest") {
  const auto function = [](int line, const char* text) {
    Place whole = place("/a/t.py", line, "load", text);
    whole.is_function = true;
    return whole;
  };
  const Place wait = place("/a/t.py", 14, "load", "for i in range(n):", kDispatch);
  CHECK(matched({function(14, "for i in range(n):")}, {wait, function(15, "x += i")}) ==
        std::vector{0, 14});
  CHECK(matched({place("/a/t.py", 14, "load", "for i in range(n):")}, {function(15, "x += i")}) ==
        std::vector{0});
}
