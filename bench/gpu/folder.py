# SPDX-License-Identifier: MIT
"""Where a check keeps everything that its parts say, each of which ends in its time."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

GRACE_S = 3  # for what prints what it has when it is asked to end
TAIL_LINES, TAIL_LETTERS = 3, 400  # of what a program that failed said last

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)  # which ask us to end
PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
LIBC = ctypes.CDLL(None)


class Ended(BaseException):
    """Somebody asks us to end. No error: nobody who mends those may keep it."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def ignore_ends():
    """What is still to be done takes no time, and is worth more than to end a little earlier."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def end_when_asked():
    """So that what was started ends with us, which has a session of its own, and what there is is told."""
    def ended(number, _):
        ignore_ends()
        raise Ended(number)
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, ended)


def ends_with_us(mask=None):
    """What a child does before it becomes its program, so that it ends when we do, however that comes. The kernel takes for
    that the end of the thread which has started the child: it has to be our first one."""
    parent = os.getpid()

    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
        if os.getppid() != parent:
            os._exit(1)
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return prepare


class OutOfTime(str):
    """Why a program did not run to its end that is no fault of its own: the time of others was up."""


def say(text):
    print(f"gpu_check: {text}", file=sys.stderr, flush=True)


class NotStarted(str):
    """Why a program could not be started at all."""


def words_of(end):
    """What became of a program, for people."""
    if isinstance(end, int):
        with contextlib.suppress(ValueError):
            return f"it ended with {end}" if end >= 0 else f"killed by {signal.Signals(-end).name}"
        return f"killed by signal {-end}"
    return end


def kill_with_children(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_with_children(command, most_s, **more):
    """Its exit status. Where it does not end it is asked to, and whatever it has started ends with it, and is no neighbour
    of the next."""
    process = None
    # What ends us waits until it is known whom else it ends.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        process = subprocess.Popen(command, start_new_session=True, preexec_fn=ends_with_us(mask), **more)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        try:
            return process.wait(most_s)
        except subprocess.TimeoutExpired as late:
            process.terminate()
            try:
                process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                pass
            raise late
    except BaseException:
        if process:
            kill_with_children(process)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class Folder:
    """Where everything is kept, until the time is up."""

    def __init__(self, path, all_s):
        self.path = path.resolve()
        self.path.mkdir(parents=True, exist_ok=True)
        self.start = time.monotonic()
        self.end = self.start + all_s
        self.took, self.at = {}, "nothing"  # and what was begun last

    def left_s(self):
        return self.end - time.monotonic()

    def run(self, name, command, most_s, out="txt", **more):
        """What became of it: an exit status, or words. Its output is there even where it was killed."""
        if self.left_s() <= 1:
            return OutOfTime("not run: the time was up")
        if most_s <= 1:
            return OutOfTime("not run: others took the time of its part")
        left_s = min(most_s, self.left_s())
        say(f"{name}, {left_s:.0f} s at most")
        self.at = name
        start = time.monotonic()
        with open(self.path / f"{name}.{out}", "w") as stdout, open(self.path / f"{name}.err", "w") as stderr:
            try:
                return run_with_children(command, left_s, stdout=stdout, stderr=stderr, **more)
            except subprocess.TimeoutExpired:
                why = f"killed after {left_s:.0f} s"
                return why if left_s == most_s else OutOfTime(f"{why}: the time was up")
            except OSError as error:
                return NotStarted(error)
            finally:
                self.took[name] = time.monotonic() - start

    def run_tidily(self, name, command, most_s):
        """The same of what makes temporary folders and may be killed before it removes them."""
        temporary = pathlib.Path(tempfile.mkdtemp(prefix="temporary_", dir=self.path))
        try:
            return self.run(name, command, most_s, env={**os.environ, "TMPDIR": str(temporary)})
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def run_watched(self, name, command, most_s, watches, **more):
        """The same, with other commands beside it, whose output is there as well."""
        watching = []
        with open(self.path / f"{name}.watched", "a") as said:
            try:
                for watch in watches:
                    try:
                        watching.append(subprocess.Popen(watch, stdout=said, stderr=subprocess.DEVNULL,
                                                         preexec_fn=ends_with_us()))
                    except OSError:
                        pass  # the tool of a maker of whom there is nothing here
                return self.run(name, command, most_s, **more)
            finally:
                for process in watching:
                    process.kill()
                    process.wait()

    @contextlib.contextmanager
    def beside(self, name, command):
        """A program that is at work meanwhile, whose output is there as well; it is ended with whatever it has started."""
        with open(self.path / f"{name}.txt", "w") as stdout, open(self.path / f"{name}.err", "w") as stderr:
            process = subprocess.Popen(command, stdout=stdout, stderr=stderr, start_new_session=True,
                                       preexec_fn=ends_with_us())
            try:
                yield process
            finally:
                kill_with_children(process)

    def read(self, name):
        file = self.path / name
        return file.read_text(errors="replace") if file.exists() else ""

    def tail(self, name):
        """The last that a program said on stderr, in a line."""
        said = "; ".join(line.strip() for line in self.read(f"{name}.err").strip().splitlines()[-TAIL_LINES:])
        return said[-TAIL_LETTERS:] or "it said nothing"

    def last_line(self, name):
        return (self.read(name).strip().splitlines() or ["it said nothing"])[-1]
