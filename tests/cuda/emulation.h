// What generated CUDA text needs to be compiled by the host's compiler. The host runs a block's
// threads as fibers, one after another; see emulator.h.
#pragma once

#include <stdint.h>

// The C library's, which CUDA has under the same names. Without <cmath>: most texts are compiled in
// less time than that.
extern "C" {
#define EMULATION_FUNCTION(name)   \
    float name##f(float) noexcept; \
    double name(double) noexcept;
EMULATION_FUNCTION(fabs)
EMULATION_FUNCTION(floor)
EMULATION_FUNCTION(ceil)
EMULATION_FUNCTION(trunc)
EMULATION_FUNCTION(sqrt)
EMULATION_FUNCTION(exp)
EMULATION_FUNCTION(expm1)
EMULATION_FUNCTION(log)
EMULATION_FUNCTION(log1p)
EMULATION_FUNCTION(sin)
EMULATION_FUNCTION(cos)
EMULATION_FUNCTION(tanh)
EMULATION_FUNCTION(erf)
EMULATION_FUNCTION(erfc)
#undef EMULATION_FUNCTION
float fmodf(float, float) noexcept;
double fmod(double, double) noexcept;
float powf(float, float) noexcept;
double pow(double, double) noexcept;
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
}

#define CATENA_EMULATION
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads)
#define __grid_constant__
#define __shared__ static  // One block at a time.

namespace emulation {

struct Index {
    unsigned x, y, z;
};
/// Where the thread that runs now stands.
struct Thread {
    Index thread, block, threads, blocks;
};
/// The host's side.
struct Host {
    void (*barrier)();
    uint64_t (*exchange)(uint64_t value, unsigned mask, int lane_mask);
};

}  // namespace emulation

extern "C" {
inline emulation::Thread* catena_thread = nullptr;
inline const emulation::Host* catena_host = nullptr;
}

#define threadIdx (catena_thread->thread)
#define blockIdx (catena_thread->block)
#define blockDim (catena_thread->threads)
#define gridDim (catena_thread->blocks)

inline void __syncthreads() { catena_host->barrier(); }

template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = catena_host->exchange(bits, mask, lane_mask);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
template <class T>
inline void __stcs(T* to, T value) {
    *to = value;
}

inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

#include "runtime/core/dtype/half.h"
inline float half_to_float(unsigned short half) { return catena::half_bits_to_float(half); }
inline unsigned short float_to_half(float value) { return catena::float_to_half_bits(value); }

namespace emulation {

template <class Arguments>
constexpr unsigned long argument_bytes(void (*)(Arguments)) {
    return sizeof(Arguments);
}
template <class Arguments>
inline void call(void (*kernel)(Arguments), const void* arguments) {
    kernel(*static_cast<const Arguments*>(arguments));
}

}  // namespace emulation
