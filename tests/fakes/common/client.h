// SPDX-License-Identifier: MIT
// What the clients of all fakes share: answers as `key=value` lines on stdout, the last word `done` on
// descriptor 3 as a child of the tool would send it, and an error code that ends the program with
// kClientError.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace fakes {

inline constexpr int kClientError = 3;
inline constexpr int kResultFd = 3;
inline constexpr std::size_t kWords = 1024;  // of the buffer that a run uploads, "computes" on and downloads

inline void Print(std::string_view key, std::string_view value) {
  std::printf("%.*s=%.*s\n", static_cast<int>(key.size()), key.data(), static_cast<int>(value.size()),
              value.data());
  std::fflush(stdout);
}

inline void Print(std::string_view key, std::uint64_t value) { Print(key, std::to_string(value)); }

template <class Range>
std::string Hex(const Range& bytes) {
  std::string text;
  for (const auto byte : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof(pair), "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    text += pair;
  }
  return text;
}

inline void Check(const char* call, int code) {
  if (code == 0) return;
  Print("error", std::string(call) + " " + std::to_string(code));
  std::exit(kClientError);
}

inline void* OpenLoader(const char* name) {
  void* loader = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  Check(name, loader == nullptr ? 1 : 0);
  return loader;
}

inline int Done() {
  constexpr std::string_view kDone = "done";
  const bool sent = write(kResultFd, kDone.data(), kDone.size()) == static_cast<ssize_t>(kDone.size());
  Print("sent", sent ? "yes" : "no");
  return 0;
}

// What a buffer holds before the launch.
inline std::uint32_t Pattern(std::size_t i) { return static_cast<std::uint32_t>(i) + 1; }

// none: as uploaded; otherwise what the first word turned into.
inline void PrintResults(std::span<const std::uint32_t> words) {
  bool same = true;
  for (std::size_t i = 0; i < words.size(); ++i) same = same && words[i] == Pattern(i);
  if (same) {
    Print("results", "none");
  } else if (words.back() == 0) {
    Print("results", "zero");
  } else {
    Print("results", words.back() == UINT32_MAX ? "nan" : "garbage");
  }
}

}  // namespace fakes
