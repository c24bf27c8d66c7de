# SPDX-License-Identifier: MIT
"""What is asked of a GPU beside whole reports, of carried programs that a check has or does without: every product at one
shape beside PyTorch's (gpu_products), CUDA C++'s own copies, sums and launches (plain_cuda), a kernel that faults
(libcuda_faulty.so), neighbours on the card (plain_cuda again), and a model's stack in PyTorch (predict/stack.py)."""
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import time

from figures import finding_lines, gpus_of, verified_of
from folder import NotStarted, OutOfTime, words_of
from others import WHY_NOT, pythons
from planted import DRIVER, VARIABLE, driver_of, faulty_lines, kernel_of, places_of, why_nothing_was_planted

# Of the products: the edge, and the types that are multiplied (none: all). A test of this sets both (docs/testing.md).
EDGE = int(os.environ.get("GPU_CHECK_EDGE", "8192"))
TYPES = os.environ.get("GPU_CHECK_TYPES", "").split()
# A report of now: kept by nobody, and of cards, too, on which earlier runs of somebody's were ended, which would else go
# unmeasured.
MEASURED_ANEW = ("--json", "--no-cache", "--retry-crashed")
PRODUCTS_S, PLAIN_S, REPORT_S, STACK_S = 60, 30, 40, 90
HELD_BUT = 1000 ** 3
SETTLED_S = 1  # of a neighbour, until it uses the card as it will


def lines_of(text):
    rows = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            rows.append(json.loads(line))
    return rows


def products_of(texts):
    """Of several runs of gpu_products: a row a product, the median of its rates and how far those of the runs are apart."""
    rows = {}
    for row in (row for text in texts for row in lines_of(text)):
        kept = rows.setdefault((row["in"], row["acc"], row["shape"], row["implementation"]), {**row, "rates": []})
        kept["verified"] = kept.get("verified", False) and row.get("verified", False)
        if "rate" in row:
            kept["rates"].append(row["rate"])
    for row in rows.values():
        if row["rates"]:
            row["rate"] = statistics.median(row["rates"])
    return list(rows.values())


def product_lines(rows, torch):
    """The library beside PyTorch and every kernel of ours beside the library, of each pair of types."""
    lines, wrong = [], []

    def say(row, *more):
        what = f"{row['in']}/{row['acc']} {row['shape']}: {row['implementation']} {row['rate'] / 1e12:.1f} T/s"
        lines.append(", ".join([what, *more]))
    for types in dict.fromkeys((row["in"], row["acc"], row["shape"]) for row in rows):
        own = [row for row in rows if (row["in"], row["acc"], row["shape"]) == types]
        wrong += [f"product {row['implementation']} {' '.join(types)}: {row.get('error', 'wrong')}" for row in own
                  if not row.get("verified")]
        own = [row for row in own if "rate" in row]
        library = next((row for row in own if not row["implementation"].startswith("own:")), None)
        theirs = (torch or {}).get("gemm_flop_per_s", {}).get(f"{types[0]} {types[2]}")
        if library:
            alike = theirs and types[1] in ("fp32", "int32")
            say(library, *([f"{library['rate'] / theirs:.2f} of PyTorch's"] if alike else []))
        for row in own:
            if row is not library:
                say(row, *([f"{row['rate'] / library['rate']:.2f} of {library['implementation']}"] if library else []))
    return lines, wrong


def best(report, kernel, implementation=None):
    rates = [m["rate"] for m in verified_of(report) if m["kernel"] == kernel
             and implementation in (None, m["implementation"])]
    return min(rates, default=None) if kernel == "launch" else max(rates, default=None)


def plain_lines(report, plain, torch):
    """Reads, copies and launches of a report beside the best that others do of themselves."""
    theirs = (torch or {}).get("bytes_per_s", {})
    lines = []
    for kernel, others in (("read", [plain["sum_bytes_per_s"], theirs.get("sum", 0)]),
                           ("copy", [plain["memcpy_bytes_per_s"], plain["copy_bytes_per_s"], theirs.get("copy", 0)])):
        rate = best(report, kernel)
        said = f"{rate / 1e12:.3f} TB/s, {rate / max(others):.3f} of the best of CUDA C++ and PyTorch" if rate else None
        lines.append(f"{kernel}: {said or 'not measured'}")
    for implementation, key in (("own:back_to_back", "launch_wall_s"), ("own:round_trip", "launch_alone_s")):
        time_s = best(report, "launch", implementation)
        said = f"{time_s * 1e6:.2f} us, {time_s / plain[key]:.2f} of an empty kernel in CUDA C++" if time_s else None
        lines.append(f"launch {implementation}: {said or 'not measured'}")
    return lines


def neighbour_lines(report):
    shown = [m for m in report["measurements"] if m["device_id"] in {gpu["id"] for gpu in gpus_of(report)}]
    counts = {status: sum(m["status"] == status for m in shown) for status in sorted({m["status"] for m in shown})}
    said = next((m["reason"] for m in shown if "shared" in m.get("reason", "")), "nothing of a neighbour")
    answers = [f"{answer['use']}: {answer['confidence']} confidence" for answer in report.get("recommendations", [])]
    return [", ".join(f"{count} {status}" for status, count in counts.items()), said, *answers, *finding_lines(report)]


class Beside:
    """Runs the parts that were carried; keeps rows, and lines for people under a title each. What did not come to a good end
    is among the failures, and where its part would be."""

    def __init__(self, folder, binaries, report, torch_of):
        self.folder, self.binaries, self.report, self.torch_of = folder, binaries, report, torch_of
        self.parts, self.failed, self.skipped, self.result = {}, [], [], {}
        measured = {m["runtime"] for m in verified_of(report)}
        self.runtime = next((name for name in ("cuda", "hip") if name in measured), None)

    def carried(self, name):
        if (self.binaries / name).exists():
            return True
        self.skipped.append(f"{name}: it was not carried")
        return False

    def json_of(self, name):
        return (lines_of(" ".join(self.folder.read(f"{name}.json").split())) or [None])[0]

    def fail(self, program, name, why):
        """Says so, with what it said itself: [the line]."""
        self.failed.append(f"{program} ({name}): {why}: {self.folder.tail(name)}")
        return self.failed[-1:]

    def went(self, program, name, end):
        """Nothing where it came to a good end; else [what became of it], which is said."""
        if isinstance(end, OutOfTime):
            self.skipped.append(f"{program} ({name}): {end}")
            return self.skipped[-1:]
        return [] if end == 0 else self.fail(program, name, words_of(end))

    def run(self):
        torch = self.products() if self.runtime and self.carried("gpu_products") else self.torch_of([])
        if self.runtime == "cuda" and self.carried("plain_cuda"):
            self.plain(torch)
            self.neighbours()
        if self.runtime == "cuda" and self.carried("libcuda_faulty.so"):
            self.faulty()
        if self.carried("predict/stack.py"):
            self.stack()
        return torch

    def products(self):
        command = [self.binaries / "gpu_products", self.runtime, *[str(EDGE)] * 3, *TYPES]
        said = self.went("gpu_products", "products_1", self.folder.run("products_1", command, PRODUCTS_S))
        types = dict.fromkeys(row["in"] for row in lines_of(self.folder.read("products_1.txt")))
        torch = self.torch_of([(name, EDGE, EDGE, EDGE) for name in types])
        said += self.went("gpu_products", "products_2", self.folder.run("products_2", command, PRODUCTS_S))
        self.result["products"] = products_of([self.folder.read(f"products_{i}.txt") for i in (1, 2)])
        if not self.result["products"] and not said:
            said = self.fail("gpu_products", "products_1", "it told of no product")
        lines, wrong = product_lines(self.result["products"], torch)
        self.parts["Every product, and the library beside PyTorch"] = said + lines
        self.failed += wrong
        return torch

    def plain(self, torch):
        end = self.folder.run("plain", [self.binaries / "plain_cuda"], PLAIN_S, out="json")
        said = self.went("plain_cuda", "plain", end)
        plain = self.json_of("plain")
        if not said and not plain:
            said = self.fail("plain_cuda", "plain", "it told of no figure")
        if not said:
            self.result["plain"] = plain
            said = plain_lines(self.report, plain, torch)
        self.parts["Beside CUDA C++"] = said

    def whichgpu(self, name, **more):
        """A report of this runtime alone, or None; and [what became of it] where that is no good end."""
        end = self.folder.run(name, [self.binaries / "whichgpu", *MEASURED_ANEW, "--only", self.runtime], REPORT_S, out="json",
                              env={**os.environ, **more})
        said, report = self.went("whichgpu", name, end), self.json_of(name)
        if not said and not report:
            said = self.fail("whichgpu", name, "it gave no report")
        return report, said

    def faulty(self):
        kernel, places = kernel_of(self.report), places_of(self.report, self.folder.read("machine.txt"), os.environ)
        driver = driver_of(places)
        if not kernel:
            self.skipped.append("libcuda_faulty.so: the report has run no kernel in which a fault could be planted")
            return
        title = f"With a fault in {kernel[2]}"
        if not driver:
            self.failed.append(f"nothing was planted in {kernel[2]}: no driver is at {' or '.join(places)}")
            self.parts[title] = self.failed[-1:]
            return
        plant = self.folder.path / "plant"
        plant.mkdir(exist_ok=True)
        shutil.copy(self.binaries / "libcuda_faulty.so", plant / DRIVER)  # which looks for the other beside itself
        (plant / "libcuda_real.so").unlink(missing_ok=True)
        (plant / "libcuda_real.so").symlink_to(driver.absolute())
        folders = ":".join(filter(None, (str(plant), os.environ.get("WHICHGPU_LIBRARY_PATH"))))
        report, said = self.whichgpu("faulty", **{"WHICHGPU_LIBRARY_PATH": folders, VARIABLE: kernel[2]})
        if report:
            if why := why_nothing_was_planted(report, kernel, self.report):
                self.failed.append(f"nothing was planted in {kernel[2]}: {why}")
                said += self.failed[-1:]
            said += faulty_lines(report, self.report)
        self.parts[title] = said

    def neighbours(self):
        for title, words in (("Beside another's work", ("load", "60")),
                             ("Beside another who holds all but a gigabyte", ("hold", str(HELD_BUT), "60"))):
            self.parts[title] = self.beside_neighbour(words[0], [self.binaries / "plain_cuda", *words])

    def beside_neighbour(self, name, command):
        """What is to be said of a report that is made beside that program."""
        theirs, report, said = f"{name}_neighbour", None, []
        begins_s = min(PLAIN_S, self.folder.left_s())
        if begins_s <= 1:
            return self.went("plain_cuda", theirs, OutOfTime("not run: the time was up"))
        try:
            with self.folder.beside(theirs, command) as process:
                if begun := self.first_line(theirs, process, begins_s):
                    time.sleep(SETTLED_S)
                    report, said = self.whichgpu(name)
                end = process.poll()
        except OSError as error:
            return self.fail("plain_cuda", theirs, str(error))
        if end is not None:  # with whatever code: nobody was there for a part of the time
            when = "while whichgpu ran beside it" if begun else "before whichgpu could run beside it"
            return said + self.fail("plain_cuda", theirs, f"{words_of(end)} {when}")
        if not begun:
            why = f"it did not begin within {begins_s:.0f} s"
            late = OutOfTime(f"{why}: the time was up")
            return self.went("plain_cuda", theirs, late) if begins_s < PLAIN_S else self.fail("plain_cuda", theirs, why)
        return [begun, *said, *(neighbour_lines(report) if report else [])]

    def first_line(self, name, process, most_s):
        """What it says when it has begun; empty where it ends before, or is late."""
        end = time.monotonic() + most_s
        while process.poll() is None and time.monotonic() < end:
            if "\n" in (text := self.folder.read(f"{name}.txt")):
                return text.partition("\n")[0]
            time.sleep(0.05)
        return ""

    def stack(self):
        """By the first Python that has a PyTorch which sees a GPU."""
        whys = []
        for python in pythons():
            end = self.folder.run("stack", [python, self.binaries / "predict" / "stack.py"], STACK_S, out="json")
            if end not in WHY_NOT and not isinstance(end, NotStarted):
                break
            whys.append(f"{python}: {WHY_NOT.get(end, end)}")
        else:
            self.skipped.append(f"predict/stack.py: {'; '.join(whys)}")
            return
        said, self.result["stack"] = self.went("predict/stack.py", "stack", end), self.json_of("stack")
        if not said and not self.result["stack"]:
            said = self.fail("predict/stack.py", "stack", "it told of no figure")
        self.parts["A model's stack in PyTorch"] = said + [json.dumps(self.result["stack"])] * bool(self.result["stack"])
