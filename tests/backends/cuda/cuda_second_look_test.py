# SPDX-License-Identifier: MIT
"""The real binary on two fake NVIDIA GPUs whose products are not steady: which of them is faster is looked at again,
and what stays undecided then is said so.

    python3 cuda_second_look_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import json
import sys
import unittest

from cuda_cli_test import CudaMachine, good, gpu, main

# In its own times, what a product takes more at most: less than five times as long on either, anything between at the
# first look, and all of it at the second.
SHARES = (2, 4)


class Machine(CudaMachine):
    def __init__(self):
        super().__init__({"devices": []})
        for name in ("libcublasLt.so.13", "libnccl.so.2"):  # the tool's own kernels decide
            (self._folder("lib") / name).unlink()
        self.folders = [self._folder(f"launched_{number}") for number in (1, 2)]
        # No bus shows them, and no table knows their number.
        devices = [{**gpu(number, 80, attributes={"pci_device_id": 0xfffe}), "name": f"NVIDIA Fake {number}",
                    "unsteady_share": share, "unsteady_folder": str(folder)}
                   for number, share, folder in zip((1, 2), SHARES, self.folders)]
        self.scenario.write_text(json.dumps({"driver_version": "580.65.06", "devices": devices}))

    def looks(self):
        return [len(list(folder.iterdir())) for folder in self.folders]


class SecondLook(unittest.TestCase):
    def test_two_that_noise_leaves_open_are_measured_again_and_stay_undecided(self):
        for last in (False, False, True):  # again where the machine had something else to do
            with Machine() as machine:
                # Training is answered for however little memory there is.
                done = machine.run("--json", "--no-cache", "--only", "cuda,sysfs", patience_s=120)
                looks = machine.looks()
            self.assertEqual(0, done.status, done.stderr)
            report = json.loads(done.stdout)
            answer = next(one for one in report["recommendations"] if one["use"] == "training")
            twice = {m["kernel"] for m in good(report["measurements"]) if "measured twice" in m.get("reason", "")}
            if last or (looks == [2, 2] and "gemm" in twice and answer["undecided"]):
                break
        self.assertEqual([2, 2], looks, "processes that launched products on each")
        self.assertIn("gemm", twice)
        self.assertLessEqual(twice, {"gemm", "copy"}, "what a step's time follows")
        ids = {"pci:0000:01:00.0", "pci:0000:02:00.0"}
        other, = ids - {answer["device_id"]}
        self.assertEqual([f"cuda@{other}"], answer["undecided"], answer)
        self.assertEqual("low", answer["confidence"])
        self.assertEqual([], answer["tie"])
        self.assertIn("within the error of measuring", "\n".join(answer["reasons"]))
        self.assertRegex("\n".join(answer["warnings"]), f"cuda@{other} is faster is not decided.*--thorough")


if __name__ == "__main__":
    sys.exit(main())
