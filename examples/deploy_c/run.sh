#!/bin/sh
# run.sh FOLDER: trains and saves programs, writes them as C, builds the C with cc and runs it. The programs deploy_c, which is
# built from make_programs.cpp, and catena are found by PATH. CATENA_C says where the header and the library of C programs are
# (-I... -L...); else pkg-config does.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
deploy_c .
catena export classify_digits.catena --c . --size batch=1
catena export train_digits.catena --c .
: "${CATENA_C=$(pkg-config --cflags --libs-only-L catena-c)}"
# shellcheck disable=SC2086  # These are several words.
cc -std=c11 -Wall -Wextra -O2 -s "$here/deploy.c" classify_digits.c classify_digits_kernels.o train_digits.c \
   train_digits_kernels.o -I. -o deploy $CATENA_C -l:libcatena_c.a -lm
./deploy "$here/../digits/data/optdigits.tes"
