#include "collector/compare/sites.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace gpustall::collect {
namespace {

constexpr uint32_t kNoPlace = 0xffffffffu;

// Path components that two paths share at their end; equal paths share all.
size_t shared_tail(std::string_view a, std::string_view b) {
  if (a == b) return 1000;
  size_t components = 0;
  while (!a.empty() && !b.empty()) {
    const size_t i = a.rfind('/'), j = b.rfind('/');
    if (a.substr(i + 1) != b.substr(j + 1)) break;
    ++components;
    a = i == a.npos ? std::string_view{} : a.substr(0, i);
    b = j == b.npos ? std::string_view{} : b.substr(0, j);
  }
  return components;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char byte : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(byte)) || byte == '_') {
      word += byte;
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  return words;
}

// An edited line: most of its words are still there.
bool is_edit_of(const std::string& a, const std::string& b) {
  const std::set<std::string> x = words_of(a), y = words_of(b);
  size_t shared = 0;
  for (const std::string& word : x) shared += y.count(word);
  return shared > 0 && 2 * shared >= x.size() + y.size() - shared;
}

// How well two lines of one function fit; 0: not at all.
double fit(const Place& a, const Place& b) {
  if (a.is_function && b.is_function) return 10;  // more than any of their lines
  const int distance = std::abs(a.site.line - b.site.line);
  double score = (a.causes & b.causes) != 0 ? 2 : 0;
  if (a.site.text.empty() || b.site.text.empty()) {
    score += 0.5;
  } else if (a.site.text == b.site.text) {
    score += 4;
  } else if (is_edit_of(a.site.text, b.site.text)) {
    score += 1;
  } else if (distance != 0) {
    return 0;
  }
  return score > 0 ? score - 1e-4 * std::min(distance, 1000) : 0;  // the nearest of equals
}

using Indexes = std::vector<size_t>;

class Matching {
 public:
  Matching(const std::vector<Place>& known, const std::vector<Place>& fresh)
      : known_(known), fresh_(fresh), partner_(fresh.size(), kNoPlace), taken_(known.size()) {}

  std::vector<uint32_t> run() {
    pair_files();
    for (const auto& [old_file, new_file] : files_) align_functions(old_file, new_file);
    for (const auto& [old_file, new_file] : files_) {
      pair_equal([&, &old_name = old_file, &new_name = new_file](const Place& a, const Place& b) {
        return a.site.file == old_name && b.site.file == new_name;
      });
    }
    pair_equal([](const Place& a, const Place& b) { return a.site.function == b.site.function; });
    return std::move(partner_);
  }

 private:
  // Greedily, the surest first: by the end of the path, then renamed files by what is in them.
  void pair_files() {
    std::map<std::string, Indexes> old_files, new_files;
    for (size_t i = 0; i < known_.size(); ++i) old_files[known_[i].site.file].push_back(i);
    for (size_t i = 0; i < fresh_.size(); ++i) new_files[fresh_[i].site.file].push_back(i);
    struct Candidate {
      size_t tail, contents;
      std::string old_file, new_file;
    };
    std::vector<Candidate> candidates;
    for (const auto& [old_file, old_places] : old_files)
      for (const auto& [new_file, new_places] : new_files) {
        const size_t tail = shared_tail(old_file, new_file);
        const size_t contents = tail == 1000 ? 0 : shared_contents(old_places, new_places);
        if (tail + contents > 0) candidates.push_back({tail, contents, old_file, new_file});
      }
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return std::pair(a.tail, a.contents) > std::pair(b.tail, b.contents);
    });
    std::set<std::string> old_done, new_done;
    for (const Candidate& c : candidates) {
      if (old_done.count(c.old_file) || new_done.count(c.new_file)) continue;
      old_done.insert(c.old_file);
      new_done.insert(c.new_file);
      files_.emplace_back(c.old_file, c.new_file);
    }
  }

  size_t shared_contents(const Indexes& old_places, const Indexes& new_places) const {
    size_t shared = 0;
    for (const size_t i : old_places)
      for (const size_t j : new_places) {
        const ModelSite &a = known_[i].site, &b = fresh_[j].site;
        if (a.function != b.function) continue;
        const bool texts = !a.text.empty() && !b.text.empty();
        shared += texts ? a.text == b.text : a.line == b.line;
      }
    return shared;
  }

  void align_functions(const std::string& old_file, const std::string& new_file) {
    std::map<std::string, std::pair<Indexes, Indexes>> functions;
    for (size_t i = 0; i < known_.size(); ++i)
      if (known_[i].site.file == old_file) functions[known_[i].site.function].first.push_back(i);
    for (size_t i = 0; i < fresh_.size(); ++i)
      if (fresh_[i].site.file == new_file) functions[fresh_[i].site.function].second.push_back(i);
    for (auto& [name, lines] : functions) align(lines.first, lines.second);
  }

  // The order of lines is kept, as a diff keeps it: the best sum of fits over all monotone
  // pairings.
  void align(Indexes& old_lines, Indexes& new_lines) {
    const auto by_line = [](const std::vector<Place>& places) {
      return [&places](size_t a, size_t b) { return places[a].site.line < places[b].site.line; };
    };
    std::sort(old_lines.begin(), old_lines.end(), by_line(known_));
    std::sort(new_lines.begin(), new_lines.end(), by_line(fresh_));
    const size_t n = old_lines.size(), m = new_lines.size();
    std::vector<std::vector<double>> best(n + 1, std::vector<double>(m + 1));
    for (size_t i = n; i-- > 0;)
      for (size_t j = m; j-- > 0;) {
        const double both = fit(known_[old_lines[i]], fresh_[new_lines[j]]);
        best[i][j] = std::max(best[i + 1][j], best[i][j + 1]);
        if (both > 0) best[i][j] = std::max(best[i][j], both + best[i + 1][j + 1]);
      }
    for (size_t i = 0, j = 0; i < n && j < m;) {
      if (best[i][j] == best[i + 1][j]) {
        ++i;
      } else if (best[i][j] == best[i][j + 1]) {
        ++j;
      } else {
        pair(old_lines[i++], new_lines[j++]);
      }
    }
  }

  // What is left, by its text: moved to another function or file.
  template <typename Allowed>
  void pair_equal(Allowed allowed) {
    for (size_t j = 0; j < fresh_.size(); ++j)
      for (size_t i = 0; i < known_.size() && partner_[j] == kNoPlace; ++i) {
        const std::string& text = fresh_[j].site.text;
        if (!taken_[i] && !text.empty() && text == known_[i].site.text &&
            allowed(known_[i], fresh_[j]))
          pair(i, j);
      }
  }

  void pair(size_t old_place, size_t new_place) {
    partner_[new_place] = static_cast<uint32_t>(old_place);
    taken_[old_place] = true;
  }

  const std::vector<Place>& known_;
  const std::vector<Place>& fresh_;
  std::vector<uint32_t> partner_;  // by fresh place
  std::vector<bool> taken_;
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace

std::vector<uint32_t> SiteMatcher::add(const std::vector<Place>& places) {
  std::vector<uint32_t> ids = Matching(known_, places).run();
  for (size_t i = 0; i < places.size(); ++i) {
    if (ids[i] == kNoPlace) {
      ids[i] = static_cast<uint32_t>(known_.size());
      known_.push_back(places[i]);
      continue;
    }
    Place& latest = known_[ids[i]];
    const std::string text = latest.site.text;
    const uint64_t causes = latest.causes;
    latest = places[i];
    latest.causes |= causes;
    if (latest.site.text.empty()) latest.site.text = text;
  }
  return ids;
}

}  // namespace gpustall::collect
