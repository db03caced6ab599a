#!/usr/bin/env bash
# What a machine with a GPU has to tell about Catena, within a quarter of an hour: run.sh [--list] [PART ...]
#
# Runs in a bundle that pack.sh made, whose programs lie beside it, or in a checkout with the programs of BUILD
# (../../build; built before: `ninja catena_tool catena_compiler catena_cuda catena_nccl test_gpu device_products`). Without
# names it runs all parts, in the order of what one wants to know first. Each has a limit of its own, and all limits
# together are no more than LIMIT; a part that hangs is ended, one that fails or lacks something is told, and the others
# run. With a smaller LIMIT what no longer fits is left out. --list prints the parts, with their seconds, and runs none.
#
#   LIMIT (900)       seconds for all together        PART_SECONDS   the most that one part may take
#   OUT (./sitting)   where the files are written     EACH (0.5)     seconds for one time
#   DEVICE (cuda:0)                                   QUICK=1        smallest sizes, to see that all runs
#
# OUT/results.jsonl has a line for each part and each time, with card, driver, commit and date (`results.py add` keeps
# them in a checkout); OUT/log all output; OUT/*.csv profiles. The last lines printed are the tables. The status is 1
# where a part failed, 77 where there is no GPU. Nothing changes the card's settings. Needs bash, coreutils and Python 3.
set -uo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ -x $here/bin/catena ]]; then root=$here; else root=$(cd "${BUILD:-$here/../../build}" && pwd) || exit 2; fi
list=
if [[ ${1:-} == --list ]]; then list=1; shift; fi
limit=${LIMIT:-900}
device=${DEVICE:-cuda:0}
out=${OUT:-$PWD/sitting}
if [[ -z $list ]]; then mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2; fi
log=$out/log
results=$out/results.jsonl
if [[ -z $list ]]; then : >"$results" && : >"$log" || exit 2; fi
quick=${QUICK:-}
each=${EACH:-$([[ -n $quick ]] && echo 0.01 || echo 0.5)}

catena=$root/bin/catena
gpu=
if [[ -z $list ]]; then
    [[ -x $catena ]] || { echo "run: $catena is not there; build it, or set BUILD" >&2; exit 2; }
    gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)
    [[ -n $gpu ]] || { echo "run: no GPU here: nvidia-smi does not run" >&2; exit 77; }
fi
card=${gpu%%, *} driver=${gpu##*, }
commit=$(cat "$root/commit" 2>/dev/null || git -C "$here" rev-parse HEAD 2>/dev/null || echo unknown)
date=$(date -u +%FT%TZ)

# What is compiled is kept beside the programs: a second run finds it.
cache=${CACHE:-$here/cache}
if [[ -z $list ]]; then
    if ! mkdir -p "$cache/kernels" "$cache/tmp" 2>/dev/null; then cache=$out/cache; mkdir -p "$cache/kernels" "$cache/tmp"; fi
    chmod 700 "$cache" "$cache/kernels" "$cache/tmp"
fi
export LD_LIBRARY_PATH=$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CATENA_KERNEL_CACHE=${CATENA_KERNEL_CACHE:-$cache/kernels} CATENA_CACHE_DIR=$cache TEST_TMPDIR=$cache/tmp/
export TORCHINDUCTOR_CACHE_DIR=$cache/inductor TRITON_CACHE_DIR=$cache/triton JAX_COMPILATION_CACHE_DIR=$cache/jax
export PYTHONUNBUFFERED=1 here root results card driver commit date device out catena each quick

names=() states=() failed=0
left() { echo $((limit - SECONDS)); }

# part SECONDS NAME FUNCTION [WORD ...]: ends the function after so many seconds. 77 says that it lacks something.
part() {
    local most=$1 name=$2 begin=$SECONDS status state words group
    shift 2
    if [[ -n $list ]]; then printf '%d\t%s\n' "$most" "$name"; return; fi
    if (($(left) < most / 3)); then
        state="left out: $(left) s are left, it may take $most"
    else
        (($(left) >= most)) || most=$(left)
        [[ -z ${PART_SECONDS:-} ]] || ((PART_SECONDS > most)) || most=$PART_SECONDS
        printf '\n== %s (at most %d s)\n' "$name" "$most" | tee -a "$log"
        printf -v words '%q ' "$@"
        timeout -k 5 "$most" bash -o pipefail -c "$words" >>"$log" 2>&1 &
        group=$!
        wait "$group"
        status=$?
        # What does not end when asked to, and is not the first process itself, is still there.
        kill -KILL -- "-$group" 2>/dev/null
        case $status in
            0) state=ok ;;
            77) state="skipped: $(tail -1 "$log")" ;;
            124 | 137) state="FAILED: not done after $most s" ;;
            *) state="FAILED: status $status" ;;
        esac
    fi
    case $state in FAILED*) failed=1 ;; esac
    echo "-- $state, $((SECONDS - begin)) s" | tee -a "$log"
    names+=("$name") states+=("$state, $((SECONDS - begin)) s")
    python3 -c 'import json, sys; print(json.dumps({"part": sys.argv[1], "state": sys.argv[2], "seconds": int(sys.argv[3])}))' \
        "$name" "$state" $((SECONDS - begin)) | keep >/dev/null
}

# Lines of standard input that are JSON objects go to the results, with what they were measured under.
keep() { python3 "$here/results.py" keep "$results" "date=$date" "card=$card" "driver=$driver" "commit=$commit" \
    ${quick:+quick=true} "$@"; }
lacks() { [[ -x $root/bin/$1 ]] || { echo "$1 is not there"; exit 77; }; }

device_and_versions() { nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv; "$catena" info; }

# ceilings: what this card can do at most, by Catena. Kept in its cache, too, for the shares in the profiles below.
ceilings_of_card() { "$catena" bench --ceilings --json --device "$device" | keep; }

# rows PRECISION[,PRECISION ...] WORKLOAD ...: times of whole steps. FACTS: what else their lines say. Where bfloat16 or
# float16 are multiplied, what stays float32 may be rounded to TF32.
rows() {
    local precisions=$1
    shift
    [[ -z $quick ]] || set -- mushroom
    CATENA_TF32=1 "$catena" bench --json --device "$device" --seconds "$each" --dtype "$precisions" \
        --variant step "$@" | keep ${FACTS:+"$FACTS"}
}
measured_engines() {
    FACTS=autotune=false CATENA_AUTOTUNE=0 rows tf32 vgg16_cifar resnet20 unet &&
        FACTS=autotune=true CATENA_AUTOTUNE=1 rows tf32 vgg16_cifar resnet20 unet
}

# profile PRECISION WORKLOAD: what each launch takes, and which engine computes it.
profile() {
    local precision=$1 row=$2
    [[ -z $quick ]] || row=mushroom
    CATENA_TF32=1 "$catena" bench --device "$device" --seconds "$each" --dtype "$precision" --variant step \
        --profile "$row" 2>&1 | tee "$out/profile_$2_$precision.txt" | head -60
}

# peers NAME ...: PyTorch and JAX on the same rows.
peers() {
    python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null ||
        { echo "python3 has no torch that sees a GPU"; exit 77; }
    python3 "$here/peers.py" --seconds "$each" "$@" | keep
}
engines() {
    python3 -c 'import torch, cudnn' 2>/dev/null ||
        { echo "python3 has no torch with the package nvidia-cudnn-frontend"; exit 77; }
    python3 "$here/engines.py" >"$out/engines.tsv" && grep '^#' "$out/engines.tsv"
}
products() { lacks device_products; "$root/bin/device_products" --device "$device" --seconds "$each" ${quick:+--divisor 64} | keep; }

# tests FILTER: in as many processes as there are processors; what fails is at the end of the log.
tests() {
    local count folder i status=0 pids=()
    lacks test_gpu
    count=${SHARDS:-$(nproc)}
    folder=$(mktemp -d)
    for ((i = 0; i < count; ++i)); do
        GTEST_TOTAL_SHARDS=$count GTEST_SHARD_INDEX=$i "$root/bin/test_gpu" --gtest_filter="$1" --gtest_brief=1 >"$folder/$i" 2>&1 &
        pids+=($!)
    done
    for ((i = 0; i < count; ++i)); do
        wait "${pids[$i]}" || status=1
        cat "$folder/$i"
    done
    rm -rf "$folder"
    return $status
}
# sanitize TOOL: a 64th of the op table, another one each day.
sanitize() {
    lacks test_gpu
    command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is not there"; exit 77; }
    CATENA_CUDA_GRAPHS=0 GTEST_TOTAL_SHARDS=64 GTEST_SHARD_INDEX=$(($(date +%s) / 86400 % 64)) \
        compute-sanitizer --tool "$1" --error-exitcode 9 "$root/bin/test_gpu" --gtest_filter='*GpuRows*' --gtest_brief=1 | tail -n 40
}
packages() {
    [[ -d $root/packages ]] || { echo "no folder of programs in files lies in the bundle"; exit 77; }
    STEPS=50 "$here/run_packages.sh" "$catena" "$root/packages"
}
export -f keep lacks device_and_versions ceilings_of_card rows measured_engines profile peers engines products tests sanitize packages

# Each is a group that can be named, in the order of worth: times, alone on the card, with what they are shares of; what
# must be right, many processes at a time; then what they are compared with and where the time goes.
device() { part 20 "device and versions" device_and_versions; }
ceilings() { part 30 "ceilings of this card" ceilings_of_card; }
steps() {
    part 50 "large rows, bfloat16" rows bfloat16 resnet50_64 gpt2_block gpt2_16x1024
    part 35 "large rows, float32 and TF32" rows float32,tf32 resnet50_64 gpt2_block
    part 60 "rows in float32, TF32 and bfloat16" rows float32,tf32,bfloat16 resnet50 gpt2_small transformer vgg16_cifar
    part 30 "small rows, float32" rows float32 mlp lenet layer_norm gelu_chain
    part 20 "a word at a time, bfloat16" rows bfloat16 gpt_decode
    part 25 "large rows, float16" rows float16 resnet50_256
}
right() {
    if [[ -n $quick ]]; then
        part 120 "tests" tests 'Gpu.tells*'
        return
    fi
    part 120 "tests: what only a card shows" tests '*OnTheCard*:Gpu.rounds*:Gpu.tells*:Gpu.copies*'
    part 60 "tests: op table" tests '*GpuRows*'
    part 50 "tests: workloads" tests 'Gpu.trains*:Gpu.gives*:Gpu.convolves*'
}
profiles() {
    part 30 "profile of ResNet-50" profile bfloat16 resnet50_64
    part 30 "profile of GPT-2" profile bfloat16 gpt2_16x1024
}
libraries() { part 40 "engines of cuDNN for ResNet-50" engines; }
compared() {
    part 20 "ceilings by PyTorch" peers ceilings
    part "${PEERS_SECONDS:-130}" "PyTorch and JAX on the same rows" peers --left $((${PEERS_SECONDS:-130} - 15)) models
}
# One of the sanitizers, another one each day.
more() {
    [[ -n $quick ]] || CATENA_FUZZ_SEED=$(date +%y%m%d)00 CATENA_FUZZ_FUNCTION_PROGRAMS=${PROGRAMS_OF_FUZZ:-64} \
        part 40 "tests: random programs, seed of the day" tests '*GpuPrograms*:*GpuConvolutions*'
    part 20 "products and convolutions" products
    part 30 "measured engines" measured_engines
    part 20 "programs from files" packages
    local tools=(memcheck racecheck initcheck)
    local tool=${tools[$(($(date +%s) / 86400 % 3))]}
    part 40 "$tool of a 64th of the op table" sanitize "$tool"
}
groups=(device ceilings steps right profiles libraries compared more)
for name in "${@:-${groups[@]}}"; do
    [[ " ${groups[*]} " == *" $name "* ]] || { echo "run: no part $name; there are ${groups[*]}" >&2; exit 2; }
done
for name in "${@:-${groups[@]}}"; do "$name"; done
[[ -z $list ]] || exit 0

printf '\n== %s, driver %s, commit %s, %d s\n' "$card" "$driver" "${commit:0:10}" "$SECONDS"
for i in "${!names[@]}"; do printf '%-46s %s\n' "${names[$i]}" "${states[$i]}"; done
printf '\n'
python3 "$here/results.py" table "$results" --before "$here/results.jsonl" || failed=1
exit $failed
