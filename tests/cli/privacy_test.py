#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A record names nobody: neither in its files' content nor in their names. The machine here is one full of names."""
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from harness import environment, main, run

OWN, SUDO, OTHER, MOUNTED = "zaphodb", "trilliana", "marvinp", "slartib"
HOST, DOMAIN = "heartofgold", "magrathea.example"
CONTAINER = "5eb63bbbe01eeed093cb22bb8f5acdc35eb63bbbe01eeed093cb22bb8f5acdc3"
SHORT = "98d009605b1b257cd2c4abe92e248f60"  # what some container runtimes take: a UUID without dashes
POD = "1b4f3c9e_89ab_4def_8123_456789abcdef"
ADDRESS = "10.42.17.3"
SECRETS = (OWN, SUDO, OTHER, MOUNTED, HOST, "magrathea", CONTAINER, SHORT, POD, POD.replace("_", "-"), ADDRESS)
GROUP = f"/kubepods.slice/kubepods-pod{POD}.slice/docker-{CONTAINER}.scope/{SHORT}"


class Record(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="whichgpu-test-")
        self.addCleanup(holder.cleanup)
        self.directory = pathlib.Path(holder.name)

    def machine(self):
        """A sysroot whose files hold all the names."""
        root = self.directory / "machine"
        files = {
            "etc/hostname": f"{HOST}.{DOMAIN}\n",
            "etc/passwd": f"root:x:0:0::/root:/bin/sh\n{OTHER}:x:1001:1001::/home/{OTHER}:/bin/sh\n",
            "proc/cpuinfo": f"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: CPU of {OTHER} on {HOST}\n",
            "proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: 500000 kB\n",
            "proc/self/cgroup": f"0::{GROUP}\n",
            "proc/self/mountinfo":
                f"40 23 0:50 / /home/{MOUNTED} rw - nfs4 {ADDRESS}:/export/{MOUNTED} rw,addr={ADDRESS}\n"
                "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            f"sys/fs/cgroup{GROUP}/cpu.max": "200000 100000\n",
            f"sys/fs/cgroup{GROUP}/memory.max": "max\n",
        }
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return root

    def names(self, **changes):
        return environment(USER=OWN, LOGNAME=OWN, SUDO_USER=SUDO, HOSTNAME=f"{HOST}.{DOMAIN}", **changes)

    def assert_names_nobody(self, record, secrets=SECRETS):
        paths = list(record.rglob("*"))
        self.assertTrue(paths)
        for path in paths:
            text = str(path.relative_to(record)) + "\n" + (path.read_bytes().decode(errors="replace") if path.is_file() else "")
            for secret in secrets:
                self.assertNotIn(secret, text, path)

    def test_a_machine_full_of_names_is_recorded_without_them(self):
        record = self.directory / "record"
        arguments = ("list", "--json", "--sysroot", self.machine())
        first = run(*arguments, "--record", record, env=self.names(HOME=f"/home/{OWN}"))
        self.assertEqual(0, first.returncode, first.stderr)
        self.assert_names_nobody(record)
        groups = list((record / "files/sys/fs/cgroup").rglob("cpu.max"))
        self.assertEqual(1, len(groups), "the group's file lies where the recorded path of the group leads")
        path = (record / "files/proc/self/cgroup").read_text().strip().removeprefix("0::")
        self.assertEqual(groups[0], record / f"files/sys/fs/cgroup{path}/cpu.max")
        second = run("list", "--json", "--replay", record)
        self.assertEqual(first.stdout, second.stdout)

    def test_a_warning_about_a_home_does_not_name_it(self):
        home = self.directory / "home" / OWN
        home.parent.mkdir()
        home.touch()
        record = self.directory / "record"
        first = run("list", "--json", "--record", record, env=self.names(HOME=home, XDG_CACHE_HOME=None))
        self.assertEqual(0, first.returncode, first.stderr)
        self.assertIn("/home/user", str(json.loads(first.stdout)["warnings"]))
        self.assert_names_nobody(record, (OWN, SUDO))

    def test_the_files_of_homes_lie_below_pseudonyms(self):
        home = self.directory / "home" / OWN
        other = self.directory / "home" / OTHER
        for folder in (home / ".local/share/vulkan/icd.d", other / "icd.d"):
            folder.mkdir(parents=True)
            (folder / f"{OTHER}.json").write_text(json.dumps({
                "file_format_version": "1.0.0",
                "ICD": {"library_path": f"/home/{OTHER}/lib{OWN}.so", "api_version": "1.3.0"}}))
        env = self.names(HOME=home, XDG_CACHE_HOME=self.directory / "cache", XDG_DATA_HOME=None)
        env["VK_ADD_DRIVER_FILES"] = str(other / "icd.d")
        record = self.directory / "record"
        first = run("list", "--json", "--record", record, env=env)
        self.assertEqual(0, first.returncode, first.stderr)
        # "libzaphodb.so" is a word of its own, which a driver's author chose.
        self.assert_names_nobody(record, (f"/{OWN}", f"/{OTHER}/", SUDO, HOST))
        self.assertEqual(first.stdout, run("list", "--json", "--replay", record).stdout)

    def test_an_ordinary_word_for_a_name_destroys_nothing(self):
        plain = self.directory / "plain"
        self.assertEqual(0, run("list", "--record", plain, env=environment(HOME="/home/zaphodb", USER="zaphodb")).returncode)
        for name in ("gpu", "a", "cpu", "native", "ok", "cuda"):
            with self.subTest(name):
                record = self.directory / name
                env = environment(HOME=f"/home/{name}", USER=name)
                first = run("list", "--json", "--record", record, env=env)
                self.assertEqual(0, first.returncode, first.stderr)
                second = run("list", "--json", "--replay", record)
                self.assertEqual((0, first.stdout), (second.returncode, second.stdout), second.stderr)
                shape = lambda of: [(p["module"], p["outcome"], [d["driver"] for d in p["devices"]])
                                    for p in json.loads((of / "record.json").read_text())["probes"]]
                self.assertEqual(shape(plain), shape(record))
                shutil.rmtree(record)


if __name__ == "__main__":
    main()
