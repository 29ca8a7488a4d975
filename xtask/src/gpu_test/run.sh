#!/usr/bin/env bash
# Runs the GPU tests on this machine. It needs an NVIDIA driver, but no Rust.
# usage: run.sh [--sanitize]
#   --sanitize  also runs the tests with `sanitize` in their name, under each tool of NVIDIA's
#               compute-sanitizer (from a CUDA toolkit)
# Fails if there is no GPU, if a test fails, or if no test ran.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fail() {
    echo "gpu-test: $*" >&2
    exit 1
}

# Runs a command that ends with libtest's summary, and fails if the summary counts no test.
tested() {
    "$@" 2>&1 | tee "$log"
    grep -Eq '^test result: ok\. [1-9][0-9]* passed' "$log" || fail "no test ran: $*"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
sanitize=false
for argument in "$@"; do
    case $argument in
        --sanitize) sanitize=true ;;
        *) fail "unknown argument $argument" ;;
    esac
done

nvidia-smi -L 2>/dev/null || [ -e /dev/nvidiactl ] || fail "this machine has no NVIDIA GPU"
# Show the output of tests, which contains figures: `reliability: NAME = NUMBER`.
tested ./gpu --test-threads=1 --show-output
# Kernels with constants are compiled for every set of constants.
WARPSWARM_KNOWN_TEXTS=100000 tested ./gpu --exact every_number_of_dimensions_as_a_constant

if $sanitize; then
    PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin"
    command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not installed"
    for tool in memcheck racecheck initcheck synccheck; do
        echo "== compute-sanitizer --tool $tool"
        options=(--tool "$tool" --error-exitcode 1)
        # racecheck reports a race for each tagged word that blocks of a cluster or warps of a block exchange; these
        # words are written and read at the same time. The kernels of epochs have one instruction that writes such
        # words, so another one is an error. racecheck crashes kernels that it is told to skip (2025.3.1), so it checks
        # all kernels, and the known reports are filtered here.
        if [ $tool = racecheck ]; then
            options=(--tool "$tool" --print-limit 100000)
        fi
        tested compute-sanitizer "${options[@]}" ./gpu --test-threads=1 sanitize
        if grep 'Race reported' "$log" | grep -vE 'access at pso_(resident_cluster|epochs_grid)'; then
            fail "racecheck found races"
        fi
        if grep -o 'Write access at pso_epochs_grid[a-z0-9_]*+0x[0-9a-f]*' "$log" | sort -u | sed 's/+.*//' | uniq -d | grep .; then
            fail "racecheck found races besides those of tagged words"
        fi
        ! grep -q 'Internal Sanitizer Error' "$log" || fail "$tool failed itself"
    done
fi
echo "gpu-test: passed"
