// What every page has around its content: head, style, script. Nothing is fetched: the page's own
// policy forbids it.
#pragma once
#include <string>

namespace gpustall::cli {

struct PageParts {
  std::string title;    // plain text
  std::string content;  // HTML
  std::string data;     // JSON for the script, from page_data(); may be empty
};

std::string whole_page(const PageParts& parts);

// "<section id=..><h2>title</h2>content</section>"; empty without content.
std::string section(const std::string& id, const std::string& title, const std::string& content);
// The verdict as heading: what it says first in large, its reason below.
std::string headline(const std::string& verdict);
// "<p class=..>" for each sentence, escaped.
std::string paragraph(const std::string& sentence, const char* style = "");

}  // namespace gpustall::cli
