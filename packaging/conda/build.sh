#!/usr/bin/env bash
# Run by rattler-build in the root of the sources, which sets PREFIX (where to install), CPU_COUNT and CMAKE_ARGS.
set -euo pipefail
cmake -G Ninja -S . -B "${CATENA_BUILD_DIR-build-conda}" ${CMAKE_ARGS-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCATENA_TESTS=OFF -DCATENA_EXAMPLES=OFF -DCATENA_PYTHON=OFF -DCATENA_COMPILER=ON -DCATENA_LLVM_ARCHIVES=OFF \
    -DCATENA_CUDA=OFF -DCATENA_NCCL=OFF -DCATENA_MPI=OFF -DCATENA_HDF5=ON -DCATENA_ONNX=OFF -DCATENA_CAFFE=ON -DCATENA_IMAGES=ON -DCATENA_SHARDS=ON
[ -z "${CATENA_ONLY_CONFIGURE-}" ] || exit 0
cmake --build "${CATENA_BUILD_DIR-build-conda}" -j "${CPU_COUNT-2}"
cmake --install "${CATENA_BUILD_DIR-build-conda}"
