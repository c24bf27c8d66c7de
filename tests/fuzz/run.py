# SPDX-License-Identifier: MIT
"""Runs the fuzz harnesses and says what came of it: run.py BUILD SECONDS [HARNESS...].

The harnesses share SECONDS evenly, one a processor at a time. What reaches new code is kept below
BUILD/fuzz/corpus and is where the next run begins; what breaks something goes to BUILD/fuzz/findings. Exit code 1
where anything was found, 2 where what was asked for makes no sense."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RSS_MB = 256  # what no input may take a harness beyond, AddressSanitizer's own share included
SLOWEST_S = 10
# Longest input in bytes; of the others 4096. Those of documents must hold a whole one.
MAX_LENGTH = {"record": 16384, "compare": 16384, "cache": 8192, "channel": 8192, "text": 256, "options": 256,
              "json": 2048, "parsers": 1024}
FIGURES = {"executions": r"stat::number_of_executed_units:\s*(\d+)", "rate": r"stat::average_exec_per_sec:\s*(\d+)",
           "peak": r"stat::peak_rss_mb:\s*(\d+)"}
REASON = re.compile(r"broken property: .*|SUMMARY: .*|ERROR: libFuzzer: .*|runtime error: .*")


def names_in(build):
    return sorted(path.name.removeprefix("fuzz_") for path in (build / "tests/fuzz").glob("fuzz_*")
                  if path.is_file() and os.access(path, os.X_OK))


def fuzz(build, name, seconds):
    """One harness for its share of the time, as a row of the table."""
    work = build / "fuzz"
    corpus, findings = work / "corpus" / name, work / "findings"
    for folder in (corpus, findings, work / "logs"):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = [ROOT / "tests/fuzz/seeds" / name, ROOT / "tests/fuzz/regressions" / name,
             build / "tests/fuzz/seeds" / name]
    log = work / "logs" / f"{name}.log"
    environment = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=16:malloc_context_size=4:detect_leaks=1",
                   "UBSAN_OPTIONS": "print_stacktrace=1"}
    with log.open("w", errors="replace") as out:
        code = subprocess.run(
            [build / "tests/fuzz" / f"fuzz_{name}", f"-max_total_time={seconds}", f"-timeout={SLOWEST_S}",
             f"-rss_limit_mb={RSS_MB}", f"-malloc_limit_mb={RSS_MB // 2}", f"-max_len={MAX_LENGTH.get(name, 4096)}",
             "-print_final_stats=1", "-reload=0", "-use_value_profile=0",
             f"-artifact_prefix={findings}/{name}-", corpus, *(folder for folder in seeds if folder.is_dir())],
            stdout=out, stderr=subprocess.STDOUT, env=environment, check=False).returncode
    text = log.read_text(errors="replace")
    row = {"harness": name, "code": code, "log": log}
    for key, pattern in FIGURES.items():
        found = re.findall(pattern, text)
        row[key] = int(found[-1]) if found else 0
    edges = re.findall(r" cov: (\d+)", text)
    row["edges"] = int(edges[-1]) if edges else 0
    row["corpus"] = sum(1 for _ in corpus.iterdir())
    kept = re.findall(r"Test unit written to (\S+)", text)
    row["reproducer"] = kept[-1] if kept else None
    reason = REASON.search(text)
    row["result"] = "ok" if code == 0 else reason.group(0) if reason else f"exit code {code}"
    return row


def table(rows):
    print(f"{'harness':<10} {'executions':>12} {'exec/s':>8} {'edges':>7} {'corpus':>7} {'peak MB':>8}  result")
    for row in rows:
        print(f"{row['harness']:<10} {row['executions']:>12} {row['rate']:>8} {row['edges']:>7} {row['corpus']:>7} "
              f"{row['peak']:>8}  {row['result'][:100]}")
    print(f"{'all':<10} {sum(row['executions'] for row in rows):>12}")
    for row in rows:
        if row["code"] != 0:
            print(f"{row['harness']}: {row['reproducer'] or 'no input was kept'} (log: {row['log']})")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    known = names_in(build)
    try:
        seconds = int(sys.argv[2])
    except (IndexError, ValueError):
        seconds = 0
    wanted = sys.argv[3:] or known
    unknown = [name for name in wanted if name not in known]
    if seconds <= 0 or unknown:
        what = f"there is no harness '{unknown[0]}'; known are {', '.join(known)}" if unknown else \
            "how long? a whole number of SECONDS comes first"
        print(f"dev: fuzz: {what}", file=sys.stderr)
        return 2
    jobs = max(1, min(len(os.sched_getaffinity(0)), len(wanted)))
    share = max(1, seconds * jobs // len(wanted))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(lambda name: fuzz(build, name, share), wanted))
    table(rows)
    return 1 if any(row["code"] != 0 for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
