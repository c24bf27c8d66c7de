# SPDX-License-Identifier: MIT
"""Asks the program whichgpu which compute backend to use on this machine, and hands back its JSON.

    whichgpu.report(quick=True)["devices"]
    whichgpu.recommend(target="pytorch")["recommendation"]["command"]

Every option of the program is a keyword, written with underscores: True is an option without a value, a list is the option
once for each of its entries, and None or False leaves it out. What the objects hold is in the program's data/schema."""
import json as _json
import os
import shutil
import stat
import subprocess
import threading
from typing import Any, Dict, List, Optional, Sequence, Union

__all__ = ["WhichgpuError", "WhichgpuTimeout", "executable", "recommend", "report"]

Word = Union[str, int, float, "os.PathLike[str]"]
Option = Union[None, bool, Word, Sequence[Word]]

_GRACE_S = 3.0  # an interrupted run ends its drivers' processes, and has two seconds for that (docs/contract.md)
# Of the program's options those that have another answer than a report: of the code of --exit-code nothing would be seen.
_NOT_ASKED = {"json", "format", "exit_code", "help", "version"}


class WhichgpuError(Exception):
    """The program gave no answer. `exit_code` is its own (1: a requirement is not met, or nothing fits; 2: bad usage or input;
    3: internal error; 128 + n: ended by signal n; None: it could not be started), str() its reason, `stderr` all that it said,
    and `answer` the object that it printed all the same, or None: it says what was rejected."""

    def __init__(self, message: str, exit_code: Optional[int] = None, stderr: str = "",
                 answer: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.stderr = stderr
        self.answer = answer


class WhichgpuTimeout(WhichgpuError):
    """The program was interrupted, for it took longer than `timeout`. `answer` has what was known by then, if anything."""


def executable() -> str:
    """The path of the program: that of this package, or, where the module stands without one, that of PATH."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "whichgpu")
    if not os.path.exists(own):
        # Not from the working directory, where anybody may have put one.
        folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
        found = os.environ.get("WHICHGPU_PROGRAM") or shutil.which("whichgpu", path=os.pathsep.join(folders))
        if found is None:
            raise WhichgpuError("there is no program whichgpu beside this module ({}), nor in PATH".format(own))
        return found
    if not os.access(own, os.X_OK):  # unpacked by what knows no permissions, as Python's own zipfile
        try:
            os.chmod(own, os.stat(own).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        except OSError as error:
            raise WhichgpuError("{} may not be executed, and its permissions can not be changed: {}".format(
                own, error.strerror)) from error
    return own


def report(*, timeout: Optional[float] = None, **options: Option) -> Dict[str, Any]:
    """What is in this machine, measured and judged: the object of `whichgpu --json` (schema/report.json). It takes about 6 s,
    with quick=True 3 s. After `timeout` seconds the run is interrupted, and WhichgpuTimeout raised."""
    return _ask([], options, timeout)


def recommend(target: Optional[str] = None, *, timeout: Optional[float] = None, **options: Option) -> Dict[str, Any]:
    """The backend to use, or with `target` the build of that program to install: the object of `whichgpu recommend --json`
    (schema/recommend.json). Raises WhichgpuError with the code 1 where nothing fits or `require` is not met."""
    return _ask(["recommend"], dict(options, target=target), timeout)


def _arguments(options: Dict[str, Option]) -> List[str]:
    out: List[str] = []
    for name, value in options.items():
        if name.strip("_") in _NOT_ASKED:
            raise TypeError("{}= can not be asked for: the answer is always the object of --json".format(name))
        option = "--" + name.strip("_").replace("_", "-")  # for_, since `for` is a word of Python's
        if value is None or value is False:
            continue
        if value is True:
            out.append(option)
            continue
        single = isinstance(value, (str, int, float, os.PathLike))
        for word in [value] if single else value:  # type: ignore[union-attr]
            out.append("{}={}".format(option, os.fspath(word) if isinstance(word, os.PathLike) else word))
    return out


def _ask(command: List[str], options: Dict[str, Option], timeout: Optional[float]) -> Dict[str, Any]:
    arguments = [executable(), *command, "--json", *_arguments(options)]
    try:
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise WhichgpuError("{} can not be started: {}".format(arguments[0], error.strerror)) from error
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
            late = ""
        except subprocess.TimeoutExpired:
            stdout, stderr = _interrupt(process)
            late = "whichgpu took longer than {} s".format(timeout)
        except BaseException:
            _interrupt(process)
            raise
    text = stderr.decode("utf-8", "replace")
    answer = _object(stdout)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    if late:
        raise WhichgpuTimeout(late, code, text, answer)
    if code != 0:
        raise WhichgpuError(_reason(text) or "whichgpu ended with {}".format(code), code, text, answer)
    if answer is None:
        raise WhichgpuError("whichgpu printed no JSON object", code, text)
    return answer


def _interrupt(process: "subprocess.Popen[bytes]") -> "tuple[bytes, bytes]":
    """Ends the run as Ctrl-C would, so that it leaves no driver's process behind; by force where that takes too long."""
    process.terminate()
    killer = threading.Timer(_GRACE_S, process.kill)
    killer.start()
    try:
        return process.communicate()
    finally:
        killer.cancel()


def _object(stdout: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = _json.loads(stdout.decode("utf-8"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _reason(stderr: str) -> str:
    """The last line that it said is its reason (docs/contract.md)."""
    lines = stderr.strip().splitlines()
    last = lines[-1] if lines else ""
    return last[len("whichgpu: "):] if last.startswith("whichgpu: ") else last
