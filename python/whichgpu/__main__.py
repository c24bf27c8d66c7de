# SPDX-License-Identifier: MIT
"""`python -m whichgpu` and the command `whichgpu` of the package: become the program itself, so that arguments, output, exit
code and signals are its own."""
import os
import sys

from . import WhichgpuError, executable


def main() -> None:
    """Does not return."""
    try:
        path = executable()
        sys.stdout.flush()
        os.execv(path, ["whichgpu", *sys.argv[1:]])
    except WhichgpuError as error:
        reason = str(error)
    except OSError as error:
        reason = "{} can not be started: {}".format(path, error.strerror)
    sys.stderr.write("whichgpu: {}\n".format(reason))
    sys.exit(3)


if __name__ == "__main__":
    main()
