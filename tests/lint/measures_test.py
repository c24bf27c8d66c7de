#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/lint/measures.py counts what it says."""
import sys
import unittest

import measures

FUNCTIONS = """#include <x>
namespace a {
struct Box : Base<int> {  // } no brace
  Box() : one_{1}, two_{2} {
    Open("}");
  }
  int Size() const { return 1; }
  std::vector<int> values{1, 2};
};
enum class Kind { kOne, kTwo };
const Row kRows[] = {{1, '{'}, {2, R"x(}"})x"}};
#define MACRO(a) \\
  if (a) {
template <class T = Box>
auto Sum(T from,
         T to = {}) -> T {
  auto add = [](T a, T b) {
    return a + b;
  };

  for (;;) {
  }
}
}
HWY_PUSH_ATTRIBUTES(x)
namespace {
extern "C" {
void Last(struct Box* box) {
}
}
}
"""


class Parsing(unittest.TestCase):
    def test_comments_go_and_lines_stay(self):
        text = 'a; // one\n"// two"; /* three\n */ b; \'"\'; 1\'000; c; // d\'\nR"(/* e */)";\n'
        self.assertEqual('a;  \n"// two";  \n b; \'"\'; 1\'000; c;  \nR"(/* e */)";\n', measures.without_comments(text))

    def test_functions(self):
        self.assertEqual([(4, 3, "Box"), (7, 1, "Size"), (14, 10, "Sum"), (28, 2, "Last")],
                         measures.functions(FUNCTIONS))

    def test_a_function_is_long_from_one_line_over_the_bound(self):
        for length, long in ((measures.LONG_FUNCTION, 0), (measures.LONG_FUNCTION + 1, 1)):
            text = "void F() {\n" + "  f();\n" * (length - 2) + "}\n"
            found = measures.findings({"probe/a.cpp": text})[f"functions over {measures.LONG_FUNCTION} lines"]
            self.assertEqual(long, len(found))

    def test_conditions_outside_guards(self):
        guard = "#ifndef A_H\n#define A_H\n#if B\n#elif C\n#else\n#endif\n  # ifdef D\n#endif\n// #if E\n#endif\n"
        self.assertEqual([3, 7], measures.conditions(guard))
        toggle = "#if defined(A) == defined(HWY_TARGET_TOGGLE)\n#ifdef A\n#undef A\n#else\n#define A\n#endif\n"
        self.assertEqual([7], measures.conditions(toggle + "#ifndef B\n#endif\n#endif\n"))


class Words(unittest.TestCase):
    def words(self, text, name="report/core/a.cpp"):
        return [word for _, word in measures.words_away(name, text)]

    def test_words_stand_alone_or_in_a_name(self):
        self.assertEqual(["nvidia", "amd", "hip", "cuda", "cuda", "vulkan", "levelzero", "opencl"],
                         self.words('"/dev/nvidia0" kAmd HIP_PATH libcuda.so IsCuda vulkan_api "Level Zero" kOpenCl'))

    def test_kernel_drivers_and_nodes_are_words(self):
        self.assertEqual(["kfd", "dxg", "amdgpu", "nouveau", "i915", "xe"],
                         self.words('"/dev/kfd" "/dev/dxg" "amdgpu_xcp" "nouveau" "i915" "xe" 0xe exe xe_lp'))

    def test_words_in_other_words_and_in_comments_do_not_count(self):
        self.assertEqual([], self.words("chip shipped membership intelligence metallic // cuda\n/* amd */"))

    def test_at_home_a_word_does_not_count(self):
        text = "cuda; nvidia; amd"
        self.assertEqual(["amd"], self.words(text, "probe/cuda/a.cpp"))
        self.assertEqual(["nvidia"], self.words(text, "kernels/hip/a.cpp"))
        self.assertEqual(["cuda", "nvidia"], self.words(text, "probe/opencl/opencl_amd.cpp"))
        self.assertEqual(["cuda", "nvidia", "amd"], self.words(text, "probe/core/chip.cpp"))
        for home in ("data/a.h", "tests/probe/a.cpp"):
            self.assertEqual([], self.words(text, home))


class Sentences(unittest.TestCase):
    TEXT = "device.reason.find(x); stage.title().substr(1); a_warning->ends_with(b); regex_search(it.summary, r);\n" \
           "reasons.size(); reasonable.find(x); text.find(x); // reason.find(x)\n"

    def test_only_sentences_count(self):
        self.assertEqual(4, len(measures.parsed("report/a.cpp", self.TEXT, measures.SENTENCE)))
        self.assertEqual([(2, "text.find(")], measures.parsed("report/a.cpp", self.TEXT, "text"))

    def test_those_that_make_sentences_may(self):
        for name in ("report/render/a.cpp", "report/core/wording_b.cpp"):
            self.assertEqual([], measures.parsed(name, self.TEXT, measures.SENTENCE))


class Includes(unittest.TestCase):
    def edges(self, **lines):
        files = {name.replace("__", "/").replace("_cpp", ".cpp").replace("_h", ".h"): text
                 for name, text in lines.items()}
        return measures.includes({name: "".join(f'#include "{line}"\n' for line in text.split())
                                  for name, text in files.items()})

    def test_paths_from_the_root_and_from_beside(self):
        tree = {"probe/core/a.h": "", "probe/core/b.h": "", "probe/core/c.cpp":
                '#include "probe/core/a.h"\n # include "b.h"\n#include <fmt.h>\n#include "no.h"\n// #include "c.cpp"\n'}
        self.assertEqual({"probe/core/a.h", "probe/core/b.h"}, measures.includes(tree)["probe/core/c.cpp"])

    def test_headers_read_once(self):
        edges = self.edges(probe__a_h="", probe__a_cpp="probe/a.h", probe__b_cpp="probe/a.h probe/c.h",
                           probe__c_h="", report__d_cpp="probe/c.h", tests__e_cpp="probe/a.h")
        self.assertEqual([("probe/a.h", "probe/b.cpp")], measures.read_once(edges))

    def test_climbs(self):
        edges = self.edges(report__core__a_h="", probe__core__b_h="report/core/a.h", report__c_cpp="report/core/a.h",
                           probe__system__d_h="probe/core/b.h", report__f_h="",
                           report__core__e_cpp="report/f.h report/core/a.h")
        self.assertEqual([("report/core/e.cpp", "report/f.h")], measures.climbs(
            {name: targets for name, targets in edges.items() if name != "probe/core/b.h"}))
        self.assertIn(("probe/core/b.h", "report/core/a.h"), measures.climbs(edges))

    def test_circles(self):
        edges = self.edges(probe__core__a_h="", probe__core__a_cpp="probe/unify/b.h", probe__unify__b_h="",
                           probe__unify__b_cpp="probe/core/a.h", probe__drm__c_h="probe/core/a.h")
        self.assertEqual([["probe/core", "probe/unify"]], measures.circles(edges, measures.posixpath.dirname))


class Table(unittest.TestCase):
    def test_sizes_and_counts(self):
        tree = {f"probe/{count}.cpp": "\n" * count for count in range(10, 110, 10)} | {"tests/a.cpp": "\n" * 7}
        numbers = measures.table(tree, measures.findings(tree))
        self.assertEqual([10, 550, 55, 90, 100, 3],
                         [numbers[row]["w/o tests"] for row in list(numbers)[:6]])
        self.assertEqual(1, numbers["files under 40 lines"]["tests"])
        self.assertEqual(0, numbers["files"]["report"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
