# SPDX-License-Identifier: MIT
"""Machines for the comparison with uv: around every version of a driver at which uv's answer changes, drivers that were
released, every architecture of AMD's, Intel's generations, several GPUs, and what is broken."""
import dataclasses
import itertools
import json

import uv
from harness import SOURCE

CUDA_12 = ("cu129", "cu128", "cu126", "cu124", "cu121")
CUDA = ("cu132", "cu130", *CUDA_12, "cu118")
ROCM = ("rocm7.2", "rocm7.1", "rocm7.0", "rocm6.4", "rocm6.3", "rocm6.2.4")


@dataclasses.dataclass(frozen=True)
class Platform:
    uv: str
    ours: str
    wheels: tuple  # the indexes of uv's that have torch for it and Python 3.12 (docs/uv.md says where that is from)


PLATFORMS = {
    "linux": Platform("x86_64-manylinux_2_28", "os=linux,arch=x86_64,glibc=2.36", (*CUDA, *ROCM, "xpu", "cpu")),
    "arm": Platform("aarch64-manylinux_2_28", "os=linux,arch=aarch64,glibc=2.36", ("cu132", "cu130", *CUDA_12[:-1], "cpu")),
    "windows": Platform("x86_64-pc-windows-msvc", "os=windows,arch=x86_64", (*CUDA, "xpu", "cpu")),
    "macos": Platform("aarch64-apple-darwin", "os=macos,arch=aarch64", ("cpu",)),
    "musl": Platform("x86_64-unknown-linux-musl", "os=linux,arch=x86_64,glibc=musl", ()),
    "old": Platform("x86_64-manylinux2014", "os=linux,arch=x86_64,glibc=2.17", ("cu124", "cu121", "cu118", "cpu")),
}
FLOORS = {"linux": "580 525.60.13 450.80.02 450.36.06 440.33 418.39 410.48 396.26 390.46 384.81 375.26".split(),
          "windows": "580 528.33 452.39 451.22 441.22 418.96 411.31 398.26 391.29 385.54 376.51".split()}
RELEASED = """340.108 367.57 375.66 384.183 387.34 390.157 410.104 418.226.00 430.64 435.21 440.100 450.51.06 450.119.03
    450.248.02 455.45.01 460.32.03 460.106.00 465.31 470.82.01 470.256.02 495.46 510.108.03 515.65.01 520.61.05
    525.147.05 530.41.03 535.54.03 535.183.01 535.261.03 545.29.06 550.54.14 550.90.07 550.144.03 550.163.01
    555.42.02 555.58.02 560.35.05 565.57.01 570.26 570.86.15 570.172.08 570.211.01 575.51.02 575.64.05 580.65.06
    580.82.07 580.95.05 580.126.09 590.48.01 595.45.04 595.58.03""".split()
OTHERS = """gfx600 gfx700 gfx701 gfx801 gfx802 gfx803 gfx810 gfx902 gfx904 gfx909 gfx90c gfx940 gfx941 gfx1010 gfx1011 gfx1012
    gfx1013 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 gfx1103 gfx1152 gfx1153 gfx1170 gfx1171 gfx1250""".split()
CURRENT = tuple(gfx for gfx in uv.LISTED if gfx not in ("gfx900", "gfx906"))
XE = ("12.55", "12.57", "12.60", "12.70", "12.74", "20.1", "30.0")  # what PyTorch's XPU is built for
LINUX_ALONE = ("12.60", *"gfx908 gfx90a gfx940 gfx941 gfx942 gfx950 gfx1250".split())  # Data Center GPU Max, Instinct
PARTS = {"9.0", "11.0", "12.0", "12.70", "12.74", "30.0",  # of processors with x86-64 alone
         *"gfx700 gfx801 gfx810 gfx902 gfx909 gfx90c gfx1033 gfx1035 gfx1036 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153".split()}
OLD_INTEL = ("9.0", "11.0", "12.0", "12.10", "12.50")
CAPABILITIES = ("3.5", "3.7", "5.2", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")


def number(version):
    return tuple(int(part) for part in version.split("."))


@dataclasses.dataclass(frozen=True)
class Box:
    """A machine, as both are told of it."""
    platform: str
    driver: str = ""  # NVIDIA's
    cc: tuple = ()
    gfx: tuple = ()
    ip: str = ""
    installed: bool = True  # the runtimes; without them the kernel's drivers alone

    def least(self):
        return min(map(number, self.cc), default=())

    def cuda(self):
        """The newest CUDA that NVIDIA's driver runs: 13, 12, 11 or 0."""
        for major, floor in zip((13, 12, 11), FLOORS["windows" if self.platform == "windows" else "linux"]):
            if self.cc and number(self.driver) >= number(floor):
                return major
        return 0

    def texts(self):
        """For --assume."""
        also = ("" if self.installed else ",runtime=none") + "," + PLATFORMS[self.platform].ours
        cards = ([f"vendor=nvidia,cc={cc},driver={self.driver}{also}" for cc in self.cc]
                 + [f"vendor=amd,gfx={gfx}{also}" for gfx in self.gfx])
        kind = ",kind=integrated" if cards else ""
        return (cards + [f"vendor=intel,ip={self.ip}{kind}{also}"] * bool(self.ip)) or ["vendor=none" + also]

    def to_uv(self):
        """What uv can be told of it. It sees AMD's GPUs through ROCm's program alone."""
        return (PLATFORMS[self.platform].uv, self.driver, self.gfx if self.installed else (), bool(self.ip), bool(self.gfx))


def _around(floor):
    """A version, one step to each side of it in each number, and what is before its major version."""
    parts = number(floor)
    near = [floor, f"{parts[0] - 1}.99"]
    for i, step in itertools.product(range(1, len(parts)), (-1, 1)):
        stepped = [*parts[:i], parts[i] + step]
        near.append(".".join(f"{part:02}" if k == 2 else str(part) for k, part in enumerate(stepped)))
    return near


def _possible(driver):
    """The capabilities that a driver knows, by data/runtimes/cuda.json."""
    rows = json.loads((SOURCE / "data" / "runtimes" / "cuda.json").read_text())["target"]["drivers"]
    bounds = {row["architecture"]: row for row in rows}
    for cc in CAPABILITIES:
        row = bounds.get(cc) or bounds[cc[0] + ".0"]
        if number(row.get("first", "0")) <= number(driver) < number(row.get("below", "9999")):
            yield cc


def _nvidia(platform):
    floors = FLOORS["windows" if platform == "windows" else "linux"]
    decisive = {version for floor in floors[:3] for version in (floor, *_around(floor)[-2:])}
    drivers = dict.fromkeys([version for floor in floors for version in _around(floor)] + RELEASED)
    for i, driver in enumerate(drivers):
        known = tuple(_possible(driver))
        for cc in known if driver in decisive else known[i % len(known):][:1]:
            yield Box(platform, driver, (cc,))


def _several():
    """More than one GPU."""
    for gfx in (*uv.LISTED, *OTHERS):
        yield Box("linux", gfx=(gfx,), ip="12.0")
    for driver, cc in (("580.95.05", "8.9"), ("595.58.03", "12.0"), ("570.86.15", "12.0"), ("470.256.02", "8.6"),
                       ("440.33.01", "7.5")):
        yield Box("linux", driver, (cc,), ip="12.0")
        yield Box("linux", driver, (cc,), gfx=("gfx1036",))
    for driver, gfx in itertools.product(("470.256.02", "390.157"), CURRENT[4:]):
        yield Box("linux", driver, ("3.5",), gfx=(gfx,))
    for driver, ccs in itertools.product(("580.65.06", "580.126.09"), (("6.1", "8.9"), ("8.6", "9.0"), ("7.0", "7.5"),
                                                                       ("8.9", "12.0"), ("5.2", "6.1"))):
        yield Box("linux", driver, ccs)
    cards = ("gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1200", "gfx1201")
    for pair in (*itertools.combinations(cards, 2), ("gfx1150", "gfx1201"), ("gfx906", "gfx1100")):
        yield Box("linux", gfx=pair)


def _of(platform, architectures):
    """Those that the platform has a driver for, or a processor with them."""
    without = {"windows": LINUX_ALONE, "arm": PARTS}.get(platform, ())
    return [one for one in architectures if one not in without]


def _not_installed():
    for platform in ("linux", "windows"):
        for driver, cc in (("580.95.05", "8.6"), ("560.35.05", "7.5"), ("470.256.02", "5.2")):
            yield Box(platform, driver, (cc,), installed=False)
        for ip in _of(platform, XE):
            yield Box(platform, ip=ip, installed=False)
    for gfx in CURRENT:
        yield Box("linux", gfx=(gfx,), installed=False)
    for ip in ("9.0", "12.0"):
        yield Box("linux", gfx=("gfx1100",), ip=ip, installed=False)


def boxes():
    for platform in PLATFORMS:
        yield Box(platform)
    for platform in ("linux", "arm", "windows"):
        yield from _nvidia(platform)
        for gfx in _of(platform, (*uv.LISTED, *OTHERS)):
            yield Box(platform, gfx=(gfx,))
        for ip in _of(platform, (*XE, *OLD_INTEL)):
            yield Box(platform, ip=ip)
    yield from _several()
    yield from _not_installed()
    for platform, driver in itertools.product(("musl", "old"), ("580.95.05", "535.183.01", "470.256.02")):
        yield Box(platform, driver, ("8.6",))
    yield from (Box("musl", gfx=("gfx1100",)), Box("musl", ip="12.55"))
    yield from (Box("arm", driver, ("8.7",)) for driver in ("540.4.0", "580.95.05"))
    yield from (Box("arm", driver, ("11.0",)) for driver in ("580.65.06", "595.58.03"))
