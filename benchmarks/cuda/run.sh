#!/usr/bin/env bash
# What a machine with a GPU has to tell: ./benchmarks/cuda/run.sh [BUILD] [PACKAGES] > report.txt
# The tests labelled gpu, then times of the workloads: with the libraries, with generated kernels alone, the first call
# with an empty and with a filled kernel cache, and beside PyTorch where python3 has it. PACKAGES is a folder of programs
# that were saved elsewhere (run_packages.sh); a build without the compiler runs these alone.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:-$root/build}
catena=$build/bin/catena

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv; then
    echo "no GPU here: nvidia-smi does not run" >&2
    exit 77
fi
"$catena" info
if [[ -n ${2:-} ]]; then "$root/benchmarks/cuda/run_packages.sh" "$catena" "$2"; fi
if [[ -z $(find "$build" -maxdepth 2 -name libcatena_compiler.so -print -quit) ]]; then
    echo "== no compiler in $build: programs from files were all"
    exit
fi

echo "== tests"
"$build/bin/test_gpu"

bench() { "$catena" bench --device cuda:0 --seconds "${SECONDS_EACH:-2}" "$@"; }
echo "== times"
bench
echo "== times without cuBLASLt and cuDNN"
CATENA_CUBLASLT_PATH=/nowhere CATENA_CUDNN_PATH=/nowhere bench mlp lenet ptb_lstm_unrolled

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
echo "== first call (column first_s), cache empty, then filled"
for _ in 1 2; do CATENA_KERNEL_CACHE=$cache/kernels SECONDS_EACH=0.2 bench --variant step mlp lenet layer_norm; done

if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    echo "== PyTorch"
    python3 "$root/benchmarks/cuda/torch_times.py"
else
    echo "== PyTorch: python3 has no torch that sees the GPU"
fi
