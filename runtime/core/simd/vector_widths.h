#pragma once

#include <type_traits>

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

namespace catena {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
namespace vector_widths {

template <class F>
__attribute__((target("arch=x86-64-v4"))) auto run_avx512(const F& f) {
    return f(std::integral_constant<int, 64>());
}
template <class F>
__attribute__((target("arch=x86-64-v3"))) auto run_avx2(const F& f) {
    return f(std::integral_constant<int, 32>());
}

}  // namespace vector_widths
#endif

/// Returns f(bytes), with the bytes of this processor's vector registers as a constant
/// (std::integral_constant), from a function that is built for them: CATENA_VECTOR_WIDTHS for a
/// lambda, also in a template. Mark it `__attribute__((always_inline))`, and let it copy what it
/// captures, since what it writes may else change that.
template <class F>
auto at_vector_width(const F& f) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
    switch (instruction_set()) {
        case InstructionSet::avx512:
            return vector_widths::run_avx512(f);
        case InstructionSet::avx2:
            return vector_widths::run_avx2(f);
        case InstructionSet::none:
            break;
    }
#endif
    return f(std::integral_constant<int, 16>());
}

}  // namespace catena
