#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines that lack what a program takes for granted: no files, no home, no space, little address space; and a
person who presses Ctrl-C."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness import BINARY, SANITIZED, can_unshare, document, environment, main, run, validate


CHROOT = shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin:/bin")


def descendants(pid):
    """Living processes below `pid`, by parent links, each with when it began: numbers are used again."""
    parents, began = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)], began[int(entry.name)] = int(fields[1]), fields[19]
    found, grown = {pid}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return {(child, began[child]) for child in found - {pid}}


def lives(child):
    pid, began = child
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return fields[0] != "Z" and fields[19] == began
    return False


class EmptyRoot(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "a sanitizer needs more than that")
    @unittest.skipUnless(os.geteuid() == 0 and CHROOT, "chroot needs root")
    def test_a_root_with_nothing_but_libc_answers_cpu(self):
        with tempfile.TemporaryDirectory(prefix="whichgpu-root-") as root:
            shutil.copy(BINARY, root)
            needed = subprocess.run(["ldd", str(BINARY)], capture_output=True, text=True, check=True).stdout
            for word in needed.split():
                if word.startswith("/"):
                    target = pathlib.Path(root + word)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(word, target)
            for arguments, command in ((("list", "--json"), "list"), (("recommend", "--quick"), None)):
                process = subprocess.run([CHROOT, root, f"/{BINARY.name}", *arguments], capture_output=True, text=True,
                                         stdin=subprocess.DEVNULL, timeout=60, env={})
                self.assertEqual(0, process.returncode, process.stderr)
                if command:
                    value = document(process)
                    validate(value, command)
                    self.assertEqual(["cpu:0"], [device["id"] for device in value["devices"]])
                else:
                    self.assertEqual("cpu\n", process.stdout)

    @unittest.skipIf(SANITIZED, "a sanitizer needs more than that")
    def test_only_libc_libm_and_the_loader_are_needed(self):
        output = subprocess.run(["readelf", "-d", str(BINARY)], capture_output=True, text=True, check=True).stdout
        needed = {line.split("[")[1].rstrip("]") for line in output.splitlines() if "(NEEDED)" in line}
        self.assertLessEqual({name.split(".so")[0] for name in needed}, {"libc", "libm", "ld-linux-x86-64",
                                                                         "ld-linux-aarch64"}, needed)


class Scarcity(unittest.TestCase):
    def check(self, process, warns=True):
        self.assertEqual(0, process.returncode, process.stderr)
        value = document(process)
        validate(value, value["command"])
        if warns:
            self.assertTrue(value["warnings"], "no warning")
        return value

    def test_no_home(self):
        self.check(run("list", "--json", env=environment(HOME=None, XDG_CACHE_HOME=None)))

    def test_a_home_that_can_not_be_written(self):
        with tempfile.TemporaryDirectory() as directory:
            blocker = pathlib.Path(directory, "file")
            blocker.write_text("")
            self.check(run("list", "--json", env=environment(HOME=blocker, XDG_CACHE_HOME=None)))

    def test_a_cache_that_others_can_write_is_left_alone_and_drivers_cache_nowhere_else(self):
        with tempfile.TemporaryDirectory() as directory:
            home = pathlib.Path(directory)
            cache = home / ".cache" / "whichgpu"
            cache.mkdir(parents=True)
            cache.chmod(0o777)
            before = sorted(home.rglob("*"))
            self.check(run("--json", "--budget", "0.5", "--only", "opencl,vulkan", env=environment(HOME=home, XDG_CACHE_HOME=None)))
            self.assertEqual(before, sorted(home.rglob("*")))

    def test_a_umask_that_closes_everything_takes_no_cache_from_us(self):
        with tempfile.TemporaryDirectory() as directory:
            home, temporary = pathlib.Path(directory, "home"), pathlib.Path(directory, "tmp")
            home.mkdir()
            temporary.mkdir()
            env = environment(HOME=home, XDG_CACHE_HOME=None, TMPDIR=temporary)
            for _ in range(2):
                process = run("recommend", "--budget", "0.5", "--only", "cpu,opencl,vulkan", "--device", "cpu:0", env=env, umask=0o777)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertNotIn("EACCES", process.stderr)
            self.assertEqual([home / ".cache"], list(home.iterdir()))
            self.assertEqual([home / ".cache/whichgpu"], list((home / ".cache").iterdir()), "drivers cache below ours")
            for path in home.rglob("*"):
                with self.subTest(path):
                    least = 0o700 if path.is_dir() else 0o600
                    self.assertEqual(least, path.stat().st_mode & least)
                    self.assertEqual(0, path.stat().st_mode & 0o077, "what the umask keeps from others stays kept")

    @unittest.skipUnless(can_unshare(), "this machine allows no mount namespace")
    def test_a_cache_where_nothing_may_be_executed(self):
        with tempfile.TemporaryDirectory() as directory:
            script = f"mount -t tmpfs -o noexec none {directory} && exec '{BINARY}' --json --budget 0.5 --only cpu,opencl"
            for places, is_said in (({"TMPDIR": "/tmp"}, False), ({"TMPDIR": directory}, True)):
                process = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60,
                                         env=environment(HOME=directory, XDG_CACHE_HOME=None, **places))
                measurements = self.check(process, warns=False)["measurements"]
                crashed = [m["reason"] for m in measurements if m["status"] == "crashed"]
                for reason in crashed:
                    self.assertIn("noexec", reason)
                if not is_said:
                    self.assertEqual([], crashed)

    @unittest.skipUnless(can_unshare(), "this machine allows no mount namespace")
    def test_a_full_disk(self):
        with tempfile.TemporaryDirectory() as directory:
            script = (f"mount -t tmpfs -o size=64k none {directory} && dd if=/dev/zero of={directory}/fill bs=4k "
                      f"2>/dev/null; exec '{BINARY}' list --json")
            process = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60,
                                     env=environment(HOME=directory, TMPDIR=directory, XDG_CACHE_HOME=None))
            self.check(process)

    @unittest.skipIf(SANITIZED, "a sanitizer needs more than that")
    def test_one_gigabyte_of_address_space(self):
        limit = 1 << 30
        self.check(run("list", "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))
        # The processor is the answer even where every measuring process died; on a busy machine a brief run has no figure.
        for seconds in ("0.5", "2", "8"):
            value = self.check(run("--json", "--quick", "--budget", seconds, "--only", "cpu",
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))
            self.assertEqual("cpu", value["recommendations"][0]["backend"])
            figures = [(m["kernel"], m["status"], m.get("reason")) for m in value["measurements"]]
            if "ok" in {status for _, status, _ in figures}:
                return
        self.fail(f"nothing was measured: {figures}")

    def test_an_installed_copy_works_anywhere(self):
        with tempfile.TemporaryDirectory() as directory:
            copy = pathlib.Path(directory, "moved", "whichgpu")
            copy.parent.mkdir()
            shutil.copy(BINARY, copy)
            process = subprocess.run([str(copy), "list", "--json"], capture_output=True, text=True, env=environment(),
                                     cwd="/", timeout=60)
            self.check(process, warns=False)


class Interruption(unittest.TestCase):
    def interrupted(self, arguments, number, delay):
        process = subprocess.Popen([str(BINARY), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment(), start_new_session=True)
        time.sleep(delay)
        children = descendants(process.pid)
        process.send_signal(number)
        started = time.monotonic()
        output, errors = process.communicate(timeout=20)
        self.assertLess(time.monotonic() - started, 5)
        while any(map(lives, children)) and time.monotonic() - started < 10:
            time.sleep(0.02)
        self.assertEqual(set(), set(filter(lives, children)), "they live on")
        return process.returncode, output, errors

    def test_ten_moments(self):
        seed = random.SystemRandom().randrange(1 << 30)
        moments = random.Random(seed)
        rows = [((signal.SIGINT, signal.SIGTERM)[attempt % 2], moments.uniform(0.05, 1)) for attempt in range(10)]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            ends = list(pool.map(lambda row: self.interrupted(["--json", "--thorough"], *row), rows))
        for (number, delay), (code, output, errors) in zip(rows, ends):
            with self.subTest(seed=seed, delay=delay, signal=number):
                self.assertEqual(128 + number, code, errors)
                value = json.loads(output)
                validate(value, "report")
                self.assertTrue(value["interrupted"])

    def test_plain_recommend_prints_nothing_without_an_answer(self):
        rows = (([], r"\A\Z"), (["--format", "shell"], r"\AWHICHGPU_STATUS='none'\n"),
                (["--format", "env"], r"\AWHICHGPU_STATUS=none\nWHICHGPU_BACKEND=\n"))
        with concurrent.futures.ThreadPoolExecutor(len(rows)) as pool:
            ends = pool.map(lambda row: self.interrupted(["recommend", "--thorough", "--no-cache", *row[0]],
                                                         signal.SIGINT, 1.0), rows)
            for (_, expected), (code, output, _) in zip(rows, ends):
                self.assertEqual(130, code)
                self.assertRegex(output, expected)


if __name__ == "__main__":
    main()
