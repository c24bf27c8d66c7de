# SPDX-License-Identifier: MIT
"""The library as a host in Python loads it, and stand-ins for the program."""
import ctypes
import os
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OK, NO_ANSWER, BAD_INPUT, INTERNAL, NO_PROGRAM, TIMED_OUT = range(6)


class Result(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("json", ctypes.c_char_p), ("error", ctypes.c_char_p)]


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name in ("whichgpu_report", "whichgpu_recommend"):
            function = getattr(self.library, name)
            function.restype, function.argtypes = ctypes.POINTER(Result), [ctypes.c_char_p]
        self.library.whichgpu_free.restype, self.library.whichgpu_free.argtypes = None, [ctypes.POINTER(Result)]

    def ask(self, name, options):
        """(status, json, error) of options as bytes or None."""
        result = getattr(self.library, "whichgpu_" + name)(options)
        try:
            return result.contents.status, result.contents.json, (result.contents.error or b"").decode()
        finally:
            self.library.whichgpu_free(result)


def script(folder, text, name="whichgpu"):
    """A program in the place of whichgpu."""
    path = pathlib.Path(folder) / name
    path.write_text(f"#!{sys.executable}\n# -*- coding: utf-8 -*-\n{text}\n")
    path.chmod(0o755)
    return path


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))
