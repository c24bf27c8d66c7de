// SPDX-License-Identifier: MIT
#include "tests/fakes/hip/program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <sstream>

namespace fakes::hip {
namespace {

constexpr char kMagic[] =
    "\x7f"
    "ELF fake code object 1\n";

// Of "const T* __restrict__ a, unsigned count, float one": pointers are 8 bytes, all else is 4.
std::vector<std::uint32_t> Layout(const std::string& parameters) {
  std::vector<std::uint32_t> bytes;
  std::istringstream list(parameters);
  for (std::string parameter; std::getline(list, parameter, ',');) {
    bytes.push_back(parameter.find('*') != std::string::npos ? 8 : 4);
  }
  return bytes;
}

std::string WithoutLineEnds(const std::string& source) {
  static const std::regex continued(R"(\\\n)");
  return std::regex_replace(source, continued, " ");
}

std::uint32_t Threads(const std::string& text, const std::string& source) {
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    return static_cast<std::uint32_t>(std::stoul(text));
  }
  std::smatch match;
  const std::regex constant(text + R"( = (\d+))");
  return std::regex_search(source, match, constant) ? static_cast<std::uint32_t>(std::stoul(match[1])) : 1024;
}

}  // namespace

std::optional<Program> ReadSource(const std::string& text, const std::string& target, std::string& log) {
  const std::string source = WithoutLineEnds(text);
  if (std::count(source.begin(), source.end(), '{') != std::count(source.begin(), source.end(), '}')) {
    log = "error: expected '}'";
    return std::nullopt;
  }
  static const std::regex kernel(
      R"((#define (\w+)\(name[^\n]*)?KERNEL\s+__launch_bounds__\((\w+)[^)]*\)\s+(\w+)\(([^)]*)\))");
  Program program{target, {}};
  std::map<std::string, Entry> macros;
  for (auto at = std::sregex_iterator(source.begin(), source.end(), kernel); at != std::sregex_iterator();
       ++at) {
    Entry entry{(*at)[4], Layout((*at)[5]), Threads((*at)[3], source)};
    if (entry.name == "name") {
      macros[(*at)[2]] = std::move(entry);
    } else {
      program.entries.push_back(std::move(entry));
    }
  }
  static const std::regex use(R"((?:^|\n)(\w+)\((\w+),)");
  for (auto at = std::sregex_iterator(source.begin(), source.end(), use); at != std::sregex_iterator();
       ++at) {
    const auto macro = macros.find((*at)[1]);
    if (macro == macros.end()) continue;
    program.entries.push_back(macro->second);
    program.entries.back().name = (*at)[2];
  }
  if (program.entries.empty()) {
    log = "error: the program defines no kernel";
    return std::nullopt;
  }
  return program;
}

std::string WriteCode(const Program& program) {
  std::ostringstream body;
  body << program.target << '\n';
  for (const Entry& entry : program.entries) {
    body << entry.name << ' ' << entry.max_threads;
    for (const auto bytes : entry.parameter_bytes) body << ' ' << bytes;
    body << '\n';
  }
  const std::string text = body.str();
  const std::uint64_t length = text.size();
  std::string out(kMagic, sizeof kMagic - 1);
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  return out + text;
}

std::optional<Program> ReadCode(const void* image) {
  const char* at = static_cast<const char*>(image);
  if (std::memcmp(at, kMagic, sizeof kMagic - 1) != 0) return std::nullopt;
  at += sizeof kMagic - 1;
  std::uint64_t length = 0;
  std::memcpy(&length, at, sizeof length);
  std::istringstream lines(std::string(at + sizeof length, length));
  Program program;
  std::getline(lines, program.target);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Entry entry;
    words >> entry.name >> entry.max_threads;
    for (std::uint32_t bytes = 0; words >> bytes;) entry.parameter_bytes.push_back(bytes);
    program.entries.push_back(std::move(entry));
  }
  return program;
}

}  // namespace fakes::hip
