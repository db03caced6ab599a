#!/bin/sh
# run.sh BUILD FOLDER: trains and saves programs, writes them as C, builds the C with cc and runs it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
cd "$2"
"$build/bin/deploy_c" .
"$build/bin/catena" export classify_digits.catena --c . --size batch=1
"$build/bin/catena" export train_digits.catena --c .
cc -std=c11 -Wall -Wextra -O2 -s "$here/deploy.c" classify_digits.c classify_digits_kernels.o train_digits.c \
   train_digits_kernels.o -I"$here/../../runtime/c" -I. -o deploy -L"$build/lib" -l:libcatena_c.a -lm
./deploy "$here/../digits/data/optdigits.tes"
