# SPDX-License-Identifier: MIT
# ./dev release, which reads this file: one program a processor that starts on every Linux with that glibc, its wheel, and what
# is inside. The same commit gives the same bytes, from any folder.

# zig's clang brings its own C++ library and knows the symbols of each older glibc, for every processor.
release_glibc=2.28
# This line is the only one that says which: cmake/zig-macos.cmake reads it, too.
release_zig=ziglang==0.17.1
release_processors=(x86_64 aarch64)
# Headers and archives of what is inside, for the processor that is built for. Whoever adds one adds it to parts.json.
release_packages=(nlohmann-json3-dev libfmt-dev libcli11-dev libhwy-dev libxxhash-dev libvulkan-dev opencl-c-headers
  libhwloc-dev libdrm-dev)
release_tools=(cmake ninja-build ccache python3 binutils ca-certificates)
declare -A debian_names=([x86_64]=amd64 [aarch64]=arm64)

# write_tools TARGET FOLDER: zig's compiler and archiver under the names of programs.
write_tools() {
  local target=$1 folder=$2 zig=$PWD/build/vendor/wheels/ziglang/ziglang/zig tool
  local -A commands=([c++]="c++ -target $target" [ar]=ar [ranlib]=ranlib [zig]=)
  [[ -x $zig ]] || { echo "dev: nothing is built for others without $release_zig" >&2; return 1; }
  mkdir -p "$folder"
  for tool in "${!commands[@]}"; do
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "${commands[$tool]}" >"$folder/$tool.new"
    chmod +x "$folder/$tool.new"
    # A file that is as it was keeps its date, by which ccache knows a compiler.
    if cmp -s "$folder/$tool.new" "$folder/$tool"; then rm "$folder/$tool.new"; else mv "$folder/$tool.new" "$folder/$tool"; fi
  done
}

# build_for PROCESSOR: leaves build/for-PROCESSOR/report/whichgpu.
build_for() {
  local processor=$1 directory=build/for-$1
  local root=$PWD/$directory/root
  write_tools "$processor-linux-gnu.$release_glibc" "$PWD/$directory/tools"
  unpack_root "${debian_names[$processor]}" "$root" "${release_packages[@]}" ||
    { echo "dev: the packages of ${debian_names[$processor]} can not be had" >&2; return 1; }
  export ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/build/zig-cache
  export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK="string:$release_zig $processor $release_glibc"
  configure release -B "$directory" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -DWHICHGPU_RELEASE_ARCH="$processor" \
    -DWHICHGPU_RELEASE_ROOT="$root" -DWHICHGPU_RELEASE_TOOLS="$PWD/$directory/tools" -DWHICHGPU_TESTS=OFF -DWHICHGPU_BENCH=OFF &&
    cmake --build "$directory" --parallel "$(nproc)" --target whichgpu >&2
}

# make_release [PROCESSOR...]: everything into build/release-files, which is replaced as a whole.
make_release() {
  local processor out=$PWD/build/release-files version
  (($#)) || set -- "${release_processors[@]}"
  for processor in "$@"; do
    [[ ${debian_names[$processor]-} ]] || { echo "dev: release knows no processor '$processor': ${release_processors[*]}" >&2; return 2; }
  done
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)}
  [[ $SOURCE_DATE_EPOCH =~ ^[0-9]+$ ]] ||
    { echo "dev: this is no clone: set SOURCE_DATE_EPOCH to the seconds since 1970 that the release is to be from" >&2; return 2; }
  export SOURCE_DATE_EPOCH
  need "${release_tools[@]}"
  unpack_wheels "$release_zig"
  version=$(sed -n 's/^project(whichgpu VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  rm -rf "$out.part"
  mkdir -p "$out.part"
  for processor in "$@"; do
    build_for "$processor"
    pack "$processor" "$version" "$out.part"
  done
  cp LICENSE "$out.part"
  (cd "$out.part" && LC_ALL=C sha256sum -- * >../SHA256SUMS.part && mv ../SHA256SUMS.part SHA256SUMS)
  rm -rf "$out"
  mv "$out.part" "$out"
  (cd "$out" && ls -l >&2)
}

# pack PROCESSOR VERSION FOLDER: the program, what is inside, the notices that its parts want, and the wheel.
pack() {
  local processor=$1 version=$2 out=$3 build=$PWD/build/for-$1
  local program=$out/whichgpu-$version-$processor
  install -m 755 "$build/report/whichgpu" "$program"
  python3 -B release/sbom.py "$build" "$program" --version "$version" --packages "$build/root" \
    --zig "$PWD/build/vendor/wheels/ziglang" --glibc "$release_glibc" --sbom "$program.spdx.json" --notices "$program.NOTICES.txt"
  python3 -B python/make_wheel.py "$program" --version "$version" --glibc "$release_glibc" --processor "$processor" \
    --sbom "$program.spdx.json" --notices "$program.NOTICES.txt" --out "$out"
}
