// SPDX-License-Identifier: MIT
// Elements of HTML and SVG, written so that no text can become markup: names are constants of this program,
// texts and values are escaped where they are written, and there is no other way in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/core/json.h"

namespace report::html {

// Of an element or an attribute. Only a literal can be one, of letters, digits, '-' and ':'.
class Name {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): it stands where its literal does
  consteval Name(const char* text) : text_(text) {
    if (text_.empty()) throw "a name is empty";
    constexpr std::string_view kAll = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:";
    if (text_.find_first_not_of(kAll) != std::string_view::npos) throw "no character of a name";
  }
  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct Attribute {
  Name name;
  std::string value;
};

class Element {
 public:
  explicit Element(Name name, std::vector<Attribute> attributes = {}, std::string_view text = "");

  // The content of <script> and <style>, in which nothing is escaped: what this program carries, which a test
  // holds free of end tags, and JSON, in which "<", ">" and "&" are written as \u escapes.
  [[nodiscard]] static Element Carried(Name name, std::string_view constant);
  [[nodiscard]] static Element JsonScript(std::string id, const probe::Json& json);

  Element& Text(std::string_view text);
  Element& Add(Element child);
  // The same, for what is built in one expression.
  [[nodiscard]] Element With(Element child) &&;

  [[nodiscard]] bool IsEmpty() const { return children_.empty(); }

 private:
  enum class Kind { kElement, kText, kRaw };
  Element(Kind kind, Name name, std::string text) : kind_(kind), name_(name), text_(std::move(text)) {}

  void WriteTo(std::string& out) const;
  friend std::string HtmlPage(const Element& root);
  friend std::string SvgFile(const Element& root);

  Kind kind_ = Kind::kElement;
  Name name_;
  std::string text_;
  std::vector<Attribute> attributes_;
  std::vector<Element> children_;
};

// A whole file of it, which ends in a newline. Bytes that are no UTF-8 and characters that no page may have
// become U+FFFD.
[[nodiscard]] std::string HtmlPage(const Element& root);
[[nodiscard]] std::string SvgFile(const Element& root);

// Of a coordinate: "12.5".
[[nodiscard]] std::string NumberText(double value);

}  // namespace report::html
