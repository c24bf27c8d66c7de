// SPDX-License-Identifier: MIT
// A page that a person wants in a file: written whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "probe/core/result.h"

namespace report {

// Whether WritePage could put a page there: the directory exists and may be written, and the name is free or
// that of a regular file, which is replaced. A link is not followed: what it leads to may not be the caller's
// to choose. The error says what is wrong; `option` is what named the file.
[[nodiscard]] probe::Status CheckPageFile(std::string_view option, std::string_view what,
                                          const std::string& path);

// Writes it to a new file beside the path, with the owner and the rights of what it replaces as far
// as they can be kept, and renames that.
[[nodiscard]] probe::Status WritePage(const std::string& path, std::string_view text);

// Whether both name one file, be it there or not.
[[nodiscard]] bool AreOneFile(const std::string& one, const std::string& other);
// The same, or that the file lies in the directory `other` or below it.
[[nodiscard]] bool IsAtOrBelow(const std::string& file, const std::string& other);

// Whether it is the regular file that this descriptor of the process, 0 to 2, reads or writes.
[[nodiscard]] bool IsOpenAs(const std::string& path, int descriptor);

}  // namespace report
