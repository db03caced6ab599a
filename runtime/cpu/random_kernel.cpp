#include "runtime/cpu/random_kernel.h"

#include <algorithm>

#include "runtime/core/array/transpose.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_code.h"
#include "runtime/cpu/philox_lanes.h"

namespace catena {
namespace {

constexpr int64_t block = 1024;
constexpr int64_t elements_per_thread = 8 * block;
/// Drawn row by row into the first-level cache, then transposed: whole lines of the cache along the
/// channels.
constexpr int64_t channels_together = 16, positions_together = 256;

/// The words of Philox4x32-10 for `n` neighbouring counters, as floats: RandomStream::words written
/// so that it vectorises.
CATENA_VECTOR_CODE void all_words(uint32_t key0, uint32_t key1, uint32_t operation0,
                                  uint32_t operation1, uint64_t first, float* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        uint64_t counter = first + uint64_t(i);
        uint32_t c0 = uint32_t(counter), c1 = uint32_t(counter >> 32), c2 = operation0,
                 c3 = operation1;
        uint32_t k0 = key0, k1 = key1;
#pragma GCC unroll 10
        for (int round = 0; round < 10; ++round) {
            uint64_t a = uint64_t(0xD2511F53u) * c0, b = uint64_t(0xCD9E8D57u) * c2;
            uint32_t next0 = uint32_t(b >> 32) ^ c1 ^ k0, next2 = uint32_t(a >> 32) ^ c3 ^ k1;
            c1 = uint32_t(b), c3 = uint32_t(a), c0 = next0, c2 = next2;
            k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
        }
        to[4 * i] = float(int32_t(c0 >> 8)) * 0x1p-24f;
        to[4 * i + 1] = float(int32_t(c1 >> 8)) * 0x1p-24f;
        to[4 * i + 2] = float(int32_t(c2 >> 8)) * 0x1p-24f;
        to[4 * i + 3] = float(int32_t(c3 >> 8)) * 0x1p-24f;
    }
}

template <class T>
CATENA_INLINE void keep_or_drop(const T* x, const float* draws, T ratio, T scale, T* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = T(draws[i]) >= ratio ? x[i] * scale : T(0);
}
CATENA_VECTOR_CODE void run_dropout(const float* x, const float* draws, float ratio, float* y,
                                    int64_t n) {
    keep_or_drop(x, draws, ratio, 1.0f / (1.0f - ratio), y, n);
}
void run_dropout(const double* x, const float* draws, double ratio, double* y, int64_t n) {
    keep_or_drop(x, draws, ratio, 1.0 / (1.0 - ratio), y, n);
}

template <class T>
void dropout(const RandomStream& stream, const Array& x, double ratio, const Array& y) {
    const T* from = x.elements<T>();
    T* to = y.to_fill<T>();
    parallel_for(x.size(), elements_per_thread, [&](int64_t begin, int64_t end) {
        float draws[block];
        for (int64_t i = begin; i < end; i += block) {
            int64_t n = std::min(block, end - i);
            uniform_block(stream, uint64_t(i), draws, n);
            run_dropout(from + i, draws, T(ratio), to + i, n);
        }
    });
}

}  // namespace

void uniform_block(const RandomStream& stream, uint64_t first, float* to, int64_t n) {
    int64_t done = 0;
    for (; done < n && (first + uint64_t(done)) % 4 != 0; ++done)
        to[done] = uniform<float>(stream, first + uint64_t(done));
    done += 4 * philox_lanes(stream, (first + uint64_t(done)) / 4, to + done, (n - done) / 4);
    const int64_t counters = (n - done) / 4;
    all_words(uint32_t(stream.seed), uint32_t(stream.seed >> 32), uint32_t(stream.operation),
              uint32_t(stream.operation >> 32), (first + uint64_t(done)) / 4, to + done, counters);
    for (done += 4 * counters; done < n; ++done)
        to[done] = uniform<float>(stream, first + uint64_t(done));
}

void uniform_channels_last(const RandomStream& stream, float* to, int64_t images, int64_t channels,
                           int64_t positions) {
    const auto ceil_div = [](int64_t n, int64_t by) { return (n + by - 1) / by; };
    const int64_t across = ceil_div(channels, channels_together),
                  along = ceil_div(positions, positions_together);
    const int64_t grain = std::max<int64_t>(
        elements_per_thread / (channels_together * std::min(positions, positions_together)), 1);
    parallel_for(images * along * across, grain, [&](int64_t begin, int64_t end) {
        float draws[channels_together * positions_together];
        for (int64_t b = begin; b < end; ++b) {
            const int64_t image = b / across / along, c = b % across * channels_together,
                          p = b / across % along * positions_together;
            const int64_t rows = std::min(positions - p, positions_together),
                          columns = std::min(channels - c, channels_together);
            const int64_t first = (image * channels + c) * positions + p;
            if (rows == positions)  // The channels follow one another.
                uniform_block(stream, uint64_t(first), draws, rows * columns);
            else
                for (int64_t k = 0; k < columns; ++k)
                    uniform_block(stream, uint64_t(first + k * positions), draws + k * rows, rows);
            transpose_elements(sizeof(float), to + (image * positions + p) * channels + c, channels,
                               draws, rows, rows, columns);
        }
    });
}

void dropout_elements(const RandomStream& stream, const Array& x, double ratio, const Array& y) {
    if (x.dtype() == Dtype::float32) return dropout<float>(stream, x, ratio, y);
    dropout<double>(stream, x, ratio, y);
}

}  // namespace catena
