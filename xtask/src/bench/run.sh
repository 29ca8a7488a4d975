#!/bin/sh
# Compares the speed of warpswarm and its peers on this machine. It needs an NVIDIA driver; the peers need nvcc, and a
# python3 with PyTorch and JAX. Rust and a network are not needed.
# usage: run.sh [--quick] [--only CASE...] [--no-peers] [--out DIR], or run.sh --choices|--devices|--growth [--out DIR], or
#        run.sh --targets [--quick] [--only PROBLEM...] [--no-peers] [--out DIR]
PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin"
export PATH
exec "$(dirname "$0")/xtask" bench gpu "$@"
