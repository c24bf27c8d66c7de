# SPDX-License-Identifier: MIT
"""A machine with fake drivers: copies of the fakes, each with its scenario, and the environment that shows them to
the tool and hides everything else. Standard library only."""
import contextlib
import errno
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import uuid

TOKEN = "WHICHGPU_TEST_TOKEN"
# runtime -> what its manifests look like and the variable through which its loader finds them
RUNTIMES = {
    "vulkan": {"suffix": ".json", "variable": "VK_DRIVER_FILES", "folder": False},
    "opencl": {"suffix": ".icd", "variable": "OCL_ICD_VENDORS", "folder": True},
}


class Run:
    """What one run of the tool printed, and what it left behind."""

    def __init__(self, status, stdout, stderr, elapsed_s, survivors):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.elapsed_s = elapsed_s
        self.survivors = survivors
        self.value = None  # of its answer, for tests of several that look at one run


def run_until(enough, attempt, budgets_s):
    """The first of ever longer runs that is enough, else the last: a machine that has something else to do may measure too
    little in a short one. One that fails is not tried again."""
    for budget_s in budgets_s:
        done = attempt("--budget", str(budget_s))
        if done.status != 0 or enough(json.loads(done.stdout)):
            break
    return done


def failures(value, runtime):
    """Of that runtime's figures how those ended that did not go well; what lacked time only is none."""
    return {m["status"] for m in value["measurements"] if m["runtime"] == runtime} & {
        "failed", "wrong_result", "crashed", "timed_out"}


class FakeMachine:
    """A scratch folder with drivers; a context manager that removes it and ends what survived."""

    def __init__(self, binary, build):
        self.binary = binary
        self.build = pathlib.Path(build)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fake_machine_"))
        self.token = uuid.uuid4().hex
        self.manifests = {runtime: [] for runtime in RUNTIMES}
        self.pid_files = []
        self.work = self._folder("work")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.survivors():
            with contextlib.suppress(OSError):
                os.kill(pid, 9)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _folder(self, name):
        folder = self.folder / name
        folder.mkdir(mode=0o755, exist_ok=True)
        return folder

    def pid_file(self):
        self.pid_files.append(self.folder / f"pid_{len(self.pid_files)}")
        return str(self.pid_files[-1])

    def add_driver(self, runtime, name, scenario):
        """Registers a copy of the runtime's fake under that name; returns the manifest's path."""
        folder = self._folder(runtime)
        library = folder / f"lib{name}.so"
        shutil.copyfile(self.build / f"tests/fakes/fake_{runtime}/libfake_{runtime}.so", library)
        library.with_name(library.name + ".scenario.json").write_text(json.dumps(scenario))
        return self._register(runtime, name, library)

    def add_real_driver(self, runtime, manifest):
        """Registers an installed driver beside the fakes."""
        if RUNTIMES[runtime]["folder"]:
            return self._register(runtime, pathlib.Path(manifest).stem, manifest.read_text().strip())
        self.manifests[runtime].append(str(manifest))
        return str(manifest)

    def _register(self, runtime, name, library):
        manifest = self._folder(runtime) / (name + RUNTIMES[runtime]["suffix"])
        icd = {"library_path": str(library), "api_version": "1.3.0"}
        text = json.dumps({"file_format_version": "1.0.0", "ICD": icd}) if runtime == "vulkan" else f"{library}\n"
        manifest.write_text(text)
        self.manifests[runtime].append(str(manifest))
        return str(manifest)

    def environment(self):
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self._folder("home")),
                       "XDG_CACHE_HOME": str(self._folder("cache")), "LC_ALL": "C.UTF-8", TOKEN: self.token,
                       # A driver's silent exit must stay one in a sanitized build.
                       "ASAN_OPTIONS": "detect_leaks=0"}
        for runtime, row in RUNTIMES.items():
            listed = ":".join(self.manifests[runtime])
            environment[row["variable"]] = str(self._folder(runtime)) if row["folder"] else listed
        environment["VK_ICD_FILENAMES"] = environment["VK_DRIVER_FILES"]
        return environment

    def _start(self, arguments, out, err):
        """A binary that was just written may be open in another thread's child until that becomes another program:
        ETXTBSY, execve(2)."""
        start = time.monotonic()
        while True:
            try:
                return subprocess.Popen([str(self.binary), *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                        cwd=self.work, env=self.environment())
            except OSError as error:
                if error.errno != errno.ETXTBSY or time.monotonic() - start > 10:
                    raise
                time.sleep(0.01)

    def run(self, *arguments, patience_s=60):
        """Runs the tool; a run that outlasts the patience is killed and has the status None."""
        start = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self._start(arguments, out, err)
            try:
                status = process.wait(patience_s)
            except subprocess.TimeoutExpired:
                status = None
                process.kill()
                process.wait()
            elapsed_s = time.monotonic() - start
            survivors = self.survivors()
            if survivors:  # the kernel may still be at the end of one that was killed
                time.sleep(0.5)
                survivors = self.survivors()
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read(64 << 20).decode("utf-8"))
        return Run(status, *texts, elapsed_s, survivors)

    def survivors(self):
        """Processes that carry this machine's token in their environment or wrote a pid file, and run."""
        found = set()
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if f"{TOKEN}={self.token}".encode() in (entry / "environ").read_bytes():
                        found.add(int(entry.name))
        for file in self.pid_files:
            with contextlib.suppress(OSError, ValueError):
                pid = int(file.read_text())
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "fake_linger":
                    found.add(pid)
        return sorted(pid for pid in found if not _ended(pid))


def _ended(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] in ("Z", "X")
