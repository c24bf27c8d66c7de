#!/bin/sh
# SPDX-License-Identifier: MIT
# What an installer does with an answer: installer.sh WHICHGPU ARGUMENTS... prints the choice.
set -eu
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi
whichgpu=$1
shift

token=$("$whichgpu" recommend "$@" 2>/dev/null)
case $token in
  cpu|cuda|hip|level_zero|metal|opencl|sycl|vulkan) ;;
  *) echo "unexpected token '$token'" >&2; exit 1 ;;
esac

variables="STATUS BACKEND DEVICE VISIBLE DRIVER NAME VENDOR ARCH DRIVER_VERSION API_VERSION MEMORY_MIB"
values() {
  for name in $variables; do eval "printf '%s|' \"\$WHICHGPU_$name\""; done
}

answer=$("$whichgpu" recommend --format shell "$@" 2>/dev/null)
eval "$answer"
[ "$WHICHGPU_BACKEND" = "$token" ]

before=$(values)
for name in $variables FREE_MIB; do unset "WHICHGPU_$name"; done
answer=$("$whichgpu" recommend --format env "$@" 2>/dev/null)
eval "$answer"
[ "$(values)" = "$before" ]
[ "${WHICHGPU_FREE_MIB+set}" ]  # another at every moment

env ${WHICHGPU_VISIBLE:+"$WHICHGPU_VISIBLE"} \
  printf '%s|%s|%s|%s\n' "$WHICHGPU_STATUS" "$WHICHGPU_BACKEND" "$WHICHGPU_DEVICE" "$WHICHGPU_VISIBLE"
