# SPDX-License-Identifier: MIT
"""What a compiler said of an input, kept in the build tree: all that decides it is the key, so that no answer is ever
out of date. Its programs are known by path, size and time, its own sources by their content."""
import hashlib
import json
import pathlib
import shutil
import tempfile


def program(tool):
    """Of an installed program, with the libraries beside which it was installed: what an upgrade changes."""
    path = pathlib.Path(shutil.which(tool)).resolve()
    state = path.stat()
    return [str(path), state.st_size, state.st_mtime_ns]


class Results:
    """folder: where answers are kept; None asks anew each time."""

    def __init__(self, folder, tools):
        self.folder = folder
        self.tools = [program(tool) for tool in tools]

    def get(self, key, ask):
        """The answer, as JSON has it, of ask() for that key: texts that hold every word and every input. What fails
        raises, and is asked again."""
        if not self.folder:
            return ask()
        name = hashlib.sha256(json.dumps([self.tools, *key]).encode()).hexdigest()
        file = self.folder / name
        try:
            return json.loads(file.read_text())
        except (OSError, ValueError):
            pass
        answer = ask()
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as out:
            out.write(json.dumps(answer))
        pathlib.Path(out.name).replace(file)
        return answer
