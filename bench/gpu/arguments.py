# SPDX-License-Identifier: MIT
"""What may be asked of a check. What may not is said in one line before anything is begun, for a test takes minutes."""
import argparse
import os
import pathlib
import sys
import tempfile

from folder import say

# As whichgpu takes it. Of carried binaries a report is killed after a while, which its other parts need some of.
LEAST_BUDGET_S, MOST_BUDGET_S, MOST_CARRIED_BUDGET_S = 0.001, 86400, 200

# What a check keeps, of which the first is begun before anything else. Two checks in one folder would be taken for one.
OF_A_CHECK = ("machine.txt", "cuda_gpu_test.txt", "hip_gpu_test.txt", "record", "report.json", "report.watched",
              "torch.json", "result.json", "summary.txt")


class Options(argparse.ArgumentParser):
    def error(self, message):
        say(f"{message} (--help says what there is)")
        sys.exit(2)


def budget_of(text):
    try:
        if LEAST_BUDGET_S <= float(text) <= MOST_BUDGET_S:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}' is no time to measure: give seconds from {LEAST_BUDGET_S} to "
                                     f"{MOST_BUDGET_S}")


def runs_of(text):
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is no number of whole runs: give 1 or more")


def why_not_written(folder):
    """What keeps files from being made in a folder, which is made where it is not there; None: nothing does."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        return f"{folder} is no folder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror


def why_not_carried(binaries, output, budget):
    """What keeps carried binaries from being checked; None: nothing does."""
    program = binaries / "whichgpu"
    if not os.path.isfile(program):
        return f"--binaries {binaries}: there is no whichgpu in it: name the folder that was carried here"
    if not os.access(program, os.X_OK):
        return f"--binaries {binaries}: its whichgpu may not be run: chmod +x {program}"
    if budget > MOST_CARRIED_BUDGET_S:
        return (f"--budget {budget:g}: a report of carried binaries has no time for that: give {MOST_CARRIED_BUDGET_S} s at "
                "most")
    if output is None:
        return "--binaries wants --output, too: name a folder for what is said"
    if earlier := next((name for name in OF_A_CHECK if os.path.lexists(output / name)), None):
        return f"--output {output}: an earlier check's {earlier} is in it: name another folder, or move that check away"
    if why := why_not_written(output):
        return f"--output {output}: {why}: name a folder, new or not, in which files can be made"
    return None


def why_not_built(build, no_build, output):
    """What keeps a build from being checked; None: nothing does."""
    if no_build and not os.path.isfile(build / "report" / "whichgpu"):
        return f"--no-build: there is no report/whichgpu in {build}: name a build by --build, or leave --no-build out"
    if output and os.path.isdir(output):
        return f"--output {output}: this is a folder: without --binaries name a file, which may be a new one"
    if output and (why := why_not_written(output.absolute().parent)):
        return f"--output {output}: {why}: name a file in a folder in which files can be made"
    return None


def arguments_of(about, build):
    options = Options(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=pathlib.Path, default=build)
    options.add_argument("--no-build", action="store_true")
    options.add_argument("--output", type=pathlib.Path)
    options.add_argument("--budget", type=budget_of, default=60)
    options.add_argument("--binaries", type=pathlib.Path)
    options.add_argument("--runs", type=runs_of, default=3)
    asked = options.parse_args()
    why = (why_not_carried(asked.binaries, asked.output, asked.budget) if asked.binaries else
           why_not_built(asked.build, asked.no_build, asked.output))
    if why:
        say(why)
        sys.exit(2)
    return asked
