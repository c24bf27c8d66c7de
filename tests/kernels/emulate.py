#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the kernels of CUDA, HIP or Metal as C++ for the host, in the frame of tests/kernels/<language>/emulation.h, and
the same with each planted defect (defects.py), which a test must find out.

emulate.py LANGUAGE FOLDER    writes FOLDER/right/*.cpp, FOLDER/defects/*.cpp and FOLDER/table*.cpp
"""
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "kernels"))
import generate  # noqa: E402

ENTRY = re.compile(r"^(?:(?:[A-Z]+_(?:GEMM|CHAIN)|FILL)\((\w+),|KERNEL (?:__launch_bounds__\([^)]*\) )?(\w+)\()", re.M)
HEADER = {"cuda": "wmma.h", "hip": "emulation.h"}
DIES = {"gfx942": 2, "gfx950": 3}  # that divide a test's tiles, and that do not
HIP_TARGETS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")
# Written for a device's compiler: what this project asks of its own C++ does not hold there.
IGNORED = ("-Wconversion", "-Wsign-conversion", "-Wpedantic", "-Wunused", "-Wmissing-declarations")
FIND = "tests::EmulatedKernel Find_{}(std::string_view name)"


def macro(target):
    """Of "gfx942" that of the target, of RDNA that of its generation."""
    return re.sub(r"^__gfx(1[12])[0-9a-f]+__$", r"__GFX\1__", f"__{target}__")


def program(language, name, modules, target=None, read=generate.read):
    """The modules' kernels in a namespace of that name, and Find_<name>, which knows their entry points."""
    parts, rows = [], []
    for module in modules:
        text = generate.whole(module, read, skip=["cuda/device.cuh", "hip/device.hip.h"])
        parts += [f"#define XCC_COUNT {DIES[target]}"] if target in DIES else []
        parts += [f"namespace {name}::{module.name} {{", text, f"}}  // namespace {name}::{module.name}"]
        parts += [f"#undef {known}" for known in sorted(set(re.findall(r"^#define (\w+)", text, re.M)))]
        rows += [f'  if (name == "{one or other}") return tests::Wrap(&{name}::{module.name}::{one or other});'
                 for one, other in ENTRY.findall(text)]
    lines = [f"#define {macro(target)}"] if target else []
    lines += [f'#include "tests/kernels/{language}/{HEADER[language]}"', '#include "tests/kernels/cuda/emulated_session.h"']
    lines += [f'#pragma GCC diagnostic ignored "{warning}"' for warning in IGNORED]
    return "\n".join([*lines, *parts, "", FIND.format(name) + " {", *rows, "  return {};", "}"])


def with_defect(name, file, old, new):
    def read(wanted):
        text = generate.read(wanted)
        if wanted != file:
            return text
        if text.count(old) != 1:
            sys.exit(f"the defect {name} must replace one place of kernels/{file}")
        return text.replace(old, new)
    return read


def table(header, finds, body):
    declarations = [FIND.format(name) + ";" for name in finds]
    return "\n".join([f'#include "tests/kernels/{header}"', "", *declarations, "", "namespace tests {", *body,
                      "}  // namespace tests"])


def listed(function, row_type, rows):
    return [f"std::vector<{row_type}> {function}() {{", "  return {", *[f"      {{{row}}}," for row in rows], "  };", "}"]


def cuda(defects):
    # What differs in nothing but the chip or the driver is the same here: the first of them stands for all.
    alike = {}
    for module in generate.modules("cuda"):
        alike.setdefault((module.source, *module.definitions), module)
    modules = {module.name: module for module in alike.values()}
    files = {f"right/{name}": program("cuda", name, [module]) for name, module in modules.items()}
    for name, module, _, *change in defects:
        files[f"defects/{name}"] = program("cuda", name, [modules[module]], read=with_defect(name, *change))
    finds = ", ".join(f"Find_{name}" for name in modules)
    files["table"] = table("cuda/emulated_session.h", modules, [
        "EmulatedKernel FindEntry(std::string_view name) {", f"  for (auto* find : {{{finds}}}) {{",
        "    if (auto kernel = find(name)) return kernel;", "  }", "  return {};", "}"])
    rows = [f'"{name}", "{entry}", Find_{name}("{entry}")' for name, _, entry, *_ in defects]
    files["table_of_defects"] = table("cuda/defects.h", [row[0] for row in defects], listed("Defects", "Defect", rows))
    return files


def hip(defects):
    modules = {module.name: module for module in generate.modules("hip")}
    own = [module for module in modules.values() if module.source.startswith("hip/") and module.name != "stream"]
    files = {}
    for target in HIP_TARGETS:
        has = [module for module in own if target in module.settings["targets"].split(",")]
        files[f"right/{target}"] = program("hip", target, has, target)
    files["right/fnuz_operands"] = program("hip", "fnuz_operands", [modules["stream"]], "gfx942")
    for name, target, module, _, *change in defects:
        files[f"defects/{name}"] = program("hip", name, [modules[module]], target, with_defect(name, *change))
    files["table"] = table("hip/targets.h", [*HIP_TARGETS, *(row[0] for row in defects)], [
        *listed("HipTargets", "HipTarget", [f'"{target}", Find_{target}' for target in HIP_TARGETS]),
        *listed("HipDefects", "HipDefect", [f'"{row[0]}", "{row[1]}", "{row[3]}", Find_{row[0]}' for row in defects])])
    return files


def metal_kernels(text):
    """(name, parameters) of a text's kernels, those of macros, `#define NAME(name, ...)` and a use in each line, among them."""
    text = text.replace("\\\n", " ")
    pattern = re.compile(r"^(?:#define (\w+)\(name[^\n]*?)?kernel void (\w+)\(((?:[^()]|\([^()]*\))*)\)", re.M)
    found = [match.groups() for match in pattern.finditer(text)]
    macros = {macro: parameters for macro, _, parameters in found if macro}
    yield from [(name, parameters) for macro, name, parameters in found if not macro]
    for macro, name in re.findall(r"^(\w+)\((\w+),", text, re.M):
        if macro in macros:
            yield name, macros[macro]


def metal_program(name, module, read=generate.read):
    """The module's kernels in a namespace of that name, and Find_<name>, which hands each what its attributes ask for."""
    text = re.sub(r"^#include <metal_stdlib>\nusing namespace metal;\n", "", generate.whole(module, read), flags=re.M)
    rows = []
    for entry, parameters in metal_kernels(text):
        asked = re.findall(r"\[\[(\w+)(\(\d+\))?\]\]", parameters)
        if len(asked) != parameters.count(",") + 1:
            sys.exit(f"a parameter of {entry} has no attribute")
        handed = [f"given.{word}{place}" if place else f"emulation::metal::{word}()" for word, place in asked]
        rows += [f'  if (name == "{entry}") return [](std::span<void* const> buffers, std::span<const std::uint32_t> scalars) {{',
                 "    const emulation::metal::Given given(buffers, scalars);",
                 f"    emulation::metal::{name}::{entry}({', '.join(handed)});", "  };"]
    text = re.sub(r" \[\[\w+(\(\d+\))?\]\]", "", text)
    own = sorted(set(re.findall(r"^#define (\w+)", text, re.M)) | {"constant", "device", "kernel", "threadgroup"})
    return "\n".join([
        '#include "tests/kernels/metal/emulation.h"',
        *[f'#pragma GCC diagnostic ignored "{warning}"' for warning in IGNORED],
        '#include "tests/kernels/metal/words.h"', f"namespace emulation::metal::{name} {{", text,
        f"}}  // namespace emulation::metal::{name}", *[f"#undef {word}" for word in own], "", FIND.format(name) + " {", *rows,
        "  return {};", "}"])


def metal(defects):
    modules = {module.name: module for module in generate.modules("metal")}
    files = {f"right/{name}": metal_program(name, module) for name, module in modules.items()}
    for name, module, _, *change in defects:
        files[f"defects/{name}"] = metal_program(name, modules[module], with_defect(name, *change))
    finds = ", ".join(f"Find_{name}" for name in modules)
    files["table"] = table("metal/metal_kernels.h", modules, [
        "EmulatedKernel FindMetalEntry(std::string_view name) {", f"  for (auto* find : {{{finds}}}) {{",
        "    if (auto kernel = find(name)) return kernel;", "  }", "  return {};", "}"])
    rows = [f'"{name}", "{entry}", Find_{name}("{entry}")' for name, _, entry, *_ in defects]
    files["table_of_defects"] = table("metal/metal_kernels.h", [row[0] for row in defects],
                                      listed("MetalDefects", "MetalDefect", rows))
    return files


def main(language, folder):
    spec = importlib.util.spec_from_file_location("defects", ROOT / "tests" / "kernels" / language / "defects.py")
    planted = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(planted)
    files = {folder / f"{name}.cpp": f"{generate.SPDX}{text}\n"
             for name, text in {"cuda": cuda, "hip": hip, "metal": metal}[language](planted.DEFECTS).items()}
    for path in set(folder.glob("**/*.cpp")) - set(files):
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
