#!/bin/sh
# SPDX-License-Identifier: MIT
# What an installer does with an answer: installer.sh WHICHGPU ARGUMENTS... prints the choice.
set -eu
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi
whichgpu=$1
shift

token=$("$whichgpu" recommend "$@" 2>/dev/null)
case $token in
  cpu|cuda|hip|level_zero|metal|opencl|vulkan) ;;
  *) echo "unexpected token '$token'" >&2; exit 1 ;;
esac

answer=$("$whichgpu" recommend --format shell "$@" 2>/dev/null)
eval "$answer"
[ "$WHICHGPU_BACKEND" = "$token" ]

answer=$("$whichgpu" recommend --format env "$@" 2>/dev/null)
before="$WHICHGPU_STATUS $WHICHGPU_BACKEND $WHICHGPU_DEVICE $WHICHGPU_VISIBLE"
eval "$answer"
[ "$WHICHGPU_STATUS $WHICHGPU_BACKEND $WHICHGPU_DEVICE $WHICHGPU_VISIBLE" = "$before" ]

env ${WHICHGPU_VISIBLE:+"$WHICHGPU_VISIBLE"} \
  printf '%s|%s|%s|%s\n' "$WHICHGPU_STATUS" "$WHICHGPU_BACKEND" "$WHICHGPU_DEVICE" "$WHICHGPU_VISIBLE"
