#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libwhichgpu in a process of Python, by ctypes, with the real program and with others in its place; and in one of C with
many threads. api_test.py LIBRARY PROGRAM CALLS"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from host import BAD_INPUT, INTERNAL, NO_ANSWER, NO_PROGRAM, OK, SOURCE, TIMED_OUT, Library, descriptors, script

LIBRARY, PROGRAM, CALLS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
RECORD = str(SOURCE / "tests" / "fixtures" / "plain_server")
SANITIZED = b"__asan_init" in LIBRARY.read_bytes() or b"__tsan_init" in LIBRARY.read_bytes()
os.environ["WHICHGPU_PROGRAM"] = str(PROGRAM)


def packed(**options):
    return json.dumps({name.rstrip("_"): value for name, value in options.items()}).encode()


@unittest.skipIf(SANITIZED, "Python loads no library with sanitizers")
class Host(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.library = Library(LIBRARY)
        before = descriptors()
        self.addCleanup(lambda: self.assertEqual(before, descriptors()))
        self.addCleanup(self.check_children)

    def check_children(self):
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def ask(self, name, **options):
        return self.library.ask(name, packed(**options))

    def ask_script(self, text, **options):
        return self.ask("report", program=str(script(self.folder, text)), **options)


class Answers(Host):
    def test_they_are_what_the_program_prints(self):
        for name, words in (("report", []), ("recommend", ["recommend"])):
            status, text, error = self.ask(name, replay=RECORD)
            self.assertEqual((OK, ""), (status, error))
            printed = subprocess.run([PROGRAM, *words, "--json", "--replay", RECORD], capture_output=True, check=True)
            self.assertEqual(printed.stdout, text)

    def test_no_answer_has_its_reason_and_its_json(self):
        status, text, error = self.ask("recommend", replay=RECORD, min_memory="900TiB")
        self.assertEqual(NO_ANSWER, status)
        self.assertIn("no_answer", json.loads(text))
        self.assertIn("900", error)

    def test_every_key_is_an_option_of_the_program(self):
        """A script shows what it is called with."""
        texts = {"device": "cpu:0", "assume_machine": "dgx-spark", "sysroot": "/mnt", "replay": "r", "request": "f.json"}
        more = {"for": "decode", "target": "pytorch", "policy": "tested", "can": "cpu", "min_memory": "1GiB", "tables": "t"}
        flags = dict.fromkeys(("retry_crashed", "quick", "thorough", "no_calibrate", "measure"), True)
        shows = script(self.folder, "import json, sys; print(json.dumps({'recommendation': sys.argv[1:]}))")
        options = {"only": ["cpu", "drm"], "skip": "hwloc", "assume": ["cc=8.9,memory=24GiB", "gfx=gfx90a"], "timeout_s": 5,
                   "budget_s": 0.5, **texts, **flags, "among": ["cpu"], "exclude": "cpu", **more}
        status, text, error = self.library.ask("recommend", packed(program=str(shows), **options))
        self.assertEqual((OK, ""), (status, error))
        words = json.loads(text)["recommendation"]
        self.assertEqual(["recommend", "--json"], words[:2])
        expected = {f"--{key.replace('_', '-')}={value}" for key, value in {**texts, **more}.items()}
        expected |= {f"--{key.replace('_', '-')}" for key in flags}
        expected |= {"--only=cpu,drm", "--skip=hwloc", "--assume=cc=8.9,memory=24GiB", "--assume=gfx=gfx90a", "--timeout=5",
                     "--budget=0.5", "--among=cpu", "--exclude=cpu"}
        self.assertEqual(expected, set(words[2:]))
        known = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        known += subprocess.run([PROGRAM, "recommend", "--help"], capture_output=True, text=True, check=True).stdout
        for word in words[2:]:
            self.assertIn(word.split("=")[0] + " " if "=" in word else word.split("=")[0], known)

    def test_flags_that_are_false_are_not_given(self):
        self.assertEqual(OK, self.ask("report", replay=RECORD, quick=False, measure=False)[0])

    def test_nothing_is_the_empty_object(self):
        program = script(self.folder, "import json, sys; print(json.dumps(sys.argv[1:]).replace('[', '{\"a\": [') + '}')")
        os.environ["WHICHGPU_PROGRAM"] = str(program)
        self.addCleanup(os.environ.update, WHICHGPU_PROGRAM=str(PROGRAM))
        for options in (None, b"{}", b" { } "):
            self.assertEqual((OK, b'{"a": ["--json"]}\n', ""), self.library.ask("report", options))


class Refusals(Host):
    def test_what_is_wrong_with_options_is_named(self):
        cases = {b"": "no object of JSON", b"[]": "no object", b"nonsense": "no object", b"{\"quick\": tru": "no object",
                 b"\xff\xfe{}": "no object", b'{"device": "\xc3\x28"}': "no object", b"[" * 500000: "no object",
                 b'{"device": ' + b"[" * 300000 + b"]" * 300000 + b"}": "option 'device' wants",
                 b'{"only": ' + b"[" * 300000 + b"]" * 300000 + b"}": "option 'only' wants",
                 b'{"device": "' + b"x" * (2 << 20) + b'"}': "longer than 1 MiB",
                 b'{"devise": 1}': "no option 'devise'; known are only,",
                 b'{"quick": true, "quick": false}': "'quick' stands twice",
                 b'{"json": true}': "no option 'json'", b'{"require": "gpu"}': "no option 'require'",
                 b'{"\\u001b[31m\\n": 1}': "no option '",
                 b'{"for": "decode"}': "'for' belongs to whichgpu_recommend",
                 b'{"quick": 1}': "'quick' wants true or false", b'{"device": 5}': "'device' wants a text",
                 b'{"device": ""}': "'device' wants a text", b'{"device": "a\\u0000b"}': "no zero byte",
                 b'{"device": null}': "'device' wants", b'{"device": ["a"]}': "'device' wants",
                 b'{"only": []}': "'only' wants a word", b'{"only": "cpu,drm"}': "without commas",
                 b'{"only": ["cpu", 1]}': "'only' wants", b'{"assume": {}}': "'assume' wants",
                 b'{"timeout_s": "5"}': "'timeout_s' wants a number", b'{"timeout_s": -1}': "above 0",
                 b'{"deadline_s": 1e300}': "up to 86400", b'{"deadline_s": 1e999}': "",
                 b'{"device": "' + b"x" * 900000 + b'"}': "too long for the arguments"}
        for options, said in cases.items():
            with self.subTest(options[:40]):
                status, text, error = self.library.ask("report", options)
                self.assertEqual((BAD_INPUT, None), (status, text), error)
                self.assertIn(said, error)
                self.assertLess(len(error), 600)
                self.assertRegex(error, r"\A[^\x00-\x1f]+\Z")

    def test_no_value_becomes_an_option(self):
        for value in ("--help", "-h", "--version", "=--json", " --quick", "--"):
            with self.subTest(value):
                status, text, error = self.ask("report", replay=RECORD, device=value)
                self.assertEqual((BAD_INPUT, None), (status, text))
                self.assertIn(value.strip(), error)

    def test_what_the_program_refuses_is_bad_input_in_its_words(self):
        for options, said in (({"only": "vulcan"}, "did you mean 'vulkan'?"), ({"quick": True, "thorough": True}, "exclude"),
                              ({"replay": "/nonexistent"}, "/nonexistent")):
            status, _, error = self.ask("report", **options)
            self.assertEqual(BAD_INPUT, status)
            self.assertIn(said, error)
            self.assertFalse(error.startswith("whichgpu:"), error)


class OtherPrograms(Host):
    def check_ended(self, pids):
        time.sleep(0.1)
        for pid in pids.read_text().split():
            state = pathlib.Path(f"/proc/{pid}/stat")
            # Whoever adopts what the program left may not have waited for it yet.
            self.assertTrue(not state.exists() or state.read_text().rsplit(") ")[1][0] == "Z", pid)

    def test_one_that_is_missing_is_named(self):
        (self.folder / "text").write_text("no program")
        os.chmod(self.folder / "text", 0o755)
        for path in ("/nonexistent/whichgpu", str(self.folder), str(SOURCE / "README.md"), str(self.folder / "text")):
            status, text, error = self.ask("report", program=path)
            self.assertEqual((NO_PROGRAM, None), (status, text), path)
            self.assertIn(path, error)

    def test_one_that_hangs_is_ended_with_all_that_it_started(self):
        for ignores in ("", "signal.signal(signal.SIGTERM, signal.SIG_IGN);"):
            pids = self.folder / "pids"
            begin = time.monotonic()
            status, text, error = self.ask_script(
                f"import os, signal, subprocess, time; {ignores}"
                f"child = subprocess.Popen(['sleep', '1000']);"
                f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}'); time.sleep(1000)", deadline_s=1)
            self.assertEqual((TIMED_OUT, None), (status, text))
            self.assertIn("1.0 s (deadline_s)" if "1.0" in error else "1 s (deadline_s)", error)
            self.assertLess(time.monotonic() - begin, 8)
            self.check_ended(pids)

    def test_one_that_ends_and_leaves_its_output_open_is_not_waited_for(self):
        begin = time.monotonic()
        pids = self.folder / "pids"
        status, text, _ = self.ask_script("import subprocess; child = subprocess.Popen(['sleep', '1000']); print('{}')\n"
                                          f"open({str(pids)!r}, 'w').write(str(child.pid))")
        self.assertEqual((OK, b"{}\n"), (status, text))
        self.assertLess(time.monotonic() - begin, 10)
        self.check_ended(pids)

    def test_one_that_closes_its_output_is_waited_for(self):
        status, _, error = self.ask_script("import os, time; os.close(1); os.close(2); time.sleep(1); os._exit(0)")
        self.assertEqual(INTERNAL, status)
        self.assertIn("no object of JSON", error)

    def test_garbage_is_no_answer(self):
        for text in ("print('garbage')", "print('[1]')", "pass", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 99)",
                     "print('{\"a\": 1} {}')", "print('{' * 100000)", "import sys; sys.stdout.buffer.write(b'{\"a\": \"\\xff\"}')"):
            status, found, error = self.ask_script(text)
            self.assertEqual((INTERNAL, None), (status, found), text)
            self.assertIn("it is not whichgpu", error)

    def test_a_gigabyte_is_ended(self):
        status, text, error = self.ask_script("import sys\nfor _ in range(1024): sys.stdout.write('x' * (1 << 20))")
        self.assertEqual((INTERNAL, None), (status, text))
        self.assertIn("more than 64 MiB", error)

    def test_a_gigabyte_of_messages_is_read_and_its_last_line_told(self):
        status, _, error = self.ask_script(
            "import sys\nfor _ in range(1024): sys.stderr.write('x' * (1 << 20))\nsys.stderr.write('\\nwhichgpu: the end\\n')\n"
            "sys.exit(2)")
        self.assertEqual((BAD_INPUT, "the end"), (status, error))

    def test_ends_are_told(self):
        for text, said in (("import os; os.kill(os.getpid(), 11)", "ended by signal 11"), ("import sys; sys.exit(3)", "code 3"),
                           ("import sys; sys.exit(143)", "interrupted by signal 15"),
                           ("import sys; print('whichgpu: it is so', file=sys.stderr); sys.exit(3)", "it is so"),
                           ("import sys; sys.stderr.buffer.write(b'\\xff\\x1b[31mred\\n'); sys.exit(3)", "red")):
            status, _, error = self.ask_script(text)
            self.assertEqual(INTERNAL, status)
            self.assertIn(said, error)
            self.assertNotIn("\x1b", error)

    def test_it_has_null_for_input_and_no_descriptor_of_the_hosts(self):
        with open(self.folder / "open", "w") as kept:
            os.set_inheritable(kept.fileno(), True)
            status, text, _ = self.ask_script(
                "import json, os, signal\n"
                "print(json.dumps({'input': os.readlink('/proc/self/fd/0'), 'open': [n for n in os.listdir('/proc/self/fd')\n"
                "    if os.path.exists('/proc/self/fd/' + n)], 'leads': os.getpgid(0) == os.getpid(),\n"
                "    'blocked': len(signal.pthread_sigmask(signal.SIG_BLOCK, [])) }))")
        self.assertEqual(OK, status)
        self.assertEqual({"input": "/dev/null", "open": ["0", "1", "2"], "leads": True, "blocked": 0}, json.loads(text))

    def test_it_is_found_beside_the_library_then_in_path(self):
        folder = self.folder / "prefix"
        (folder / "lib" / "x86_64-linux-gnu").mkdir(parents=True)
        (folder / "bin").mkdir()
        tell = "import sys; print('{\"at\": \"%s\"}' % sys.argv[0])"
        path = script(self.folder, tell)
        run = ("import os, sys; sys.path.insert(0, sys.argv[2]); from host import Library\n"
               "status, text, error = Library(sys.argv[1]).ask('report', None)\nprint(status, (text or b'').decode().strip(), error)")

        def found(library, **changes):
            environment = {**os.environ, "PATH": f".::{self.folder}", **changes}
            environment = {name: value for name, value in environment.items() if value is not None}
            return subprocess.run([sys.executable, "-B", "-c", run, library, str(SOURCE / "tests" / "api")], text=True,
                                  capture_output=True, check=True, env=environment, cwd=self.folder).stdout.strip()
        for place in (folder / "lib", folder / "lib" / "x86_64-linux-gnu"):
            library = shutil.copy(LIBRARY, place)
            self.assertEqual(f'{OK} {{"at": "{path}"}}', found(library, WHICHGPU_PROGRAM=None))
            script(folder / "bin", tell)
            self.assertEqual(f'{OK} {{"at": "{folder}/bin/whichgpu"}}', found(library, WHICHGPU_PROGRAM=None))
            self.assertEqual(f'{OK} {{"at": "{path}"}}', found(library, WHICHGPU_PROGRAM=str(path)))
            (folder / "bin" / "whichgpu").unlink()
            # What lies in the working directory is not called.
            self.assertIn(f"{NO_PROGRAM}  whichgpu is neither", found(library, WHICHGPU_PROGRAM=None, PATH=".:"))

    def test_many_threads_of_python(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: self.ask("recommend", replay=RECORD), range(100)))
        self.assertEqual(1, len(set(answers)))
        self.assertEqual(OK, answers[0][0])


class HostInC(unittest.TestCase):
    def call(self, threads, calls, host, function, options, *before):
        done = subprocess.run([*before, CALLS, str(threads), str(calls), host, function, options], capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.strip()

    REPLAY = json.dumps({"replay": RECORD})

    def test_a_hundred_calls_from_eight_threads(self):
        self.assertEqual("104 0 0 0 0 0 children 0 descriptors 0 changed 0 handled 0",
                         self.call(8, 13, "plain", "recommend", self.REPLAY))

    def test_the_machine_itself_from_four_threads(self):
        self.assertEqual("8 0 0 0 0 0 children 0 descriptors 0 changed 0 handled 0",
                         self.call(4, 2, "plain", "report", '{"no_calibrate": true}'))

    def test_hosts_with_ways_of_their_own(self):
        for host in ("ignores", "waits", "closed", "blocks"):
            with self.subTest(host):
                said = self.call(4, 5, host, "recommend", self.REPLAY)
                self.assertEqual("20 0 0 0 0 0 children 0 descriptors 0 changed 0", said.split(" handled")[0])

    def test_a_status_that_somebody_else_took_is_told_from_the_answer(self):
        none = json.dumps({"replay": RECORD, "min_memory": "900TiB"})
        self.assertIn("0 4 0 0 0 0 children 0", self.call(2, 2, "ignores", "recommend", none))
        self.assertIn("0 0 0 4 0 0 children 0", self.call(2, 2, "ignores", "recommend", '{"replay": "/nonexistent"}'))

    def test_a_deadline_leaves_nothing(self):
        self.assertIn("0 0 0 0 0 4 children 0 descriptors 0",
                      self.call(4, 1, "blocks", "report", '{"thorough": true, "deadline_s": 0.3}'))

    @unittest.skipIf(SANITIZED, "sanitizers need the address space")
    def test_a_host_without_memory_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder:
            program = script(folder, "import sys, time; sys.stdout.write('{\"a\": \"')\n"
                                     "for _ in range(60): sys.stdout.write('x' * (1 << 20))\n"
                                     "print('\"}')")
            options = json.dumps({"program": str(program)})
            self.assertIn("1 0 0 0 0 0 children 0", self.call(1, 1, "plain", "report", options))
            self.assertEqual("0 0 0 2 0 0 children 0 descriptors 0 changed 0 handled 0",
                             self.call(1, 2, "starves", "report", options))

    def test_null_is_no_options(self):
        with tempfile.TemporaryDirectory() as folder:
            program = script(folder, "print('{}')")
            os.environ["WHICHGPU_PROGRAM"] = str(program)
            self.addCleanup(os.environ.update, WHICHGPU_PROGRAM=str(PROGRAM))
            self.assertIn("1 0 0 0 0 0 children 0", self.call(1, 1, "plain", "report", "NULL"))

    @unittest.skipIf(SANITIZED, "sanitizers and valgrind exclude each other")
    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    def test_valgrind_finds_nothing(self):
        # What is still reachable is libstdc++'s reserve for exceptions, which ends with the process.
        said = self.call(4, 3, "plain", "recommend", self.REPLAY, "valgrind", "-q", "--error-exitcode=9", "--leak-check=full",
                         "--errors-for-leak-kinds=definite,indirect,possible")
        self.assertEqual("12 0 0 0 0 0 children 0 descriptors 0 changed 0 handled 0", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
