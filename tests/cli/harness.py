# SPDX-License-Identifier: MIT
"""Runs the real binary as a user would. Tests get its path as the first argument and the build tree as the second."""
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

BINARY = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 60
ENDING_S = 20  # that a run which is asked to end takes at most, on a busy machine, too
# Whose runtime needs libraries, address space and /proc of its own.
SANITIZED = b"__asan_init" in BINARY.read_bytes() or b"__tsan_init" in BINARY.read_bytes()


def environment(**changes):
    """The test's own environment without what would bend the result; a value of None removes a variable."""
    result = {name: value for name, value in os.environ.items()
              if name == "WHICHGPU_CPU_ISA"  # the suite may run as on a lesser processor
              or not name.startswith(("VK_", "OCL_", "WHICHGPU_", "OPENBLAS_", "LIBRARY_PATH", "LD_"))}
    result.setdefault("XDG_CACHE_HOME", CACHE.name)
    for name, value in changes.items():
        result.pop(name, None)
        if value is not None:
            result[name] = str(value)
    return result


def vendor_library(pattern):
    """A vendor's library of a package that is installed, or unpacked below build/vendor by ./dev test; None without."""
    roots = (pathlib.Path("/"), pathlib.Path(sys.argv[2]).resolve().parent / "vendor" / "root")
    found = (path for root in roots for path in sorted(root.glob(f"usr/lib/*-linux-gnu/{pattern}")))
    return next(found, None)


def vulkan_manifest(driver):
    """The registration of an installed Mesa driver, whose name has the machine's until Debian 12; the later without one."""
    folder = pathlib.Path("/usr/share/vulkan/icd.d")
    return next(iter(sorted(folder.glob(f"{driver}_icd.*json"))), folder / f"{driver}_icd.json")


def run(*arguments, env=None, prefix=(), **options):
    """The finished process, with text output."""
    options.setdefault("timeout", LIMIT_S)
    return subprocess.run([*prefix, str(BINARY), *map(str, arguments)], env=environment() if env is None else env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)


def measures(*arguments, env):
    """Whether a run begins to measure, which its own turn at a device shows; it is then ended, as the rest of its budget would
    show no more. One that answers from kept figures ends by itself, in time and well: else it is an error."""
    locks = pathlib.Path(env["XDG_CACHE_HOME"]) / "whichgpu"
    with tempfile.TemporaryFile("w+") as stderr, subprocess.Popen(
            [str(BINARY), *map(str, arguments)], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=stderr) as process:
        try:
            end = time.monotonic() + LIMIT_S
            while process.poll() is None:
                if any(lock.read_text() == str(process.pid) for lock in locks.glob("device-*.lock")):
                    return True
                if time.monotonic() > end:
                    raise AssertionError(f"after {LIMIT_S} s it has neither measured nor ended")
                time.sleep(0.01)
        finally:
            _end(process)
        if process.returncode != 0:
            stderr.seek(0)
            raise AssertionError(f"it ended with {process.returncode}: {stderr.read()[-500:]}")
        return False


def _end(process):
    """Asks it to end, and kills it where it does not."""
    process.terminate()  # nothing where it has ended
    try:
        process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()


def document(process):
    """The one JSON object that stdout must be."""
    text = process.stdout
    if not text.endswith("\n") or text.endswith("\n\n"):
        raise AssertionError(f"stdout does not end in one newline: {text[-80:]!r}\n{process.stderr}")
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name):
    raise AssertionError(f"{name} is no JSON number")


def closed(schema):
    """The schema with no room for keys that it does not describe."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        out["additionalProperties"] = False
    return out


@functools.cache
def _validator(command):
    import jsonschema
    schemas = {path.stem: json.loads(path.read_text()) for path in (SOURCE / "data" / "schema").glob("*.json")}
    schema = schemas[command]
    jsonschema.Draft202012Validator.check_schema(schema)
    with warnings.catch_warnings():
        # Debian 12's release of the package has no other way to resolve references between files.
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(schema["$id"], schema, store={one["$id"]: one for one in schemas.values()})
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def validate(value, command):
    """Holds a document against data/schema/<command>.json; needs python3-jsonschema, which the suite installs."""
    _validator(command).validate(value)


@functools.cache
def can_unshare():
    """Whether this machine lets a test have a mount namespace of its own."""
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)


CACHE = tempfile.TemporaryDirectory(prefix="whichgpu-test-cache-")
