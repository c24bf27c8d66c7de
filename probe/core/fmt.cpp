// SPDX-License-Identifier: MIT
// The compiled half of {fmt}. Debian ships it as a shared library only, and the binary needs none but libc's;
// compiled once here, it also spares every other file the header-only form.
#include <fmt/format-inl.h>

namespace fmt::detail {
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
// Declared and not defined by the headers of 10 alone; of another it is one definition more that nobody
// needs.
template void vformat_to<char>(buffer<char>&, basic_string_view<char>, format_args, locale_ref);
}  // namespace fmt::detail
