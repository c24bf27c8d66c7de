// SPDX-License-Identifier: MIT
// Lists that a driver's function gives when it is asked twice, for how many and for the entries themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "probe/core/add_once.h"

namespace probe {

// At most `most` entries, by `ask(std::uint32_t* count, T* entries)`, the entries nullptr the first time. Its
// code, 0 where all went well; else the list is empty.
template <class T, class Ask>
[[nodiscard]] std::uint32_t Enumerate(std::uint32_t most, const Ask& ask, std::vector<T>& all) {
  all.clear();
  std::uint32_t count = 0;
  if (const std::uint32_t code = ask(&count, static_cast<T*>(nullptr)); code != 0) return code;
  count = std::min(count, most);
  if (count == 0) return 0;
  all.resize(count);
  const std::uint32_t code = ask(&count, all.data());
  all.resize(code == 0 ? std::min<std::size_t>(count, all.size()) : 0);
  return code;
}

// The same of handles, without empty ones and repetitions.
template <class Handle, class Ask>
[[nodiscard]] std::uint32_t EnumerateHandles(std::uint32_t most, const Ask& ask, std::vector<Handle>& all) {
  std::vector<Handle> given;
  const std::uint32_t code = Enumerate(most, ask, given);
  all.clear();
  for (const Handle handle : given) {
    if (handle != nullptr) AddOnce(handle, all);
  }
  return code;
}

}  // namespace probe
