#include "runtime/core/random/random.h"

#include "runtime/core/parallel/parallel.h"

namespace catena {

namespace {

constexpr int64_t random_grain = 4096;  ///< Elements; a Philox call is about 8 ns.

template <class T, class F>
void fill(T* to, int64_t n, F element) {
    parallel_for(n, random_grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = element(uint64_t(i));
    });
}

}  // namespace

void fill_uniform(const RandomStream& stream, float* to, int64_t n) {
    fill(to, n, [&](uint64_t i) { return uniform<float>(stream, i); });
}
void fill_uniform(const RandomStream& stream, double* to, int64_t n) {
    fill(to, n, [&](uint64_t i) { return uniform<double>(stream, i); });
}
void fill_normal(const RandomStream& stream, float* to, int64_t n) {
    fill(to, n, [&](uint64_t i) { return normal<float>(stream, i); });
}
void fill_normal(const RandomStream& stream, double* to, int64_t n) {
    fill(to, n, [&](uint64_t i) { return normal<double>(stream, i); });
}

}  // namespace catena
