#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/notices.txt, which is installed, names every library whose headers the product includes, with its licence."""
import re
import sys
import unittest

from structure_test import ROOT, tracked

# How the headers of a library begin, and what the notices call it.
LIBRARIES = {"CLI/": "CLI11", "fmt/": "{fmt}", "nlohmann/": "JSON for Modern C++", "hwy/": "Highway", "xxhash.h": "xxHash",
             "hwloc.h": "hwloc", "xf86drm.h": "libdrm", "vulkan/": "Vulkan-Headers", "CL/": "OpenCL-Headers"}
# Of the C library, of Linux, of macOS, and of the compilers.
SYSTEM = re.compile(r"(sys|linux|mach|mach-o)/\w+\.h|(cpuid|crt_externs|dirent|dlfcn|errno|fcntl|immintrin|limits|link|"
                    r"poll|pthread|pwd|sched|signal|spawn|stddef|stdlib|string|time|ucontext|unistd)\.h")
INCLUDE = re.compile(r"^#include <([^>]+)>", re.M)


class Notices(unittest.TestCase):
    def test_each_library_is_named_with_its_licence(self):
        text = (ROOT / "docs" / "notices.txt").read_text()
        parts = {part.strip().splitlines()[0]: part for part in re.split(r"^=+\n", text, flags=re.M)[1:]}
        included = {header for path in tracked("api/*", "probe/*", "backends/*", "kernels/*", "report/*")
                    if path.suffix in (".h", ".cpp") for header in INCLUDE.findall(path.read_text())}
        foreign = {header for header in included if re.search(r"[/.]", header) and not SYSTEM.fullmatch(header)}
        used = set()
        for header in sorted(foreign):
            library = next((name for start, name in LIBRARIES.items() if header.startswith(start)), None)
            self.assertIsNotNone(library, f"<{header}> is of no library that docs/notices.txt has: its notice is wanted there")
            used.add(library)
        self.assertEqual(set(LIBRARIES.values()), used)
        for library in used | {"GCC's runtime libraries (libstdc++, libgcc)"}:
            self.assertRegex(parts[library], r"\n\S+://\S+\nLicence: .+\n\nCopyright ", library)
        for part in parts.values():
            if "stands at the end" in part:
                self.assertIn("Licence: Apache-2.0", part)
        self.assertIn("END OF TERMS AND CONDITIONS", parts["The Apache License, version 2.0"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
