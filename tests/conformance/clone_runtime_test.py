#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A runtime is one word and its own folders: clones the skeleton into a runtime "npu_t" in a copy of the sources, whose
one device is found, measured and recommended. A name with a "_" and the letters of a part of another word, "input".
Arguments: the source directory and a build directory of it."""
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
NAMES = ((re.compile(r"(?<![A-Za-z])null(?![a-z])"), "npu_t"), (re.compile(r"(?<![A-Za-z])Null(?![a-z])"), "NpuT"),
         (re.compile(r"(?<![A-Za-z])NULL(?![A-Z])"), "NPU_T"))
# What one who adds a runtime writes: here, that there is a device.
NO_DEVICE = "return std::vector<RuntimeDevice>{};"
ONE_DEVICE = """RuntimeDevice device;
  device.runtime = "npu_t";
  device.driver = "npu_t";
  device.name = "NPU T";
  device.kind = DeviceKind::kDiscrete;
  device.identity.pci = PciAddress{0, 0x42, 0, 0};
  return std::vector<RuntimeDevice>{device};"""


def sources(root):
    """Relative paths of all source files: what git tracks, else everything but builds."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=False)
    if listed.returncode == 0:
        return [name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and "build" not in path.parts]


def clone_folder(root, folder):
    for path in sorted((root / folder / "null").iterdir()):
        text = path.read_text()
        for pattern, name in NAMES:
            text = pattern.sub(name, text)
        target = root / folder / "npu_t" / path.name.replace("null", "npu_t")
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)


def add_runtime(root):
    for folder in ("probe", "backends", "tests/probe", "tests/backends"):
        clone_folder(root, folder)
    api = root / "probe/npu_t/npu_t_api.cpp"
    api.write_text(api.read_text().replace(NO_DEVICE, ONE_DEVICE))
    facts = json.loads((root / "data/runtimes/cpu.json").read_text())
    facts.update(title="NPU T", names=["npu"])
    (root / "data/runtimes/npu_t.json").write_text(json.dumps(facts, indent=2))
    lists = root / "CMakeLists.txt"
    lists.write_text(re.sub(r"(set\(RUNTIMES [^)]*)\)", r"\1 npu_t)", lists.read_text(), count=1))


def settings():
    """How the build directory at hand is configured: the clone is built alike."""
    cache = (BUILT / "CMakeCache.txt").read_text()
    names = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_CXX_COMPILER_LAUNCHER",
             "WHICHGPU_SANITIZE")
    return [f"-D{name}={value}" for name, value in re.findall(r"^(\w+):\w+=(.*)$", cache, re.M) if name in names]


def shared(inside):
    """Whether an object is made of sources that the clone shares: one of them, or a folder compiled as a whole."""
    folder, _, rest = f"/{inside.as_posix()}".partition("/CMakeFiles/")
    whole = BUILT / inside.with_suffix("")
    if whole.parent.name == "Unity" and whole.is_file():
        parts = [pathlib.Path(part) for part in re.findall(r'#include "([^"]+)"', whole.read_text())]
        return all(part.is_relative_to(ROOT) and not part.is_relative_to(BUILT) for part in parts)
    return (ROOT / folder[1:] / rest.partition("/")[2].removesuffix(".o")).is_file()


def seed(directory):
    """Takes over what is compiled already: the objects of sources that the clone shares, none of generated ones, and the
    archives of such objects alone. Make, unlike ninja, asks only whether they are newer than what they are made of."""
    objects = {path.relative_to(BUILT) for path in BUILT.rglob("*.o")}
    own = {inside for inside in objects if inside.parts[0] != "tests"}
    taken = {inside for inside in own if shared(inside)}
    parts = {archive.relative_to(BUILT): set() for archive in BUILT.rglob("*.a")}
    for archive, its in parts.items():
        its |= {inside for inside in own if parts_of(archive) in inside.parents}
    for inside in [*sorted(taken), *(archive for archive, its in parts.items() if its and its <= taken)]:
        (directory / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILT / inside, directory / inside)


def parts_of(archive):
    """Where the objects of a static library are."""
    return archive.parent / "CMakeFiles" / (archive.name.removeprefix("lib").removesuffix(".a") + ".dir")


def memory():
    """A folder that is kept in memory, where programs may be run from it; None where there is none."""
    shared = pathlib.Path("/dev/shm")
    usable = shared.is_dir() and os.access(shared, os.W_OK) and not os.statvfs(shared).f_flag & os.ST_NOEXEC
    return shared if usable and shutil.disk_usage(shared).free > 2 << 30 else None


def build(root):
    environment = {name: value for name, value in os.environ.items() if name != "LIBRARY_PATH"}
    environment["CCACHE_BASEDIR"] = str(root)  # where the compiler's cache is used, a clone of earlier serves this one
    directory = root / "build"

    def run(*command):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
    generator = "Unix Makefiles" if shutil.which("make") else "Ninja"
    run("cmake", "-G", generator, "-S", str(root), "-B", str(directory), "-DWHICHGPU_TESTS=OFF", *settings())
    seed(directory)
    run("cmake", "--build", str(directory), "--parallel", str(os.cpu_count()), "--target", "whichgpu")
    return directory / "report/whichgpu"


class ClonedRuntime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="whichgpu_clone_", dir=memory())
        cls.clone = pathlib.Path(cls.scratch.name)
        for name in sources(ROOT):
            (cls.clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, cls.clone / name)
        add_runtime(cls.clone)
        cls.files = [str(path.relative_to(cls.clone)) for path in cls.clone.rglob("*") if path.is_file()]
        cls.binary = build(cls.clone)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_tool(self, *arguments):
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def test_one_line_changes_outside_its_own_folders(self):
        added = [name for name in self.files if not (ROOT / name).exists()]
        changed = [name for name in self.files
                   if name not in added and not filecmp.cmp(ROOT / name, self.clone / name, shallow=False)]
        for name in added:
            self.assertRegex(name, r"^(tests/)?(probe|backends)/npu_t/|/npu_t\.[a-z]+$")
        self.assertEqual(["CMakeLists.txt"], changed)
        before = (ROOT / "CMakeLists.txt").read_text().splitlines()
        after = (self.clone / "CMakeLists.txt").read_text().splitlines()
        self.assertEqual(1, sum(old != new for old, new in zip(before, after, strict=True)))

    def test_it_is_named_at_home_alone(self):
        lint = subprocess.run([sys.executable, "-B", "-m", "unittest", "structure_test.Structure."
                               "test_makers_and_runtimes_are_named_only_at_home"], cwd=self.clone / "tests/lint",
                              capture_output=True, text=True, check=False)
        self.assertEqual(0, lint.returncode, lint.stderr)

    def test_it_says_of_itself_what_holds_of_a_clone(self):
        for name in self.files:
            if "npu_t" in pathlib.Path(name).parts:
                self.assertNotRegex((self.clone / name).read_text(), r"(?i)skeleton|to clone", name)

    def test_its_device_is_found(self):
        listed = json.loads(self.run_tool("list", "--json"))
        found = [view for device in listed["devices"] for view in device["views"] if view["runtime"] == "npu_t"]
        self.assertEqual(["NPU T"], [view["name"] for view in found])
        self.assertEqual(["ok"], [probe["outcome"] for probe in listed["probes"] if probe["module"] == "npu_t"])

    def test_its_device_is_measured_and_recommended(self):
        report = json.loads(self.run_tool("--only", "npu_t", "--quick", "--json"))
        verified = {row["kernel"] for row in report["measurements"]
                    if row["runtime"] == "npu_t" and row["status"] == "ok" and row["verified"]}
        self.assertLessEqual({"gemm", "read"}, verified)
        answers = {answer["use"]: answer["backend"] for answer in report["recommendations"]}
        self.assertEqual("npu_t", answers["inference"])
        self.assertEqual("npu_t", self.run_tool("recommend", "--only", "npu_t", "--quick").strip())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
