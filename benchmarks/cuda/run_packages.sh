#!/usr/bin/env bash
# Times of programs that were saved elsewhere: ./benchmarks/cuda/run_packages.sh CATENA FOLDER
# FOLDER is what `catena bench --save FOLDER --cuda sm_80,sm_90,compute_90` wrote. CATENA is the program of a build that
# needs no LLVM (-DCATENA_COMPILER=OFF). DEVICE (cuda:0), STEPS (200). All are run; the status is 1 where one failed.
set -uo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
catena=$1 folder=$2 device=${DEVICE:-cuda:0} steps=${STEPS:-200}
export CATENA_COMPILER_PATH=/nowhere CATENA_NVRTC_PATH=/nowhere  # Whatever this machine has: packages need neither.
failed=0

times() {
    local program line
    for program in "$folder"/*.catena; do
        line=$("$catena" run "$program" "${program%.catena}.npz" --device "$device" --repeat "$steps" | grep '^first step') || {
            line="failed"
            failed=1
        }
        printf '%-20s %s\n' "$(basename "$program" .catena)" "$line"
    done
}
echo "== programs from files"
times
echo "== the same without cuBLASLt and cuDNN"
export CATENA_CUBLASLT_PATH=/none CATENA_CUDNN_PATH=/none
times
exit $failed
