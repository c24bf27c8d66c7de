// SPDX-License-Identifier: MIT
// Holds the names that the product gives to a library's codes against the enumeration in the library's
// header.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "probe/core/result.h"

namespace codes {

inline constexpr int kMost = 2000;

struct Header {
  std::map<std::string, int> code_of;
  std::map<int, std::set<std::string>> names_of;  // some have several
  std::map<int, std::string> said_of;             // what stands before it in the header
  void Add(const std::string& name, int code, const std::string& said = "") {
    code_of[name] = code;
    names_of[code].insert(name);
    said_of[code] += said;
  }
};

// Every "NAME = number" of the header whose name begins so.
inline Header Read(const std::string& path, std::string_view prefix) {
  std::ifstream file(path);
  Header header;
  std::string said;
  for (std::string line; std::getline(file, line); said += line + " ") {
    static const std::regex kRow(R"(^\s*(\w+)\s*=\s*(\d+)\b)");
    std::smatch row;
    if (line.find(prefix) == std::string::npos || !std::regex_search(line, row, kRow)) continue;
    if (!row[1].str().starts_with(prefix)) continue;
    header.Add(row[1], std::stoi(row[2]), said);
    said.clear();
  }
  return header;
}

// Each name that `error_of` knows stands for the same code in the header, and each code of the header for one
// of its names. What the header does not have is of another release. `all` wants every code of it named.
template <class ErrorOf>
void ExpectSame(const Header& header, const ErrorOf& error_of, bool all) {
  int common = 0;
  for (int code = 1; code <= kMost; ++code) {
    const std::string name = error_of(code).name;
    const auto known = header.names_of.find(code);
    if (name == "unknown error") {
      EXPECT_FALSE(all && known != header.names_of.end()) << code << " " << *known->second.begin();
      continue;
    }
    const auto named = header.code_of.find(name);
    EXPECT_TRUE(named == header.code_of.end() || named->second == code) << code << " " << name;
    if (known == header.names_of.end()) continue;
    EXPECT_TRUE(known->second.contains(name)) << code << " " << name;
    ++common;
  }
  EXPECT_GT(common, 6) << "the header was not understood";
}

}  // namespace codes
