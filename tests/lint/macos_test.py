#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles for macOS on Arm what is to run there: all headers of probe/system and probe/isolate, those of their sources that
need POSIX alone and macOS's own, the rooms that unify, decide and render, the processor's, IOKit's and Metal's, and libwhichgpu;
and for macOS on x86-64 what depends on the system. By `zig c++`, which brings macOS's headers with it (PyPI's ziglang); the
libraries that are headers only are those of this machine.

macos_test.py SOURCE_ROOT GENERATED SCRATCH INCLUDE... with the folder of the headers that the build makes of data/, and
those that hold fmt/, nlohmann/ and xxhash.h. Exits with 77 where there is no ziglang, which ./dev portable installs."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

SYSTEMS = ["probe/system/posix", "probe/system/darwin", "probe/isolate/posix", "probe/isolate/darwin", "kernels/cpu/darwin",
           "api/darwin"]
ROOMS = ["api", "probe/core", "probe/unify", "probe/system", "probe/isolate", *SYSTEMS, "probe/cpu", "probe/iokit", "probe/metal",
         "kernels/metal", "backends/metal",
         *("report/" + room for room in ("core", "assume", "advise", "targets", "decide", "score", "recommend", "peaks", "explain",
                                         "compare", "render", "html"))]
SEAM = ["probe/system", "probe/isolate"]
LIBRARIES = ["fmt", "nlohmann", "xxhash.h", "xxh3.h"]
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]


def zig(root):
    """The command that starts zig's compiler, or None."""
    unpacked = root / "build/vendor/wheels/ziglang/ziglang/zig"
    if os.access(unpacked, os.X_OK):
        return [str(unpacked), "c++"]
    lacks = subprocess.run([sys.executable, "-c", "import ziglang"], capture_output=True, check=False).returncode
    return None if lacks else [sys.executable, "-m", "ziglang", "c++"]


def collect_libraries(include, folders):
    """Links to the libraries alone: beside them lie the headers of this machine's C library."""
    include.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:
        found = next((folder / name for folder in folders if (folder / name).exists()), None)
        link = include / name
        link.unlink(missing_ok=True)
        if found:
            link.symlink_to(found)


def main():
    root, generated, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    compiler = zig(root)
    if not compiler:
        print("SKIPPED: no ziglang, which compiles for macOS (./dev portable installs it)")
        return 77
    collect_libraries(scratch / "include", [pathlib.Path(argument) for argument in sys.argv[4:]])
    headers = scratch / "headers.cpp"
    headers.write_text("".join(f'#include "{path.relative_to(root)}"\n'
                               for room in SEAM for path in sorted((root / room).glob("*.h"))))
    def sources_of(rooms):
        return [path for room in rooms for path in sorted((root / room).glob("*.cpp"))]
    sources = [("aarch64-macos", path) for path in [headers, *sources_of(ROOMS)]]
    sources += [("x86_64-macos", path) for path in [headers, *sources_of(SYSTEMS)]]
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(scratch / "zig"), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig")}

    def compile_one(numbered):
        number, (target, source) = numbered
        command = [*compiler, "-target", target, *FLAGS, f"-I{root}", f"-I{generated}", "-isystem", scratch / "include", "-c", source,
                   "-o", scratch / f"{number}.o"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return f"{source} for {target}", done

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, done in pool.map(compile_one, enumerate(sources)):
            if done.returncode:
                failed += 1
                print(f"{source} does not compile:\n{done.stderr}")
    print(f"{len(sources) - failed} of {len(sources)} sources compile for macOS")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
