# SPDX-License-Identifier: MIT
"""Limits that a shell or a service sets on the tool (ulimit): whatever can be answered is answered, and a sentence names
the limit."""
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import tempfile
import unittest

from harness import BINARY, SANITIZED, SOURCE, document, environment, main, run, validate


def limited(what, soft, hard=None, user=None):
    """A preparation of the new process: the limit, and another user where one is named."""
    def prepare():
        resource.setrlimit(what, (soft, soft if hard is None else hard))
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
    return prepare


@unittest.skipIf(SANITIZED, "a sanitizer's runtime has needs of its own")
class Limits(unittest.TestCase):
    maxDiff = None

    def answer(self, sentence, prepare, **options):
        """The document of `list --json`, in which the sentence is a warning."""
        process = run("list", "--json", preexec_fn=prepare, **options)
        self.assertEqual(0, process.returncode, process.stderr)
        value = document(process)
        validate(value, "list")
        self.assertIn("cpu:0", [device["id"] for device in value["devices"]])
        warned = [text for text in value["warnings"] if text.startswith(sentence)]
        self.assertEqual(1, len(warned), value["warnings"])
        return value

    def check_all_asked(self, value):
        for probe in value["probes"]:
            self.assertNotEqual("not started", (probe.get("error") or {}).get("name"), probe)

    def check_refused(self, process, sentence):
        self.assertEqual((3, ""), (process.returncode, process.stdout), process.stderr)
        self.assertEqual(1, process.stderr.count("\n"))
        self.assertIn(sentence, process.stderr)

    def test_too_few_open_files_for_anything(self):
        for count in (4, 8, 10):
            for arguments in ([], ["list"], ["list", "--json"], ["recommend"]):
                with self.subTest(count=count, arguments=arguments):
                    process = run(*arguments, preexec_fn=limited(resource.RLIMIT_NOFILE, count))
                    self.check_refused(process, f"the limit on open files (ulimit -n) is {count}, and whichgpu needs")

    def test_few_open_files(self):
        def survey(count):
            return self.answer(f"the limit on open files (ulimit -n) is {count}, and whichgpu needs at least 64",
                               limited(resource.RLIMIT_NOFILE, count))
        counts = (12, 14, 16, 17, 18, 20, 24, 28, 32, 40, 48, 63)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for count, value in zip(counts, pool.map(survey, counts)):
                if count >= 24:
                    with self.subTest(count=count):
                        self.check_all_asked(value)

    def test_a_replay_blames_the_limit_as_the_recording_run_did(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record"
            live, replayed = (document(process) for process in (
                run("list", "--json", "--record", str(record), preexec_fn=limited(resource.RLIMIT_NOFILE, 12)),
                run("list", "--json", "--replay", str(record))))
        blamed = [finding for finding in live["findings"] if "ulimit -n" in json.dumps(finding)]
        self.assertTrue(blamed, live["findings"])
        self.assertEqual(live["findings"], replayed["findings"])

    def test_recommend_warns_of_few_open_files(self):
        process = run("recommend", "--quick", "--no-cache", "--only", "cpu",
                      preexec_fn=limited(resource.RLIMIT_NOFILE, 18))
        self.assertEqual((0, "cpu\n"), (process.returncode, process.stdout), process.stderr)
        self.assertIn("whichgpu: warning: the limit on open files (ulimit -n) is 18", process.stderr)

    def test_a_limit_that_may_be_raised_is(self):
        process = run("list", "--json", preexec_fn=limited(resource.RLIMIT_NOFILE, 10, 256))
        value = document(process)
        self.assertEqual([], [text for text in value["warnings"] if "ulimit" in text])
        self.check_all_asked(value)

    def test_few_processes(self):
        is_root = os.geteuid() == 0
        with tempfile.TemporaryDirectory(prefix="whichgpu-limits-") as folder:
            os.chmod(folder, 0o777 if is_root else 0o700)
            binary = pathlib.Path(folder, "whichgpu")
            shutil.copy(BINARY, binary)
            binary.chmod(0o755)
            # Root has no such limit. A user that nobody is has no other process that counts.
            user = random.SystemRandom().randrange(20000, 60000) if is_root else None
            env = environment(HOME=folder, XDG_CACHE_HOME=folder, TMPDIR=None)
            for count in (1, 2, 6) if is_root else (1,):
                process_limit = limited(resource.RLIMIT_NPROC, count, user=user)
                with self.subTest(count=count):
                    value = self.answer(f"the limit on processes (ulimit -u) is {count}", process_limit, env=env,
                                        executable=str(binary), cwd=folder)
                    if count > 1:
                        self.check_all_asked(value)
                    else:
                        texts = [str((probe.get("error") or {}).get("text")) for probe in value["probes"]]
                        self.assertTrue(all("the limit on processes (ulimit -u) is 1" in text for text in texts), texts)

    def test_little_memory(self):
        for what, name in ((resource.RLIMIT_AS, "address space (ulimit -v)"), (resource.RLIMIT_DATA, "data (ulimit -d)")):
            for mebibytes in (24, 100, 1024, 2048):
                with self.subTest(limit=name, mebibytes=mebibytes):
                    amount = f"{mebibytes} MiB" if mebibytes < 1024 else f"{mebibytes >> 10} GiB"
                    self.answer(f"the limit on {name} is {amount}: ", limited(what, mebibytes << 20))

    def test_too_little_memory_to_begin(self):
        """Just beyond what the loader needs, before main."""
        def start(kibibytes):
            return run("--version", preexec_fn=limited(resource.RLIMIT_AS, kibibytes << 10))
        too_little, enough = 2 << 10, 64 << 10
        while enough - too_little > 16:
            middle = (too_little + enough) // 2
            if start(middle).returncode in (127, -signal.SIGSEGV, -signal.SIGKILL):
                too_little = middle
            else:
                enough = middle
        for kibibytes in range(enough, enough + 64, 16):
            process = start(kibibytes)
            if process.returncode != 0:
                self.check_refused(process, "there is not enough memory (ulimit -v")

    def test_a_large_file_in_little_memory_is_an_error_or_read(self):
        """What was read of it is taken apart without memory, too."""
        with tempfile.TemporaryDirectory() as folder:
            small = pathlib.Path(folder, "small.json")
            small.write_text(run("--json", "--replay", SOURCE / "tests" / "fixtures" / "plain_server").stdout)
            large = pathlib.Path(folder, "large.json")
            large.write_text(small.read_text().rstrip()[:-1] + ',"x":[' + "[]," * 1_000_000 + "[]]}")
            codes = set()
            for mebibytes in (48, 64, 96, 128, 4096):
                process = run("compare", large, small, preexec_fn=limited(resource.RLIMIT_AS, mebibytes << 20))
                codes.add(process.returncode)
                if process.returncode != 0:
                    self.check_refused(process, "the limit on address space (ulimit -v) is ")
            self.assertEqual({0, 3}, codes)

    def test_small_stacks(self):
        self.answer("the limit on stacks (ulimit -s) is 128 KiB: ", limited(resource.RLIMIT_STACK, 128 << 10))
        for arguments in (["list", "--json"], ["recommend"]):
            self.check_refused(run(*arguments, preexec_fn=limited(resource.RLIMIT_STACK, 32 << 10)),
                               "the limit on stacks (ulimit -s) is 32 KiB, and whichgpu needs 64 KiB")

    def test_the_smallest_stack_that_is_enough(self):
        fixture = SOURCE / "tests" / "fixtures" / "plain_server"
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            report.write_text(run("--json", "--replay", fixture).stdout)
            request = pathlib.Path(folder, "request.json")
            request.write_text('{"inference": {"prompt_tokens": 28}}')
            for arguments in (["list"], ["--json", "--replay", fixture], ["--replay", fixture, "--verbose"],
                              ["compare", report, report], ["recommend", "--replay", fixture, "--why"],
                              ["--replay", fixture, "--request", request],
                              ["--only", "cpu", "--budget", "0.1"], ["list", "--record", f"{folder}/kept"]):
                with self.subTest(arguments):
                    process = run(*arguments, preexec_fn=limited(resource.RLIMIT_STACK, 64 << 10))
                    self.assertEqual(0, process.returncode, process.stderr)
                    least = run(*arguments, preexec_fn=limited(resource.RLIMIT_STACK, (64 << 10) - 4096))
                    self.check_refused(least, "the limit on stacks (ulimit -s) is 60 KiB, and whichgpu needs 64 KiB")

    def test_no_file_may_grow(self):
        self.answer("the limit on the size of files (ulimit -f) is 0 bytes: ", limited(resource.RLIMIT_FSIZE, 0))

    def test_little_processor_time(self):
        self.answer("the limit on processor time (ulimit -t) is 1 s: ", limited(resource.RLIMIT_CPU, 1))


if __name__ == "__main__":
    main()
