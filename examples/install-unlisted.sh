#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds whisper.cpp, which is in no table of whichgpu, by the backend that this machine should use.
set -eu
answer=$(whichgpu recommend --for inference --target cmake --among cuda,hip,vulkan,cpu --format shell "$@")
eval "$answer"
case $WHICHGPU_BACKEND in
  cuda) switch=-DGGML_CUDA=ON ;;
  hip) switch=-DGGML_HIP=ON ;;
  vulkan) switch=-DGGML_VULKAN=ON ;;
  *) switch=-DGGML_NATIVE=ON ;;
esac
git clone --depth 1 https://github.com/ggml-org/whisper.cpp
cmake -S whisper.cpp -B build $switch $WHICHGPU_OPTIONS # two options or more, none with blanks
cmake --build build --parallel
