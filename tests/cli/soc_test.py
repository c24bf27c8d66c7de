#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boards whose GPU is part of the chip, as trees of files: one GPU each, of the right name, and what to do first. What
the kernels show there: linux, arch/arm64/boot/dts (broadcom/bcm2712, apple/t8103, rockchip/rk3588-base, nvidia/tegra234,
qcom/sc7280) and drivers/gpu/drm; NVIDIA's nvgpu, os/linux/module.c."""
import pathlib
import tempfile
import unittest

from harness import document, main, run, validate

ICD = "/usr/share/vulkan/icd.d"


class Board:
    """A sysroot with a device tree's compatible strings, devices of the platform bus and their DRM nodes."""

    def __init__(self, folder, compatible):
        self.root = pathlib.Path(folder)
        self.write("/proc/device-tree/compatible", "".join(f"{text}\0" for text in compatible))

    def runs(self, system, version, like=""):
        return self.write("/etc/os-release", f'ID={system}\nVERSION_ID="{version}"\nID_LIKE="{like}"\n')

    def write(self, path, text=""):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return self

    def link(self, path, target):
        link = self.root / path.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    def device(self, name, driver, compatible, nodes=()):
        folder = f"/sys/devices/platform/soc/{name}"
        lines = [f"DRIVER={driver}", "OF_NAME=gpu", *(f"OF_COMPATIBLE_{i}={text}" for i, text in enumerate(compatible)),
                 f"OF_COMPATIBLE_N={len(compatible)}"]
        self.write(f"{folder}/uevent", "\n".join(lines) + "\n")
        self.link(f"/sys/bus/platform/devices/{name}", f"../../../devices/platform/soc/{name}")
        for node in nodes:
            minor = node.removeprefix("renderD").removeprefix("card")
            self.write(f"{folder}/drm/{node}/dev", f"226:{minor}\n")
            self.link(f"{folder}/drm/{node}/device", f"../../../{name}")
            self.link(f"/sys/class/drm/{node}", f"../../devices/platform/soc/{name}/drm/{node}")
        return self


def raspberry_pi_5(folder):
    board = Board(folder, ("raspberrypi,5-model-b", "brcm,bcm2712")).runs("debian", "12")
    board.device("axi:gpu", "vc4-drm", ("brcm,bcm2712-vc6",), ("card1",))
    return board.device("1002000000.v3d", "v3d", ("brcm,2712-v3d",), ("card0", "renderD128"))


def macbook_m1(folder):
    board = Board(folder, ("apple,j293", "apple,t8103", "apple,arm-platform")).runs("fedora-asahi-remix", "42", "fedora")
    board.device("display-subsystem", "apple-drm", ("apple,display-subsystem",), ("card1",))
    return board.device("206400000.gpu", "asahi", ("apple,agx-t8103", "apple,agx-g13g"), ("card0", "renderD128"))


def jetson_orin(folder):
    board = Board(folder, ("nvidia,p3768-0000+p3767-0000", "nvidia,p3767-0000", "nvidia,tegra234"))
    board.runs("ubuntu", "22.04", "debian")
    board.device("13e00000.host1x", "tegra-host1x", ("nvidia,tegra234-host1x",), ("card0", "renderD128"))
    board.device("13800000.display", "nv_platform", ("nvidia,tegra234-display",), ("card1", "renderD129"))
    return board.device("17000000.gpu", "gk20a", ("nvidia,ga10b",))


def rock_5b(folder):
    board = Board(folder, ("radxa,rock-5b", "rockchip,rk3588")).runs("debian", "13")
    board.device("display-subsystem", "rockchip-drm", ("rockchip,display-subsystem",), ("card0",))
    return board.device("fb000000.gpu", "panthor", ("rockchip,rk3588-mali", "arm,mali-valhall-csf"), ("card1", "renderD128"))


def rb3_gen2(folder):
    board = Board(folder, ("qcom,qcs6490-rb3gen2", "qcom,qcm6490")).runs("debian", "12")
    board.device("ae01000.display-controller", "msm_dpu", ("qcom,sc7280-dpu",), ("card0", "renderD128"))
    return board.device("3d00000.gpu", "adreno", ("qcom,adreno-635.0", "qcom,adreno"))


class Boards(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="whichgpu-board-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "root"

    def check(self, board, platform, name):
        """The one GPU and the first step of the report."""
        process = run("list", "--sysroot", board.root, "--json")
        self.assertEqual(0, process.returncode, process.stderr)
        listed = document(process)
        validate(listed, "list")
        gpus = [device for device in listed["devices"] if device["id"] != "cpu:0"]
        self.assertEqual([(platform, name, "integrated")], [(gpu["id"], gpu["name"], gpu["kind"]) for gpu in gpus])
        report = run("--details", "--sysroot", board.root)
        self.assertEqual(0, report.returncode, report.stderr)
        text = " ".join(report.stdout.split())
        self.assertNotIn("modprobe", text)
        self.assertNotIn("runtime of its vendor", text)
        step = text.partition(" Next → ")[2].partition(" → ")[0]
        self.assertTrue(step.startswith(f"{name}: "), text)
        return step.removeprefix(f"{name}: ")

    def test_a_raspberry_pi_5(self):
        step = self.check(raspberry_pi_5(self.folder), "platform:1002000000-v3d", "VideoCore VII")
        self.assertIn("v3dv", step)
        self.assertIn("apt-get install libvulkan1 mesa-vulkan-drivers", step)

    def test_one_that_has_the_driver_is_to_be_asked_itself(self):
        board = raspberry_pi_5(self.folder).write(f"{ICD}/lvp_icd.aarch64.json", "{}")
        self.assertIn("v3dv", self.check(board, "platform:1002000000-v3d", "VideoCore VII"))
        board.write(f"{ICD}/broadcom_icd.aarch64.json", "{}")
        step = self.check(board, "platform:1002000000-v3d", "VideoCore VII")
        self.assertIn("Vulkan is installed for it: run whichgpu on that machine", step)
        self.assertNotIn("apt-get", step)

    def test_an_apple_laptop(self):
        step = self.check(macbook_m1(self.folder), "platform:206400000-gpu", "Apple M1 GPU")
        self.assertIn("Honeykrisp", step)
        self.assertIn("dnf install vulkan-loader mesa-vulkan-drivers", step)

    def test_a_jetson_without_cuda(self):
        step = self.check(jetson_orin(self.folder), "platform:17000000-gpu", "Orin GPU (ga10b)")
        self.assertIn("CUDA for Jetson", step)
        self.assertIn("apt-get install nvidia-jetpack", step)

    def test_a_jetson_with_cuda(self):
        for folder in ("tegra", "nvidia"):  # Jetson Linux before 36, and since
            with self.subTest(folder):
                root = self.folder / folder
                board = jetson_orin(root).write(f"/usr/lib/aarch64-linux-gnu/{folder}/libcuda.so.1", "ELF")
                step = self.check(board, "platform:17000000-gpu", "Orin GPU (ga10b)")
                self.assertIn("CUDA is installed for it: run whichgpu on that machine", step)
                installed = document(run("list", "--sysroot", root, "--json"))["host"]["installed"]
                self.assertIn({"runtime": "cuda", "file": "libcuda.so.1"}, installed)

    def test_cards_of_no_table_are_gpus_all_the_same(self):
        for vendor, device, function in (("0x1002", "0x7599", "0x030000"), ("0x1002", "0x7599", "0x038000"),
                                         ("0x1002", "0x7999", "0x120000"), ("0x10de", "0xfffe", "0x120000"),
                                         ("0x8086", "0xe299", "0x030000"), ("0x1ed5", "0x0fff", "0x030200")):
            with self.subTest(vendor, function=function):
                root = self.folder / f"{vendor}-{function}"
                card = Board(root, ())
                for name, text in (("vendor", vendor), ("device", device), ("class", function)):
                    card.write(f"/sys/bus/pci/devices/0000:01:00.0/{name}", text + "\n")
                process = run("recommend", "--sysroot", root, "--exit-code", "--json")
                self.assertEqual(12, process.returncode, "its runtimes were not asked")
                ids = [reason["id"] for reason in document(process)["recommendation"]["why"]]
                self.assertIn("gpus_not_asked", ids)
                self.assertNotIn("no_gpu", ids)

    def test_what_only_shows_pictures_or_only_infers_is_no_gpu(self):
        for vendor, device, function, driver in (("0x8086", "0xfffe", "0x120000", None),  # an NPU
                                                 ("0x1002", "0x515e", "0x030000", None),  # of a server's board
                                                 ("0x1002", "0x5159", "0x030000", "radeon"),  # from before GPUs computed
                                                 ("0x0014", "0x7a06", "0x030000", "loongson")):
            with self.subTest(vendor, device=device):
                board = Board(self.folder / f"{vendor}-{device}", ())
                for name, text in (("vendor", vendor), ("device", device), ("class", function)):
                    board.write(f"/sys/bus/pci/devices/0000:00:0b.0/{name}", text + "\n")
                if driver:
                    board.link("/sys/bus/pci/devices/0000:00:0b.0/driver", f"/sys/bus/pci/drivers/{driver}")
                self.assertEqual(10, run("recommend", "--sysroot", board.root, "--exit-code").returncode)

    def test_an_rk3588(self):
        step = self.check(rock_5b(self.folder), "platform:fb000000-gpu", "Mali-G610 (RK3588)")
        for word in ("Mesa 24.3 or later", "panvk", "panthor", "apt-get install libvulkan1 mesa-vulkan-drivers"):
            self.assertIn(word, step)

    def test_an_rk3588_whose_distribution_is_older_than_its_driver(self):
        step = self.check(rock_5b(self.folder).runs("debian", "12"), "platform:fb000000-gpu", "Mali-G610 (RK3588)")
        self.assertIn("Debian 12 has Mesa 22.3, and this card needs 24.3 or later", step)
        self.assertNotIn("apt-get", step)

    def test_an_rk3588_with_its_makers_kernel(self):
        board = Board(self.folder, ("radxa,rock-5b", "rockchip,rk3588"))
        board.device("display-subsystem", "rockchip-drm", ("rockchip,display-subsystem",), ("card0", "renderD128"))
        board.device("fb000000.gpu", "mali", ("arm,mali-bifrost",)).write("/dev/mali0")
        self.assertIn("libmali", self.check(board, "platform:fb000000-gpu", "Mali-G610 (RK3588)"))

    def test_a_snapdragon(self):
        step = self.check(rb3_gen2(self.folder), "platform:3d00000-gpu", "Adreno 635")
        self.assertIn("Turnip", step)
        self.assertIn("apt-get install libvulkan1 mesa-vulkan-drivers", step)

    def test_what_no_runtime_computes_on_gets_no_step(self):
        board = Board(self.folder, ("pine64,pine64", "allwinner,sun50i-a64"))
        board.device("1c40000.gpu", "lima", ("allwinner,sun50i-a64-mali", "arm,mali-400"), ("card0", "renderD128"))
        listed = document(run("list", "--sysroot", board.root, "--json"))
        self.assertEqual(["Mali-400", "CPU"], [device["name"] for device in listed["devices"]])
        finding = next(one for one in listed["findings"] if one["id"].startswith("unreached."))
        self.assertEqual([], finding["fix"])
        self.assertIn("no runtime computes on a Mali", finding["meaning"])


main()
