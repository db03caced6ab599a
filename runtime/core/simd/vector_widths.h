#pragma once

#include "runtime/core/simd/vector_code.h"
#include "runtime/core/simd/instruction_set.h"

// CATENA_VECTOR_WIDTHS(result, name, parameters, arguments) defines the function `name`, which
// calls name_of<bytes>(arguments) with the bytes of this processor's vector registers, built for
// each. Loops over Vector<T, bytes> need it: vectors longer than registers are kept in memory by
// GCC, and each addition to one waits for its store (CATENA_VECTOR_CODE is enough for loops over
// plain elements, which the compiler divides into vectors itself). Mark name_of CATENA_INLINE.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CATENA_VECTOR_WIDTHS(result, name, parameters, arguments)               \
    __attribute__((target("arch=x86-64-v4"))) result name##_avx512 parameters { \
        return name##_of<64> arguments;                                         \
    }                                                                           \
    __attribute__((target("arch=x86-64-v3"))) result name##_avx2 parameters {   \
        return name##_of<32> arguments;                                         \
    }                                                                           \
    result name##_default parameters { return name##_of<16> arguments; }        \
    result name parameters {                                                    \
        switch (instruction_set()) {                                            \
            case InstructionSet::avx512:                                        \
                return name##_avx512 arguments;                                 \
            case InstructionSet::avx2:                                          \
                return name##_avx2 arguments;                                   \
            case InstructionSet::none:                                          \
                break;                                                          \
        }                                                                       \
        return name##_default arguments;                                        \
    }
#else
#define CATENA_VECTOR_WIDTHS(result, name, parameters, arguments) \
    result name parameters { return name##_of<16> arguments; }
#endif
