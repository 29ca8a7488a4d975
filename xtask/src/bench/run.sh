#!/bin/sh
# Measures warpswarm beside its peers on this machine, which needs an NVIDIA driver; for the peers nvcc, and a python3 with
# PyTorch and JAX. Nothing of Rust, and no network.
# usage: run.sh [--quick] [--only CASE...] [--no-peers] [--out DIR], or run.sh --choices|--devices|--growth [--out DIR], or
#        run.sh --targets [--quick] [--only PROBLEM...] [--no-peers] [--out DIR]
PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin"
export PATH
exec "$(dirname "$0")/xtask" bench gpu "$@"
