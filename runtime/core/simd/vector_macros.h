#pragma once

// Loops that the compiler vectorises, built once per instruction set and chosen when the program
// starts. Mark the outermost function CATENA_VECTOR_CODE and everything it calls in the loop
// CATENA_INLINE: no out-of-line copy compiled for one instruction set may be linked into another's
// code.
#define CATENA_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CATENA_VECTOR_CODE \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CATENA_VECTOR_CODE
#endif
