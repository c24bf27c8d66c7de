// SPDX-License-Identifier: MIT
// The running process itself: the rights that it was lent, its environment as the libraries that it loads see
// it, and what it has mapped.
#pragma once

#include <optional>
#include <string>

#include "probe/core/result.h"

namespace probe::system {

// A copy of this program with the set-uid bit, the set-gid bit or capabilities goes back to the user, the
// groups and the rights of its caller, for good and for everything that is started later. Does nothing for a
// copy that was lent nothing. Call it before anything else; after an error nothing else may be done.
[[nodiscard]] Status ReturnLentPrivileges();

// Keeps this process and all that it starts from making device nodes, by root's right to and by programs with
// the set-uid bit. For good: for children alone.
void GiveUpMakingNodes();

// The block of this process's variables as it is now, "NAME=value" and a null pointer at its end.
[[nodiscard]] char** ProcessEnvironment();

// Sets or, with nullopt, removes a variable; for children that load vendor code. Before any thread is
// started.
void SetProcessVariable(const std::string& name, const std::optional<std::string>& value);

// The mapped file that an address lies in, as the loader was told it; nullopt where it lies in none.
[[nodiscard]] std::optional<std::string> FileOfAddress(const void* address);

// Loads a library the way a driver loader does (lazily, through the loader's own path) and returns its
// sentence on why it can not; nullopt when it can, or is loaded already.
[[nodiscard]] std::optional<std::string> WhyNotLoadable(const std::string& library);

}  // namespace probe::system
