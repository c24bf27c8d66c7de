#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs PyTorch into a virtual environment, in the build for this machine, and leaves there what starts it on the right
# GPU:  install-pytorch.sh FOLDER [OPTIONS OF whichgpu recommend...]
# Lines that join or convert what whichgpu says, or hand it on, end in "glue".
set -eu

fail() {
  echo "install-pytorch: $1" >&2
  exit "${2:-1}"
}

say() {
  echo "install-pytorch: $1"
}

[ $# -ge 1 ] || fail "it needs the folder of the environment" 2
case $1 in
  /*) folder=$1 ;;
  *) folder=$PWD/$1 ;;
esac
shift

for program in python3 whichgpu; do
  command -v "$program" >/dev/null || fail "$program is not there; install it first"
done

answer=$(whichgpu recommend --for training --target pytorch --format shell "$@") || fail "no build fits here" # glue
eval "$answer" # glue

if [ -e "$folder/bin/python" ]; then
  say "using the environment $folder"
else
  say "making the environment $folder"
  python3 -m venv "$folder"
fi
mkdir -p "$folder/bin"
PATH=$folder/bin:$PATH
export PATH

say "installing $WHICHGPU_ARTEFACT for $WHICHGPU_BACKEND on $WHICHGPU_NAME" # glue
log=$folder/install.log
if ! sh -c "$WHICHGPU_COMMAND" >"$log" 2>&1; then # glue
  tail -n 20 "$log" >&2
  fail "the installation failed; $log has all that it said"
fi

start=$folder/bin/with-gpu
{
  echo '#!/bin/sh'
  echo "exec env $WHICHGPU_VISIBLE $WHICHGPU_DRIVER \"\$@\"" # glue
} >"$start"
chmod +x "$start"

python3 -c 'import torch' || fail "what was installed does not start here; see $log"
say "done: $start python3 YOUR_PROGRAM"
