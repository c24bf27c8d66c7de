#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench/run.sh BUILD [ROW...]: compares the processor's kernels with their peers and keeps what it finds in
# bench/results/<processor>-<date>.json; rows that were not asked for keep what an earlier run found.
set -euo pipefail
build=$1
shift
# Idle threads of one side must sleep while the other is timed: read when OpenMP's runtime starts.
export OMP_WAIT_POLICY=passive
exec "$build/bench/bench_peers" --to "$(dirname "$0")/results" "$@"
