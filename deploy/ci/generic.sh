#!/bin/sh
# For any CI system, or none: runs a command on leased GPUs. What is wanted stands in variables, as docs/ci.md lists them:
#
#     export GPU_BROKER_URL=https://gpu.example.com GPU_BROKER_TOKEN=...    or GPU_BROKER_OIDC_TOKEN
#     GPU_LEASE_GPUS=8 GPU_LEASE_MODEL=A100 GPU_LEASE_MAX_WAIT=2h sh deploy/ci/generic.sh python train.py
#
# Without words of its own it runs the script in GPU_LEASE_RUN.
set -eu
here=$(cd -P -- "$(dirname -- "$0")" && pwd)
if [ "$#" -gt 0 ]; then
    set -- lease -- "$@"
fi
exec sh "$here/lib/gpu-broker.sh" "$@"
