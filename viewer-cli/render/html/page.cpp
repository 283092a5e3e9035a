#include "viewer-cli/render/html/page.h"

#include <algorithm>

#include "viewer-cli/render/html/assets.h"
#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/table.h"

namespace gpustall::cli {

std::string whole_page(const PageParts& parts) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>";
  out += escaped(parts.title) + "</title>\n<style>\n";
  out += page_style();
  out += "</style>\n</head>\n<body>\n" + parts.content + "\n";
  if (!parts.data.empty()) {
    out += "<script type=\"application/json\" id=\"data\">" + parts.data + "</script>\n<script>\n";
    out += page_script();
    out += "</script>\n";
  }
  return out + "</body>\n</html>\n";
}

std::string section(const std::string& id, const std::string& title, const std::string& content) {
  if (content.empty()) return {};
  return "<section id=\"" + id + "\"><h2>" + escaped(title) + "</h2>" + content + "</section>\n";
}

std::string headline(const std::string& verdict) {
  const std::string text = printable(verdict);
  const size_t end = std::min(text.find(". "), text.find("; "));
  if (end == std::string::npos) return "<h1>" + typeset(text) + "</h1>";
  const char* joint = text[end] == ';' ? "<i class=\"joint\">;</i>" : ".";
  return "<h1>" + typeset(text.substr(0, end)) + joint + " <span>" + typeset(text.substr(end + 2)) +
         "</span></h1>";
}

std::string paragraph(const std::string& sentence, const char* style) {
  if (sentence.empty()) return {};
  return std::string("<p") + (*style == '\0' ? "" : std::string(" class=\"") + style + "\"") + ">" +
         typeset(sentence) + "</p>";
}

}  // namespace gpustall::cli
