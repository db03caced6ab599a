#!/usr/bin/env bash
# What a machine with a GPU has to tell, in the order in which one wants to know it: ./benchmarks/cuda/run.sh [BUILD] [PACKAGES]
#
# The device and versions; the tests labelled gpu; small workloads, products and convolutions, ResNet-50 and a block of
# GPT-2, each beside PyTorch where python3 has it, at the same precision and with TF32; what the libraries and the kernel cache bring;
# PACKAGES, a folder of programs that were saved elsewhere (run_packages.sh). Whatever fails, the other parts run. A table of all
# parts ends the report; the status is 1 where one failed, 77 where there is no GPU. Built before: `ninja all benchmarks`.
#
# SECONDS_EACH (2): for one time. MINUTES_EACH (20): after which a part is ended. DEVICE (cuda:0).
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:-$root/build}
packages=${2:-}
catena=$build/bin/catena
device=${DEVICE:-cuda:0}
seconds=${SECONDS_EACH:-2}
minutes=${MINUTES_EACH:-20}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

names=() results=()
failed=0

# part NAME REASON COMMAND...: runs the command unless there is a REASON not to, and keeps what became of it for the table.
part() {
    local name=$1 reason=$2 status begin=$SECONDS
    shift 2
    names+=("$name")
    printf '\n== %s\n' "$name"
    if [[ -n $reason ]]; then
        echo "not run: $reason"
        results+=("not run: $reason")
        return
    fi
    timeout "${minutes}m" "$@" 2>&1
    status=$?
    case $status in
        0) results+=("ok, $((SECONDS - begin)) s") ;;
        77) results+=("skipped by itself, see above") ;;
        124) results+=("FAILED: ended after $minutes minutes") ;;
        *) results+=("FAILED: status $status after $((SECONDS - begin)) s") ;;
    esac
    case $status in 0 | 77) ;; *) failed=1 ;; esac
    echo "-- ${results[-1]}"
}

# The first of the reasons that is not empty.
first() {
    local reason
    for reason in "$@"; do
        if [[ -n $reason ]]; then
            echo "$reason"
            return
        fi
    done
}
lacks() { [[ -x $1 ]] || echo "$1 is not built (ninja benchmarks)"; }

no_gpu=
gpu=$(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv 2>&1) || no_gpu="no GPU here: nvidia-smi does not run"
no_catena=$(lacks "$catena")
no_packages=
[[ -n $packages ]] || no_packages="no folder of them was named"
no_compiler=
[[ -n $(find "$build" -maxdepth 2 -name 'libcatena_compiler.so*' -print -quit 2>/dev/null) ]] || no_compiler="no compiler in $build"
no_torch=
python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || no_torch="python3 has no torch that sees a GPU"

bench() { "$catena" bench --device "$device" --seconds "$seconds" "$@"; }
# Kernels of tests are compiled on the host, one after another: parts of the tests run beside each other.
gpu_tests() {
    local shards i status=0 pids=()
    shards=$(nproc)
    ((shards <= 16)) || shards=16
    for ((i = 0; i < shards; ++i)); do
        GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$build/bin/test_gpu" >"$scratch/shard$i" 2>&1 &
        pids+=($!)
    done
    for ((i = 0; i < shards; ++i)); do
        wait "${pids[$i]}" || status=$?
        cat "$scratch/shard$i"
    done
    return $status
}
without_libraries() { CATENA_CUBLASLT_PATH=/none CATENA_CUDNN_PATH=/none bench mlp lenet ptb_lstm_unrolled; }
first_calls() {
    local status=0 how
    for how in empty filled; do
        echo "-- cache $how (column first s)"
        CATENA_KERNEL_CACHE=$scratch/kernels seconds=0.2 bench --variant step mlp lenet layer_norm || status=1
    done
    return $status
}
models() { "$build/bin/device_models" --device "$device" --seconds "$seconds" "$@"; }
pytorch() { python3 "$root/benchmarks/cuda/torch_times.py" --seconds "$seconds" "$@"; }
export -f bench gpu_tests without_libraries first_calls models pytorch
export build catena device seconds scratch root

no_bench=$(first "$no_gpu" "$no_catena" "$no_compiler")
no_models=$(first "$no_gpu" "$no_compiler" "$(lacks "$build/bin/device_models")")
no_pytorch=$(first "$no_gpu" "$no_torch")

part "device" "$no_gpu" echo "$gpu"
part "versions" "$(first "$no_gpu" "$no_catena")" "$catena" info
part "tests of every operation" "$(first "$no_gpu" "$no_compiler" "$(lacks "$build/bin/test_gpu")")" bash -c gpu_tests
part "small workloads" "$no_bench" bash -c bench
part "small workloads in PyTorch" "$no_pytorch" bash -c 'pytorch small'
part "products and convolutions" "$no_models" bash -c 'models products'
part "products and convolutions in PyTorch" "$no_pytorch" bash -c 'pytorch products'
part "ResNet-50 and a block of GPT-2" "$no_models" bash -c 'models models'
part "ResNet-50 and a block of GPT-2 in PyTorch" "$no_pytorch" bash -c 'pytorch models'
part "small workloads without cuBLASLt and cuDNN" "$no_bench" bash -c without_libraries
part "first calls" "$no_bench" bash -c first_calls
part "programs from files" "$(first "$no_gpu" "$no_catena" "$no_packages")" \
    "$root/benchmarks/cuda/run_packages.sh" "$catena" "$packages"

printf '\n== summary\n'
for i in "${!names[@]}"; do printf '%-46s %s\n' "${names[$i]}" "${results[$i]}"; done
[[ -z $no_gpu ]] || exit 77
exit $failed
