#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#define CATENA_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#endif
