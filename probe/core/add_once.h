// SPDX-License-Identifier: MIT
// A list in the order of arrival that holds nothing twice.
#pragma once

#include <algorithm>
#include <concepts>
#include <utility>
#include <vector>

namespace probe {

template <class V, class T>
  requires std::convertible_to<V, T>
void AddOnce(V value, std::vector<T>& list) {
  T one = std::move(value);
  if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(std::move(one));
}

}  // namespace probe
