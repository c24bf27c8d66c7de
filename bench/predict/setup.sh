#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench/predict/setup.sh FOLDER: what predict.py needs, below FOLDER: a Python environment with gguf and numpy, and
# llama-bench with llama.cpp's kernels for processors of several generations, built from the source that the package
# llama-cpp-python carries; with --torch, an environment with torch, too. Needs python3-venv, cmake, ninja, PyPI and clang 19
# or g++ 13: g++ 12 drops the configuration of AMX tiles in llama.cpp's kernels, which then end with SIGILL.
set -euo pipefail
folder=$(realpath -m "${1:?a FOLDER to build in}")
version=0.3.36
# As ggml names them: AVX2; AVX-VNNI; AVX-512 VNNI; with AMX.
variants=(haswell alderlake icelake sapphirerapids)

mkdir -p "$folder"
[[ -x $folder/venv/bin/python ]] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet gguf numpy

if [[ ${2:-} == --torch && ! -x $folder/torch/bin/python ]]; then
  python3 -m venv "$folder/torch"
  "$folder/torch/bin/pip" install --quiet torch numpy
fi

if [[ ! -d $folder/llama_cpp_python-$version ]]; then
  "$folder/venv/bin/pip" download --quiet --no-deps --no-binary llama-cpp-python --dest "$folder" "llama-cpp-python==$version"
  tar -C "$folder" -xzf "$folder/llama_cpp_python-$version.tar.gz"
fi

# The compiler's environment may name libraries that are not for linking with.
unset LIBRARY_PATH
command -v clang++-19 > /dev/null && export CC=clang-19 CXX=clang++-19
cmake -S "$folder/llama_cpp_python-$version/vendor/llama.cpp" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF \
  -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF
cmake --build "$folder/build" --target llama-bench "${variants[@]/#/ggml-cpu-}"
# ggml loads the best of what it finds beside the program: one folder each, so that each can be asked for.
for variant in "${variants[@]}"; do
  mkdir -p "$folder/bin/$variant"
  cp -a "$folder"/build/bin/llama-bench "$folder"/build/bin/lib*.so* "$folder/bin/$variant/"
  find "$folder/bin/$variant" -name 'libggml-cpu-*' ! -name "libggml-cpu-$variant.so" -delete
done
