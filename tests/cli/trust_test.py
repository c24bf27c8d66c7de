#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whose files are believed and where something is written: root in a user namespace, root with another user's home,
set-uid copies, paths of searches."""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import BINARY, SANITIZED, document, environment, main, run

BUILD = pathlib.Path(sys.argv[2]).resolve()
IS_ROOT = os.geteuid() == 0
USER = 12345
# As that user where root runs the tests, else as who runs them.
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups") if IS_ROOT else ()
ROOT_OF_NAMESPACE = (*AS_USER, "unshare", "-Ur")


@functools.cache
def has_user_namespaces():
    try:
        return subprocess.run([*ROOT_OF_NAMESPACE, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@functools.cache
def honours_set_uid(directory):
    """Whether root may lend rights by a file there."""
    flags = os.statvfs(directory).f_flag
    return IS_ROOT and shutil.which("setpriv") is not None and not flags & os.ST_NOSUID and not flags & os.ST_NOEXEC


class Directory(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="whichgpu-test-")
        self.addCleanup(holder.cleanup)
        self.directory = pathlib.Path(holder.name)
        self.directory.chmod(0o755)

    def folder(self, name, owner=None, mode=0o755):
        folder = self.directory / name
        folder.mkdir()
        folder.chmod(mode)
        if owner is not None and IS_ROOT:
            os.chown(folder, owner, owner)
        return folder

    def binary(self):
        """A copy that any user may run, wherever the build lies."""
        copy = self.directory / "whichgpu"
        shutil.copy(BINARY, copy)
        copy.chmod(0o755)
        return copy

    def answer(self, prefix, env, *arguments):
        process = subprocess.run([*prefix, str(self.binary()), "list", "--json", *arguments], env=env, capture_output=True,
                                 text=True, stdin=subprocess.DEVNULL, timeout=60, cwd="/")
        self.assertEqual(0, process.returncode, process.stderr)
        return document(process)


@unittest.skipUnless(has_user_namespaces(), "this machine allows no user namespace")
@unittest.skipIf(SANITIZED, "a sanitizer and a namespace do not go together")
class RootInAUserNamespace(Directory):
    @staticmethod
    def seen(value):
        return ({(view["runtime"], view["driver"]) for device in value["devices"] for view in device["views"]},
                {probe["module"]: probe["outcome"] for probe in value["probes"]})

    def test_finds_the_drivers_of_the_machine_and_uses_a_cache(self):
        home = self.folder("home", USER)
        env = environment(HOME=home, XDG_CACHE_HOME=None, TMPDIR=None)
        outside = self.answer(AS_USER, env)
        shutil.rmtree(home / ".cache")
        inside = self.answer(ROOT_OF_NAMESPACE, env)
        self.assertEqual(self.seen(outside), self.seen(inside))
        self.assertNotIn("belongs to user", str(inside))
        self.assertTrue((home / ".cache" / "whichgpu").is_dir())

    @unittest.skipUnless(IS_ROOT, "needs root to own what the namespace shows as nobody's")
    def test_takes_a_driver_of_the_machines_root_and_none_that_others_write(self):
        libraries = self.folder("lib")
        shutil.copy(BUILD / "tests/fakes/cuda/fake_cuda/libcuda.so.1", libraries)
        env = environment(WHICHGPU_LIBRARY_PATH=libraries, HOME=self.folder("home", USER), XDG_CACHE_HOME=None, TMPDIR=None)
        self.assertIn(("cuda", "ok"), self.seen(self.answer(ROOT_OF_NAMESPACE, env, "--only", "cuda"))[1].items())
        (libraries / "libcuda.so.1").chmod(0o666)
        probes = self.answer(ROOT_OF_NAMESPACE, env, "--only", "cuda")["probes"]
        probe = next(probe for probe in probes if probe["module"] == "cuda")
        self.assertEqual(("failed", "load", "refused"), (probe["outcome"], probe["stage"], probe["error"]["name"]))
        self.assertIn("libcuda.so.1 can be written by others than root", probe["error"]["text"])

    @unittest.skipUnless(IS_ROOT, "needs root to give a home to somebody who is not in the namespace")
    def test_a_home_of_nobody_in_it_means_no_cache_and_one_warning(self):
        home = self.folder("home", USER + 1, 0o777)
        value = self.answer(ROOT_OF_NAMESPACE, environment(HOME=home, XDG_CACHE_HOME=None, TMPDIR=None))
        self.assertEqual([], list(home.iterdir()))
        told = [warning for warning in value["warnings"] if str(home) in warning]
        self.assertEqual(1, len(told), value["warnings"])

    @unittest.skipUnless(IS_ROOT, "needs root to give a file to somebody who is not in the namespace")
    def test_what_others_can_write_is_refused_and_no_driver_is_blamed(self):
        icd = self.directory / "open.icd"
        icd.write_text("/usr/lib/libopen-to-all.so\n")
        icd.chmod(0o666)
        os.chown(icd, USER + 1, USER + 1)
        value = self.answer(ROOT_OF_NAMESPACE, environment(OCL_ICD_VENDORS=icd, TMPDIR=None))
        text = str([finding for finding in value.get("findings", []) if finding.get("runtime") == "opencl"])
        self.assertNotIn("reinstall", text)
        self.assertNotIn("update", text)
        self.assertIn("can be written by others", str(value["probes"]))


@unittest.skipUnless(IS_ROOT, "needs root to have somebody else's home")
class RootWithAnothersHome(Directory):
    def test_makes_nothing_there_and_says_why(self):
        home = self.folder("home", USER)
        value = document(run("list", "--json", env=environment(HOME=home, XDG_CACHE_HOME=None)))
        self.assertEqual([], list(home.iterdir()))
        told = [warning for warning in value["warnings"] if str(home) in warning]
        self.assertEqual(1, len(told), value["warnings"])
        self.assertIn(f"belongs to user {USER}", told[0])

    def test_follows_no_link_there(self):
        home, target = self.folder("home", USER), self.folder("target")
        (home / ".cache").symlink_to(target)
        os.chown(home / ".cache", USER, USER, follow_symlinks=False)
        self.assertEqual(0, run("list", env=environment(HOME=home, XDG_CACHE_HOME=None)).returncode)
        self.assertEqual([], list(target.iterdir()))


@unittest.skipUnless(IS_ROOT, "only root's searches are confined to root's folders")
class Searches(Directory):
    def test_no_driver_finds_programs_or_libraries_of_others(self):
        folder = self.folder("foreign", USER)
        env = environment(LD_LIBRARY_PATH=f"/nonexistent;{folder}")
        env["PATH"] = f"{folder}:{env['PATH']}"
        warnings = document(run("list", "--json", env=env))["warnings"]
        for variable in ("PATH", "LD_LIBRARY_PATH"):
            self.assertEqual(1, len([w for w in warnings if w.startswith(f"{variable}: {folder} is left out")]), warnings)


class DriverCaches(Directory):
    def test_are_bounded_by_a_run_that_measures(self):
        big = self.directory / "whichgpu" / "drivers" / "somebodys" / "old"
        big.parent.mkdir(parents=True)
        (self.directory / "whichgpu").chmod(0o700)
        with big.open("wb") as file:
            file.truncate((256 << 20) + 1)
        env = environment(XDG_CACHE_HOME=self.directory)
        self.assertEqual(0, run("list", "--only", "cpu", env=env).returncode)
        self.assertTrue(big.exists(), "a list does not look")
        self.assertEqual(0, run("--only", "cpu", "--budget", "0.3", env=env).returncode)
        self.assertFalse(big.exists())


@unittest.skipUnless(honours_set_uid(tempfile.gettempdir()), "needs root, setpriv, and a temporary directory without nosuid")
@unittest.skipIf(SANITIZED, "a sanitizer and set-uid do not go together")
class SetUid(Directory):
    def lent(self, mode):
        copy = self.binary()
        copy.chmod(mode)
        return copy

    def run_as_user(self, mode, *arguments):
        return subprocess.run([*AS_USER, str(self.lent(mode)), *map(str, arguments)], env=environment(), text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60, cwd="/")

    def test_writes_nowhere_but_where_its_caller_may(self):
        closed = self.folder("closed", mode=0o700)
        for mode in (0o4755, 0o2755, 0o6755):
            process = self.run_as_user(mode, "list", "--record", closed / "record")
            self.assertEqual(2, process.returncode, (oct(mode), process.stderr))
            self.assertEqual([], list(closed.iterdir()))

    def test_works_as_its_caller(self):
        own = self.folder("own", USER)
        for mode in (0o4755, 0o2755):
            record = own / f"record{mode}"
            process = self.run_as_user(mode, "list", "--record", record)
            self.assertEqual(0, process.returncode, process.stderr)
            for path in (record, *record.rglob("*")):
                self.assertEqual((USER, USER), (path.stat().st_uid, path.stat().st_gid), path)


if __name__ == "__main__":
    main()
