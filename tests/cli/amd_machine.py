# SPDX-License-Identifier: MIT
"""A machine of fake AMD GPUs: the fake ROCm libraries with a scenario and, where this machine allows a test a mount
namespace of its own, what the kernel would say of the same GPUs in /sys."""
import json
import shlex
import shutil
import struct

from fake_machine import FakeMachine
from harness import BINARY, can_unshare

MIB = 1 << 20
LIBRARIES = {
    "6": ("fake_hip/libamdhip64.so.6", "fake_hiprtc/libhiprtc.so.6"),
    "5": ("fake_hip5/libamdhip64.so.5",),
}


def gpu(name, pci, ids, gfx, *, memory=256 * MIB, units=2, gtt=None, partitions=0, attributes=None, **more):
    """One GPU as the scenario and as the kernel describe it. ids: PCI device and revision; gfx: gfx_target_version."""
    number = int(pci[5:7], 16)
    device = {"name": name, "pci": pci, "uuid": f"{number:032x}", "memory_total_bytes": memory, "compute_units": units,
              "attributes": {"gfx": gfx, **(attributes or {})}, **more}
    if partitions:
        device["partitions"] = [{"uuid": f"{(number << 8) + part:032x}", "memory_total_bytes": memory // partitions,
                                 "compute_units": max(units // partitions, 1)} for part in range(partitions)]
    return {"scenario": device, "pci": pci, "ids": ids, "gfx": gfx, "memory": memory, "units": units, "gtt": gtt,
            "parts": partitions}


class AmdMachine(FakeMachine):
    def __init__(self, build, gpus, *, rocm="6", libraries=(), variables=None, kernel=True, prefixes=None, **driver):
        """`prefixes`: what lies in ROCm's own instead of in a folder for the tool alone: file -> what in the build it is a copy
        of, None of a folder. In `variables` {} is where they are."""
        super().__init__(BINARY, build)
        self.fakes = self.build / "tests" / "fakes" / "hip"
        folder = self._folder("lib")
        for library in LIBRARIES[rocm]:
            (folder / library.rpartition("/")[2]).symlink_to(self.fakes / library)
        for name, target in libraries:
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(target)
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps({"devices": [gpu["scenario"] for gpu in gpus], **driver}))
        self.variables = {name: value.format(self.folder) for name, value in (variables or {}).items()}
        for path, target in (prefixes or {}).items():
            path = self.folder / path
            (path.parent if target else path).mkdir(parents=True, exist_ok=True)
            if target:
                shutil.copyfile(self.build / target, path)
        if prefixes:
            self.variables["WHICHGPU_LIBRARY_PATH"] = ""
        if kernel and can_unshare():
            self.sys = self._folder("sys")
            self._write_kernel(gpus)
            self.binary = self._wrapper()

    def environment(self):
        return {**super().environment(), "WHICHGPU_LIBRARY_PATH": str(self._folder("lib")),
                "WHICHGPU_FAKE_SCENARIO": str(self.scenario), **self.variables}

    def _wrapper(self):
        """Runs the tool where /sys is the fake one, with the real processor in it, and /dev has the compute driver's node."""
        system, sys = shlex.quote(str(self.sys / "devices/system")), shlex.quote(str(self.sys))
        dev = shlex.quote(str(self._folder("dev")))
        script = self.folder / "tool"
        inner = (f'mount --rbind /sys/devices/system {system} && mount --rbind {sys} /sys && touch {dev}/kfd && '
                 f'for n in null zero full random urandom tty; do touch {dev}/$n && mount --bind /dev/$n {dev}/$n; done && '
                 f'mkdir -p {dev}/shm && mount --bind /dev/shm {dev}/shm && mount --rbind {dev} /dev && exec "$0" "$@"')
        script.write_text(f"#!/bin/sh\nexec unshare -m sh -c {shlex.quote(inner)} {shlex.quote(str(BINARY))} \"$@\"\n")
        script.chmod(0o755)
        return script

    def _write(self, path, text):
        file = self.sys / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    def _write_kernel(self, gpus):
        (self.sys / "devices/system").mkdir(parents=True)
        self._write("module/amdgpu/initstate", "live")
        node = 0
        self._write(f"class/kfd/kfd/topology/nodes/{node}/properties", "cpu_cores_count 16\nsimd_count 0")
        for gpu in gpus:
            device, revision = gpu["ids"]
            folder = f"devices/pci0000:00/{gpu['pci']}"
            for name, value in (("class", "0x030000"), ("vendor", "0x1002"), ("device", f"{device:#06x}"),
                                ("revision", f"{revision:#04x}"), ("mem_info_vram_total", gpu["memory"]),
                                ("mem_info_vram_used", MIB), ("mem_info_gtt_total", gpu["gtt"] or gpu["memory"]),
                                ("mem_info_gtt_used", 0)):
                self._write(f"{folder}/{name}", value)
            self._write_state(folder, gpu["scenario"]["attributes"])
            self._write_metrics(folder, gpu["scenario"]["attributes"].get("throttled", 0))
            self._link(f"{folder}/driver", "../../../bus/pci/drivers/amdgpu")
            self._link(f"bus/pci/devices/{gpu['pci']}", f"../../../{folder}")
            self._link(f"bus/pci/drivers/amdgpu/{gpu['pci']}", f"../../../../{folder}")
            for part in range(gpu["parts"] or 1):
                node += 1
                self._write(f"class/kfd/kfd/topology/nodes/{node}/properties", kfd_node(gpu, part))

    def _write_state(self, folder, attributes):
        """Load and power as the kernel has them, in microwatts."""
        for key, path, scale in (("busy_percent", "gpu_busy_percent", 1),
                                 ("power_mw", "hwmon/hwmon0/power1_average", 1000),
                                 ("power_limit_mw", "hwmon/hwmon0/power1_cap", 1000)):
            if key in attributes:
                self._write(f"{folder}/{path}", attributes[key] * scale)

    def _write_metrics(self, folder, bits):
        """gpu_metrics of format 1.3: its size and format first, the throttle bits last."""
        text = struct.pack("<HBB", 120, 1, 3) + bytes(108) + struct.pack("<Q", bits)
        (self.sys / folder / "gpu_metrics").write_bytes(text)

    def _link(self, path, target):
        link = self.sys / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)


def kfd_node(gpu, part):
    bus, device = int(gpu["pci"][5:7], 16), int(gpu["pci"][8:10], 16)
    wide = gpu["gfx"] < 100000
    parts = gpu["parts"] or 1
    rows = {"simd_count": max(gpu["units"] // parts, 1) * (4 if wide else 2), "simd_per_cu": 4 if wide else 2,
            "wave_front_size": 64 if wide else 32, "vendor_id": 0x1002, "device_id": gpu["ids"][0],
            "location_id": part << 28 | bus << 8 | device << 3, "domain": 0, "gfx_target_version": gpu["gfx"],
            "num_xcc": 1}
    return "\n".join(f"{key} {value}" for key, value in rows.items())
