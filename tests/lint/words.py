# SPDX-License-Identifier: MIT
"""The names of makers and runtimes, their device nodes and kernel drivers in code, and where they are at home: in a folder
or a file that is named for a word of their family, and where everything may be named. And who takes sentences apart."""
import pathlib
import re

HOMES = {"data", "tests", "docs"}
FAMILIES = ["nvidia geforce cuda nouveau", "amd amdgpu radeon hip rocm kfd", "intel i915 xe", "apple metal iokit",
            "vulkan glsl", "opencl", "level_zero", "dxg wsl"]
# HIP is CUDA's interface for other cards: it heeds CUDA's variables, the same kernels are compiled for both (simt), and
# the same libraries' calls join devices of both (stream). Level Zero has drivers of one maker; what it computes is OpenCL's
# kernels, compiled ahead (spirv). SYCL's devices are those of both; its loader, and the variable that selects devices of it,
# name all that it may stand on.
GUESTS = {"hip": ["cuda"], "cuda": ["hip"], "simt": ["cuda", "hip"], "stream": ["cuda", "hip"],
          "level_zero": ["intel", "i915", "xe"], "spirv": ["opencl", "intel"],
          "sycl": ["intel", "levelzero", "opencl", "cuda", "hip"], "selector": ["levelzero", "opencl", "cuda", "hip"]}
WORDS = r"(?i:nvidia|geforce|cuda|nouveau|dxg|amdgpu|amd|radeon|hip|rocm|kfd|intel(?!l)|i915|xe(?![a-z0-9_])|" \
        r"apple|metal(?!l)|vulkan|opencl|level[ _]?zero)"
# A runtime that is new is known by its own name; in CamelCase and in prose nothing and a blank stand for its "_".
_LIST = (pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
for _name in re.search(r"set\(RUNTIMES ([^)]*)\)", _LIST).group(1).split():
    if _name != "cpu" and not any(_name in family.split() for family in FAMILIES):
        FAMILIES.append(_name)
        WORDS = WORDS[:-1] + "|%s)" % _name.replace("_", "[ _]?")
WORD = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\blib)|(?<=[a-z])(?=[A-Z]))" + WORDS)
LEXEME = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"|"""
                    r""""(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""", re.S)


def without_comments(text):
    return LEXEME.sub(lambda match: " " + "\n" * match[0].count("\n") if match["comment"] else match[0], text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def each(pattern, text):
    """(line, match) of each place in the code where the pattern matches."""
    return [(line_of(match.string, match.start()), match) for match in pattern.finditer(without_comments(text))]


def words_away(name, text):
    """(line, word) of the names of makers and runtimes in code outside their homes; `name` is the file's path."""
    path = pathlib.PurePosixPath(name)
    parts = (*path.parts[:-1], path.name.split(".")[0])
    if HOMES & set(parts):
        return []
    at_home = {word for family in FAMILIES if re.search(r"(?<![a-z])(%s)" % family.replace(" ", "|"), "/".join(parts))
               for word in family.replace("_", "").split()}
    at_home |= {guest for host, guests in GUESTS.items() if host in parts for guest in guests}
    found = [(line, re.sub("[ _]", "", match[0].lower())) for line, match in each(WORD, text)]
    return [(line, word) for line, word in found if word not in at_home]


# How the values are called that hold sentences, and the files that make them.
SENTENCE = "reason|warning|title|sentence|message|summary"
SPEAKING = re.compile(r"report/render/|report/core/(?:wording|warning)")


def parsed(name, text, values):
    """(line, call) of the calls that take a text of such a name apart, outside the files that make sentences."""
    call = r"\b(?:\w+_)?(?:%s)s?_?(?:\(\))?" % values
    calls = re.compile(call + r"(?:\.|->)(?:r?find\w*|substr|starts_with|ends_with)\(|"
                       r"\bregex_\w+\((?:\w+(?:\.|->))*" + call + r"\b")
    return [] if SPEAKING.match(name) else [(line, match[0]) for line, match in each(calls, text)]
