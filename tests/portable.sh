# SPDX-License-Identifier: MIT
# ./dev portable, which reads this file: builds for another processor, for another system and by other compilers. Each
# part says what it took, or why it was left out; nothing that it unpacks is installed.

portable_tests=(probe_core_test probe_unify_test report_test)
# Two tests over generated machines, which take nine tenths of all the time: left out under the emulator.
slow_tests='*HoldOnEveryMachine*:Faces.NameTheSameWay'
arm_emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
# The oldest that are promised, those of Debian 12 and 13, and what lies between.
portable_compilers=(g++-12 g++-13 g++-14 clang++-14 clang++-16 clang++-19)
# Headers and archives for Arm. Their libraries would be loaded by nobody here, but they stay out of the way all the same.
arm_packages=(nlohmann-json3-dev libfmt-dev libcli11-dev libhwy-dev libxxhash-dev libvulkan-dev opencl-c-headers
  ocl-icd-opencl-dev libhwloc-dev libdrm-dev libgtest-dev libgmock-dev)

# What is linked for macOS, by what uname(1) calls the processors there; the headers are of packages that a build wants anyhow.
declare -A macos_names=([aarch64]=arm64 [x86_64]=x86_64)
oldest_macos=11.0
macos_headers=(nlohmann-json3-dev libfmt-dev libcli11-dev libhwy-dev libxxhash-dev libvulkan-dev opencl-c-headers)

# part NAME FUNCTION [ARGUMENTS]: runs it and keeps a line on how it went. A function that can not run says why in
# $skipped and fails.
portable_lines=() portable_failed=()
part() {
  local name=$1 start=$SECONDS how=passed
  shift
  skipped=
  if ! "$@" >&2; then
    how=FAILED
    if [[ $skipped ]]; then how="skipped: $skipped"; else portable_failed+=("$name"); fi
  fi
  portable_lines+=("$(printf '%-12s %5d s  %s' "$name" $((SECONDS - start)) "$how")")
}

# run_programs DIRECTORY EMULATOR PROGRAM...: each in one process, for an emulator takes a second to start one.
run_programs() {
  local directory=$1 emulator=$2 program
  shift 2
  for program in "$@"; do
    # shellcheck disable=SC2086  # the emulator is a command with arguments, or nothing
    WHICHGPU_GOLDENS=$PWD/tests/report/golden $emulator "$(find "$directory/tests" -name "$program" -type f)" \
      --gtest_brief=1 ${emulator:+"--gtest_filter=-$slow_tests"} || return 1
  done
}

build_for_arm() {
  need g++-aarch64-linux-gnu qemu-user-static || { skipped="no cross compiler or emulator of Arm"; return 1; }
  unpack_root arm64 "$PWD/build/arm64-root" "${arm_packages[@]}" || { skipped="Arm's libraries can not be had"; return 1; }
  configure arm64 && build arm64 "${portable_tests[@]}" && run_programs build/arm64 "$arm_emulator" "${portable_tests[@]}" &&
    build arm64 whichgpu && $arm_emulator build/arm64/report/whichgpu --version
}

build_by() {
  local compiler=$1 directory=build/portable/$1 package=${1/clang++/clang}
  # apt takes a name that it does not know for a pattern, and would install whatever fits it.
  apt-cache show "^${package//+/\\+}\$" >/dev/null 2>&1 || { skipped="apt has no $package here"; return 1; }
  need "$package" || { skipped="$package can not be installed"; return 1; }
  configure release -B "$directory" -DCMAKE_CXX_COMPILER="$compiler" -DWHICHGPU_TESTS=ON -DWHICHGPU_WERROR=ON &&
    cmake --build "$directory" --parallel "$(nproc)" --target whichgpu "${portable_tests[@]}" &&
    run_programs "$directory" "" "${portable_tests[@]}"
}

# copy_headers FOLDER PACKAGE...: what installed packages have of headers and of files for CMake, without those of this
# machine's C library, which lie beside them.
copy_headers() {
  local to=$1
  shift
  rm -rf "$to.part"
  mkdir -p "$to.part" &&
    dpkg -L "$@" | grep -E '^/usr/(include|share/cmake|lib/([^/]+/)?cmake)/' | while read -r path; do [[ -d $path ]] || echo "$path"; done |
    tar -C / -chf - -T - 2>/dev/null | tar -C "$to.part" -xf - && rm -rf "$to" && mv "$to.part" "$to"
}

# build_for_macos PROCESSOR: links build/for-macos-PROCESSOR/report/whichgpu and api/libwhichgpu.dylib, and looks at what they
# ask of a Mac.
build_for_macos() {
  local directory=build/for-macos-$1 name=${macos_names[$1]}
  write_tools "$1-macos.$oldest_macos" "$PWD/$directory/tools" && copy_headers "$PWD/$directory/root" "${macos_headers[@]}" || return 1
  (
    export ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/build/zig-cache
    export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK="string:$release_zig $1 macos $oldest_macos"
    configure release -B "$directory" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig-macos.cmake" -DWHICHGPU_MACOS_PROCESSOR="$name" \
      -DWHICHGPU_MACOS_ROOT="$PWD/$directory/root" -DWHICHGPU_MACOS_TOOLS="$PWD/$directory/tools" -DWHICHGPU_TESTS=OFF \
      -DWHICHGPU_BENCH=OFF -DWHICHGPU_WERROR=ON && cmake --build "$directory" --parallel "$(nproc)" --target whichgpu libwhichgpu
  ) && python3 -B tests/mach_o.py "$directory/report/whichgpu" "$name" "$oldest_macos" &&
    python3 -B tests/mach_o.py "$directory/api/libwhichgpu.dylib" "$name" "$oldest_macos" @rpath/libwhichgpu.0.dylib api/whichgpu.h
}

compile_for_macos() {
  local rc=0
  unpack_wheels "$release_zig"
  [[ -x build/vendor/wheels/ziglang/ziglang/zig ]] || { skipped="pip can not get $release_zig here"; return 1; }
  configure release || return 1  # makes the headers of data/
  python3 -B tests/lint/macos_test.py . build/release/generated build/portable/macos /usr/include || rc=$?
  ((rc != 77)) || skipped="no ziglang"
  ((!rc)) && build_for_macos aarch64 && build_for_macos x86_64
}

# All parts, or those named: arm64, macos, or a compiler.
run_portable() {
  local name
  (($#)) || set -- macos arm64 "${portable_compilers[@]}"
  for name in "$@"; do
    [[ $name =~ ^(arm64|macos|(g|clang)\+\+-[0-9]+)$ ]] ||
      { echo "dev: portable has no part '$name': arm64, macos, or a compiler as g++-13 or clang++-16" >&2; return 2; }
  done
  for name in "$@"; do
    case "$name" in
      arm64) part arm64 build_for_arm ;;
      macos) part macos compile_for_macos ;;
      *) part "$name" build_by "$name" ;;
    esac
  done
  printf '%s\n' "${portable_lines[@]}"
  ((!${#portable_failed[@]})) || { echo "dev: failures of ${portable_failed[*]}" >&2; return 1; }
}
