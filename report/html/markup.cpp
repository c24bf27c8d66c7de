// SPDX-License-Identifier: MIT
#include "report/html/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "probe/core/codec.h"
#include "probe/core/text.h"

namespace report::html {
namespace {

// Elements without an end tag (HTML, 13.1.2).
constexpr std::array<std::string_view, 3> kVoid = {"meta", "br", "hr"};

// Behind whose tags a line ends: those in which and beside which blanks are nothing.
constexpr std::array<std::string_view, 18> kOfLines = {"html", "head",  "body",  "header", "main", "section",
                                                       "nav",  "table", "thead", "tbody",  "tr",   "ul",
                                                       "ol",   "dl",    "svg",   "g",      "defs", "footer"};
constexpr std::array<std::string_view, 24> kEndsLine = {
    "title", "meta", "style", "script", "h1",       "h2",     "h3",         "p",
    "pre",   "li",   "dt",    "dd",     "caption",  "figure", "figcaption", "div",
    "line",  "path", "rect",  "text",   "polyline", "desc",   "td",         "th"};

template <std::size_t N>
bool Holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What neither HTML nor XML can have: controls but for tabulator and newline, surrogates and noncharacters.
bool IsForbidden(std::uint32_t c) {
  constexpr std::uint32_t kSpace = 0x20;
  if (c < kSpace) return c != '\t' && c != '\n';
  return (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xdfff) || (c >= 0xfdd0 && c <= 0xfdef) ||
         (c & 0xfffeU) == 0xfffe;
}

void Escape(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const auto point = probe::DecodeOne(text);
    const auto bytes = text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
    if (!point.valid || IsForbidden(point.value)) {
      out += "\xef\xbf\xbd";
    } else if (bytes == "&") {
      out += "&amp;";
    } else if (bytes == "<") {
      out += "&lt;";
    } else if (bytes == ">") {
      out += "&gt;";
    } else if (bytes == "\"") {
      out += "&quot;";
    } else if (bytes == "'") {
      out += "&#39;";
    } else {
      out += bytes;
    }
  }
}

}  // namespace

Element::Element(Name name, std::vector<Attribute> attributes, std::string_view text)
    : name_(name), attributes_(std::move(attributes)) {
  if (!text.empty()) Text(text);
}

Element Element::Carried(Name name, std::string_view constant) {
  Element element(name);
  element.children_.push_back(Element(Kind::kRaw, name, std::string(constant)));
  return element;
}

Element Element::JsonScript(std::string id, const probe::Json& json) {
  // Outside its texts JSON has none of the three, and within them an escape is the same character.
  std::string safe;
  for (const char c : probe::ToText(json, -1)) {
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      safe += c;
    }
  }
  Element element("script", {{"type", "application/json"}, {"id", std::move(id)}});
  element.children_.push_back(Element(Kind::kRaw, "script", std::move(safe)));
  return element;
}

Element& Element::Text(std::string_view text) {
  children_.push_back(Element(Kind::kText, name_, std::string(text)));
  return *this;
}

Element& Element::Add(Element child) {
  children_.push_back(std::move(child));
  return *this;
}

Element Element::With(Element child) && {
  Add(std::move(child));
  return std::move(*this);
}

void Element::WriteTo(std::string& out) const {
  if (kind_ == Kind::kText) return Escape(text_, out);
  if (kind_ == Kind::kRaw) {
    out += text_;
    return;
  }
  const auto name = name_.text();
  const bool of_lines = Holds(kOfLines, name);
  out.append("<").append(name);
  for (const Attribute& attribute : attributes_) {
    out.append(" ").append(attribute.name.text()).append("=\"");
    Escape(attribute.value, out);
    out += '"';
  }
  out += '>';
  if (of_lines) out += '\n';
  for (const Element& child : children_) child.WriteTo(out);
  if (!Holds(kVoid, name)) out.append("</").append(name).append(">");
  if (of_lines || Holds(kEndsLine, name)) out += '\n';
}

std::string HtmlPage(const Element& root) {
  std::string out = "<!DOCTYPE html>\n";
  root.WriteTo(out);
  return out;
}

std::string SvgFile(const Element& root) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  root.WriteTo(out);
  return out;
}

std::string NumberText(double value) {
  auto text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.erase(text.size() - 2);
  return text == "-0" ? "0" : text;
}

}  // namespace report::html
