#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The installers of examples/ on every recorded machine and on described ones: what they called, against what was written
by hand from the tables' sources, with stand-ins for pip, curl, git and cmake."""
import re
import sys
import unittest

from harness import SOURCE, main
from stubs import box, program

EXAMPLES = SOURCE / "examples"
FIXTURES = SOURCE / "tests" / "fixtures"
GLUE_SHARE = 0.2

TORCH = {"cu132": ">=2.12", "cu130": ">=2.9", "cu129": ">=2.8,<2.14", "cu126": ">=2.6,<2.15", "cu118": ">=2.0,<2.8",
         "cu118-kepler": ">=2.0,<2.4",
         "rocm7.14": ">=2.14", "xpu": ">=2.7", "cpu": ">=2.7"}
CUDA_13 = "nvidia-cuda-nvrtc>=13.0,<14 nvidia-cuda-runtime>=13.0,<14 nvidia-cufft>=12.0,<13 nvidia-curand>=10.0,<11 " \
          "nvidia-cudnn-cu13>=9.0,<10"
CUDA_12 = "nvidia-cuda-nvrtc-cu12>=12.0,<13 nvidia-cuda-runtime-cu12>=12.0,<13 nvidia-cufft-cu12>=11.0,<12 " \
          "nvidia-curand-cu12>=10.0,<11 nvidia-cudnn-cu12>=9.0,<10"
CUDA_11 = "nvidia-cuda-runtime-cu11>=11.8,<12 nvidia-cublas-cu11>=11.11,<12 nvidia-cufft-cu11>=10.9,<11 " \
          "nvidia-curand-cu11>=10.3,<11 nvidia-cudnn-cu11>=8.9,<9"
ONNX = {"cuda13": ("CUDAExecutionProvider", f"onnxruntime-gpu>=1.31 {CUDA_13}"),
        "cuda12": ("CUDAExecutionProvider", f"onnxruntime-gpu>=1.24,<1.27 {CUDA_12}"),
        "cuda12-cudnn9.10": ("CUDAExecutionProvider", f"onnxruntime-gpu>=1.24,<1.27 {CUDA_12.replace('<10', '<9.11')}"),
        "cuda11": ("CUDAExecutionProvider", f"onnxruntime-gpu>=1.18.1,<1.19 {CUDA_11}"),
        "migraphx": ("MIGraphXExecutionProvider", "onnxruntime-migraphx>=1.27"),
        "openvino": ("OpenVINOExecutionProvider", "onnxruntime-openvino>=1.24"),
        "webgpu": ("WebGpuExecutionProvider", "onnxruntime>=1.24.4 onnxruntime-ep-webgpu"),
        "coreml": ("CoreMLExecutionProvider", "onnxruntime"),
        "cpu": ("CPUExecutionProvider", "onnxruntime")}
PC = "os=linux,arch=x86_64,glibc=2.39"
# Machine: PyTorch's index, ONNX Runtime's package, llama.cpp's file or the switches of its source, the backend of what is
# in no table. None: nothing fits.
MACHINES = {
    "accelerators_beside_igpu": ("cpu", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    "cpu_ahead_of_igpu": ("cpu", "cpu", "ubuntu-x64", "NATIVE"),
    "denied_nodes": ("cpu", "cpu", "ubuntu-x64", "NATIVE"),
    "gpu_beside_igpu": ("cu132", "cuda13", "-DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=89", "CUDA"),
    "h200": ("cu132", "cuda13", "ubuntu-cuda-12.8-x64", "CUDA"),
    "opencl_bandwidth": ("xpu", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    "phantom_gpu": ("cpu", "cpu", "ubuntu-x64", "NATIVE"),
    "plain_server": ("cpu", "cpu", "ubuntu-x64", "NATIVE"),
    "rocm_prefill_vulkan_decode": ("rocm7.14", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    "software_memory": ("cpu", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    "three_way_tie": ("cu132", "cuda13", "-DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=86", "CUDA"),
    "unified_memory": ("cu132", "cuda13", "ubuntu-cuda-13.4-arm64", "CUDA"),
    "wide_names": ("cpu", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    "wrong_backend": ("cpu", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    f"vendor=nvidia,cc=8.9,driver=580.65.06,memory=24GiB,{PC}": ("cu132", "cuda13", "ubuntu-cuda-13.4-x64", "CUDA"),
    f"vendor=nvidia,cc=12.0,driver=570.86.10,memory=32GiB,{PC}": ("cu129", "cuda12", "ubuntu-cuda-12.8-x64", "CUDA"),
    # Volta: CUDA 13 has no code for it, and this driver cannot compile CUDA 12.8's PTX.
    f"vendor=nvidia,cc=7.0,driver=535.104.05,memory=16GiB,{PC}": (
        "cu126", "cuda12-cudnn9.10", "-DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=70", "CUDA"),
    # A K80: of these PyTorch alone has code for it by CUDA, and its driver has Vulkan.
    f"vendor=nvidia,cc=3.7,driver=470.57.02,memory=12GiB,{PC}": (
        "cu118-kepler", "webgpu", "ubuntu-vulkan-x64", "CUDA"),
    "vendor=nvidia,cc=8.0,driver=450.80.02,memory=40GiB,os=linux,arch=x86_64,glibc=2.28": (
        "cu118", "cuda11", "-DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=80", "CUDA"),
    "vendor=nvidia,cc=12.1,driver=580.95.05,memory=128GiB,kind=integrated,unified=yes,os=linux,arch=aarch64,glibc=2.39": (
        "cu132", "cuda13", "ubuntu-cuda-13.4-arm64", "CUDA"),
    # Both cards get what has code for both.
    f"vendor=nvidia,cc=8.9,driver=580.65.06,memory=24GiB,{PC} vendor=nvidia,cc=7.0,driver=580.65.06,memory=16GiB": (
        "cu126", "cuda12-cudnn9.10", "ubuntu-cuda-12.8-x64", "CUDA"),
    f"vendor=amd,gfx=gfx1100,runtime=hip@7.1:vulkan,memory=24GiB,{PC}": (
        "rocm7.14", "migraphx", "ubuntu-rocm-10.0-x64", "HIP"),
    # Debian 12: its glibc and ROCm are older than those of the release.
    "vendor=amd,gfx=gfx1030,runtime=hip@6.2:vulkan,memory=16GiB,os=linux,arch=x86_64,glibc=2.36": (
        "rocm7.14", "webgpu", "-DGGML_HIP=ON -DGPU_TARGETS=gfx1030", "HIP"),
    f"vendor=amd,gfx=gfx803,runtime=vulkan,memory=8GiB,{PC}": ("cpu", "webgpu", "ubuntu-vulkan-x64", "VULKAN"),
    f"vendor=intel,ip=20.1,memory=12GiB,{PC}": ("xpu", "openvino", "ubuntu-sycl-fp32-x64", "NATIVE"),
    "vendor=apple,os=macos,arch=aarch64": ("", "coreml", "macos-arm64", "NATIVE"),
    f"vendor=none,{PC}": ("cpu", "cpu", "ubuntu-x64", "NATIVE"),
    "vendor=none,os=linux,arch=aarch64,glibc=2.39": ("cpu", "cpu", "ubuntu-arm64", "NATIVE"),
    "vendor=none,os=linux,arch=x86_64,glibc=musl": (None, None, "-DGGML_NATIVE=ON", "NATIVE"),
}


def arguments(machine):
    if "=" not in machine:
        return ("--replay", FIXTURES / machine)
    return tuple(word for text in machine.split(" ") for word in ("--assume", text))


class Installers(unittest.TestCase):
    def each(self, column, command, check):
        """Runs it on every machine; `check` gets the box and what is expected where it has to succeed."""
        for machine, expected in MACHINES.items():
            with self.subTest(machine), box(*arguments(machine)) as here:
                process = here.run(*command)
                if expected[column] is None:
                    self.failed(process, here)
                    continue
                self.assertEqual(0, process.returncode, process.stderr)
                check(here, expected[column])

    def failed(self, process, here):
        self.assertEqual(1, process.returncode, process.stdout)
        self.assertIn("and this machine has another C library", process.stderr)
        self.assertEqual([], here.called("pip", "curl", "git", "cmake"))

    def test_every_recorded_machine_is_expected(self):
        self.assertEqual({path.parent.name for path in FIXTURES.glob("*/record.json")},
                         {machine for machine in MACHINES if "=" not in machine})
        self.assertGreaterEqual(sum("=" in machine for machine in MACHINES), 12)

    def test_pytorch_by_a_shell(self):
        def check(here, index):
            beside = "torchvision numpy<2" if index == "cu118-kepler" else "torchvision"
            words = f"torch{TORCH[index]} {beside} --index-url HOST/whl/{index.split('-')[0]}" if index else f"torch {beside}"
            self.assertEqual(["python3 -m venv HERE/env", f"pip install {words}", "python3 -c import torch"],
                             here.called("pip", "python3"))
            self.assertTrue((here.folder / "env" / "bin" / "with-gpu").read_text().startswith("#!/bin/sh\nexec env "))
        self.each(0, ("sh", EXAMPLES / "install-pytorch.sh", "env"), check)

    def test_what_it_leaves_shows_the_program_its_gpu(self):
        with box("--assume", f"vendor=amd,gfx=gfx1100,{PC}") as here:
            here.run("sh", EXAMPLES / "install-pytorch.sh", "env")
            process = here.run(here.folder / "env/bin/with-gpu", "printenv", "HIP_VISIBLE_DEVICES")
            self.assertEqual("0\n", process.stdout, process.stderr)

    def test_onnxruntime_by_python(self):
        def check(here, package):
            provider, words = ONNX[package]
            self.assertEqual([f"pip install {words}"], here.called("pip"))
            self.assertEqual(f'{{"providers": ["{provider}", "CPUExecutionProvider"]}}\n',
                             (here.folder / "env" / "onnxruntime.json").read_text())
        self.each(1, (sys.executable, "-B", EXAMPLES / "install_onnxruntime.py", "env"), check)

    def test_llama_cpp_by_cmake(self):
        def check(here, build):
            called = here.called("git", "cmake", "curl")
            if build.startswith("-D"):
                self.assertEqual(["git clone --depth 1 HOST/ggml-org/llama.cpp HERE/llama/source",
                                  "cmake -S HERE/llama/source -B HERE/llama/build -DCMAKE_BUILD_TYPE=Release "
                                  f"-DCMAKE_INSTALL_PREFIX=HERE/llama {build}", "cmake --build HERE/llama/build --parallel",
                                  "cmake --install HERE/llama/build"], called)
                return
            releases = "HOST/ggml-org/llama.cpp/releases"
            files = [f"llama-b1-bin-{build}.tar.gz"] + ([f"cudart-llama-b1-bin-{build}.tar.gz"] if "cuda" in build else [])
            self.assertEqual([f"curl -fsSL {releases}/latest/download/nightly-tag.txt",
                              *(f"curl -fL {releases}/download/b1/{file}" for file in files)], called)
        self.each(2, (program("cmake"), "-DFOLDER=llama", "-P", EXAMPLES / "InstallLlamaCpp.cmake"), check)

    def test_what_is_in_no_table_by_the_documents_alone(self):
        def check(here, switch):
            called = here.called("git", "cmake")
            self.assertEqual(3, len(called))
            self.assertTrue(called[1].startswith(f"cmake -S whisper.cpp -B build -DGGML_{switch}=ON -D"), called)
        self.each(3, ("sh", EXAMPLES / "install-unlisted.sh"), check)
        with box("--assume", f"vendor=nvidia,cc=8.9,{PC}", "--assume", "vendor=nvidia,cc=12.0") as here:
            here.run("sh", EXAMPLES / "install-unlisted.sh")
            self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=89;120", here.called("cmake")[0])


class Glue(unittest.TestCase):
    """What an installer has to join or convert, of all its lines of code."""

    def test_four_fifths_are_the_installers_own(self):
        for name in ("install-pytorch.sh", "install_onnxruntime.py", "InstallLlamaCpp.cmake"):
            with self.subTest(name):
                lines = [line for line in (EXAMPLES / name).read_text().splitlines()
                         if line.strip() and not line.lstrip().startswith(("#", '"""', "Lines that", "to be used"))]
                glue = [line for line in lines if line.endswith("# glue")]
                names = re.compile(r'WHICHGPU_|whichgpu"?,? "?recommend|answer\[')
                silent = [line for line in lines if line not in glue and names.search(line)]
                self.assertEqual([], silent, "hands on an answer and does not say so")
                self.assertLessEqual(len(glue), GLUE_SHARE * len(lines), f"{len(glue)} of {len(lines)}")
                print(f"{name}: {len(glue)} of {len(lines)} lines", flush=True)

    def test_no_other_language_takes_answers_apart(self):
        for path in sorted(EXAMPLES.iterdir()):
            self.assertNotRegex(path.read_text(), r"\b(awk|jq|sed|grep)\b")

    def test_one_that_no_table_has_is_short(self):
        self.assertLessEqual(len((EXAMPLES / "install-unlisted.sh").read_text().splitlines()), 15)


main()
