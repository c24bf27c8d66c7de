// SPDX-License-Identifier: MIT
// The running process itself: its environment, as the libraries that it loads see it, and what it has mapped.
// For children that load vendor code; the parent changes nothing of its own.
#pragma once

#include <optional>
#include <string>

namespace probe::system {

// Sets or, with nullopt, removes a variable. Before any thread is started.
void SetProcessVariable(const std::string& name, const std::optional<std::string>& value);

// The mapped file that an address lies in, as the loader was told it; nullopt where it lies in none.
[[nodiscard]] std::optional<std::string> FileOfAddress(const void* address);

// Loads a library the way a driver loader does (lazily, through the loader's own path) and returns its
// sentence on why it can not; nullopt when it can, or is loaded already.
[[nodiscard]] std::optional<std::string> WhyNotLoadable(const std::string& library);

}  // namespace probe::system
