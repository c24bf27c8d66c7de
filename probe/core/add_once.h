// SPDX-License-Identifier: MIT
// A list in the order of arrival that holds nothing twice.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace probe {

template <class T>
void AddOnce(T value, std::vector<T>& list) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

}  // namespace probe
