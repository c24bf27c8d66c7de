// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/documents/documents.h"

namespace report::documents {
namespace {

// As letters that man(7) shows as they are: a hyphen of an option, not one that breaks a word, and ASCII's
// quotes.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else if (letter == '\'') {
      out += "\\(aq";
    } else if (letter == '`') {
      out += "\\(ga";
    } else {
      out += letter;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

// Lines of 78 columns at most, as long as there are blanks to break them at.
std::string Wrapped(std::string text) {
  constexpr std::size_t kWidth = 78;
  for (std::size_t start = 0; text.size() - start > kWidth;) {
    const auto end = text.find('\n', start);
    if (end != std::string::npos && end - start <= kWidth) {
      start = end + 1;
      continue;
    }
    auto blank = text.rfind(' ', start + kWidth);
    if (blank == std::string::npos || blank <= start) blank = text.find(' ', start);
    if (blank == std::string::npos) break;
    text[blank] = '\n';
    start = blank + 1;
  }
  return text;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A text of data/help: sentences, and lists, which are lines behind blanks below a line that ends in a colon.
struct Divided {
  std::string prose;
  std::string lists;
};

Divided Divide(std::string_view text) {
  Divided out;
  const auto lines = LinesOf(text);
  bool is_in_list = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = lines[i];
    const bool heads = line.ends_with(':') && i + 1 < lines.size() && lines[i + 1].starts_with(' ');
    if (is_in_list && !line.starts_with(' ')) {
      out.lists += ".EE\n";
      is_in_list = false;
    }
    if (heads) {
      std::string title(line.substr(0, line.size() - 1));
      std::transform(title.begin(), title.end(), title.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
      out.lists += fmt::format(".SH {}\n.EX\n", title);
      is_in_list = true;
    } else if (line.empty()) {
      out.prose += out.prose.empty() || i + 1 == lines.size() ? "" : ".PP\n";
    } else {
      (is_in_list ? out.lists : out.prose) += Escaped(line.substr(is_in_list ? 2 : 0)) + "\n";
    }
  }
  if (is_in_list) out.lists += ".EE\n";
  // A break before a list stands before nothing here.
  while (out.prose.ends_with(".PP\n")) out.prose.resize(out.prose.size() - 4);
  out.prose = Wrapped(std::move(out.prose));
  return out;
}

std::string Terms(const InterfaceOption& option) {
  std::vector<std::string> names;
  names.reserve(option.names.size());
  for (const std::string& name : option.names) names.push_back(fmt::format("\\fB{}\\fR", Escaped(name)));
  auto text = fmt::format("{}", fmt::join(names, ", "));
  if (option.value.empty()) return text;
  return fmt::format("{}{}\\fI{}\\fR{}", text, names.empty() ? "" : " ", Escaped(option.value),
                     option.is_list ? " ..." : "");
}

// The words, but for those of which the description has all.
std::string Known(const InterfaceOption& option) {
  const auto is_told = [&](const std::string& word) {
    return option.description.find(word) != std::string::npos;
  };
  if (std::all_of(option.words.begin(), option.words.end(), is_told)) return "";
  return Wrapped(fmt::format("Known are {}.\n", Escaped(fmt::format("{}", fmt::join(option.words, ", ")))));
}

std::string Entry(const InterfaceOption& option) {
  return fmt::format(".TP\n{}\n{}.\n{}", Terms(option), Escaped(option.description), Known(option));
}

std::string Synopsis(const InterfaceCommand& of, bool has_commands) {
  auto text = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", Escaped(of.name));
  for (const InterfaceOption& operand : of.operands) {
    const auto shown = fmt::format("\\fI{}\\fR{}", Escaped(operand.value), operand.is_list ? " ..." : "");
    text += operand.is_required ? " " + shown : fmt::format(" [{}]", shown);
  }
  return text + (has_commands ? " [\\fICOMMAND\\fR]\n" : "\n");
}

std::string OptionsOf(const InterfaceCommand& of) {
  std::string out = ".SH OPTIONS\n";
  for (const InterfaceOption& operand : of.operands) out += Entry(operand);
  std::string group = of.options.empty() ? "" : of.options.front().group;
  for (const InterfaceOption& option : of.options) {
    if (option.group != group) out += fmt::format(".SS {}\n", Escaped(option.group));
    group = option.group;
    out += Entry(option);
  }
  return out;
}

std::string SharedOptions(const InterfaceCommand& of, const Interface& all) {
  if (of.shared.empty()) return "";
  auto out = fmt::format(".SS Of \\fB{0}\\fR(1), too\n", all.program.name);
  std::vector<std::string> names;
  names.reserve(of.shared.size());
  for (const std::string& name : of.shared) names.push_back(Terms(OptionNamed(all, name)));
  return out + fmt::format("{}\n", fmt::join(names, ",\n"));
}

}  // namespace

std::string PageName(const InterfaceCommand& command) {
  auto name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

const InterfaceOption& OptionNamed(const Interface& all, std::string_view name) {
  return *std::find_if(all.program.options.begin(), all.program.options.end(), [&](const auto& option) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  });
}

std::string ManualPage(const InterfaceCommand& of, const Interface& all, std::string_view version) {
  const bool is_program = &of == &all.program;
  auto title = PageName(of);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const auto text = Divide(of.text);
  auto out = fmt::format(
      ".\\\" Made of what --help knows.\n.TH {} 1 \"\" \"{} {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      title, all.program.name, version, PageName(of), Escaped(of.description), Synopsis(of, is_program));
  if (!text.prose.empty()) out += ".SH DESCRIPTION\n" + text.prose;
  out += OptionsOf(of) + SharedOptions(of, all);
  if (is_program) out += ".SH COMMANDS\n";
  for (const InterfaceCommand& command : is_program ? all.commands : std::vector<InterfaceCommand>{}) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}.\nSee \\fB{}\\fR(1).\n", ShortName(command),
                       Escaped(command.description), Escaped(PageName(command)));
  }
  out += text.lists + ".SH SEE ALSO\n";
  std::vector<std::string> others;
  if (!is_program) others.push_back(fmt::format("\\fB{}\\fR(1)", PageName(all.program)));
  for (const InterfaceCommand& command : all.commands) {
    if (&command != &of) others.push_back(fmt::format("\\fB{}\\fR(1)", Escaped(PageName(command))));
  }
  return out + fmt::format("{}\n", fmt::join(others, ",\n"));
}

}  // namespace report::documents
