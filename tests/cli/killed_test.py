# SPDX-License-Identifier: MIT
"""The tool is killed at any moment, with no time for a last word, while its drivers start processes that are meant to
outlive it: nothing of them is left, neither a process nor a scratch directory.

    python3 killed_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import time
import unittest

from fake_machine import RUNTIMES, FakeMachine
from harness import BINARY, main

BUILD = os.path.abspath(sys.argv[2])
KILLS = 36
DETACH = ("none", "setsid", "daemon")
# How soon all must be gone: far longer than it takes, for machines that are busy.
PATIENCE_S = 10


def kill_once(moment, detach, hangs):
    """Kills one run after so many seconds; whether it still ran, what lingered, and what is left of it."""
    with FakeMachine(BINARY, BUILD) as machine:
        for runtime in RUNTIMES:
            for point in ("init", "enumerate"):
                acts = [{"at": point, "do": "fork_linger", "detach": detach, "pid_file": machine.pid_file()}]
                acts += [{"at": point, "do": "hang"}] if hangs else []
                machine.add_driver(runtime, f"bad_{point}", {"devices": [], "misbehave": acts})
        scratch = machine.folder / "tmp"
        scratch.mkdir()
        process = subprocess.Popen([str(BINARY), "list", "--timeout", "1"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=machine.work,
                                   env={**machine.environment(), "TMPDIR": str(scratch)}, start_new_session=True)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        ran = process.wait() == -signal.SIGKILL
        end = time.monotonic() + PATIENCE_S
        while (left := machine.survivors() + sorted(scratch.iterdir())) and time.monotonic() < end:
            time.sleep(0.02)
        return ran, any(file.exists() for file in machine.pid_files), left


class Killed(unittest.TestCase):
    def test_it_leaves_nothing_behind(self):
        seed = random.SystemRandom().randrange(1 << 30)
        moments = random.Random(seed)
        rows = [(moments.uniform(0.002, (0.25, 1.5)[hangs]), DETACH[i % 3], bool(hangs))
                for i in range(KILLS) for hangs in [i // 3 % 2]]
        with concurrent.futures.ThreadPoolExecutor(2 + (os.cpu_count() or 1)) as pool:
            ends = list(pool.map(lambda row: kill_once(*row), rows))
        for row, (_, _, left) in zip(rows, ends):
            self.assertEqual([], left, f"killed after {row}, seed {seed}")
        self.assertTrue(any(ran and lingered for ran, lingered, _ in ends), "no kill hit a run with such a process")


if __name__ == "__main__":
    main()
