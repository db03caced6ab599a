#include "runtime/profile/machine_speed.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "runtime/core/array/array.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/fork.h"

namespace catena::profile {
namespace {

using Clock = std::chrono::steady_clock;

struct Arrays3 {
    const float *a, *x;
    float* y;
    int64_t size;
};

void add(const Arrays3& t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) t.y[i] = t.a[i] + 0.5f * t.x[i];
}

void add_streaming(const Arrays3& t, int64_t begin, int64_t end) {
#ifdef __SSE2__
    const __m128 half = _mm_set1_ps(0.5f);
    for (int64_t i = begin; i < end; i += 4)
        _mm_stream_ps(t.y + i,
                      _mm_add_ps(_mm_loadu_ps(t.a + i), _mm_mul_ps(half, _mm_loadu_ps(t.x + i))));
    _mm_sfence();
#else
    add(t, begin, end);
#endif
}

double seconds_of(const Arrays3& t, bool streaming, bool all_threads) {
    constexpr int64_t block = 4096;  // A multiple of the elements of a streaming store.
    auto body = [&](int64_t begin, int64_t end) {
        (streaming ? add_streaming : add)(t, begin * block, end * block);
    };
    const int64_t blocks = t.size / block;
    const int repeat = int(std::clamp<int64_t>((int64_t(1) << 22) / t.size, 1, 1000));
    double best = 1e9;
    for (int round = 0; round < 10; ++round) {
        const auto begin = Clock::now();
        for (int i = 0; i < repeat; ++i) {
            if (all_threads)
                parallel_for(blocks, 4, body);
            else
                body(0, blocks);
        }
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count() / repeat);
    }
    return best;
}

double measured_bandwidth(double bytes) {
    constexpr int64_t block = 4096, most = int64_t(1)
                                           << 25;  // 128 MB an array: far beyond the caches.
    const int64_t size = std::clamp<int64_t>(int64_t(bytes / 12) / block * block, block, most);
    const Type type{Dtype::float32, Shape{size}};
    const Array a = Array::full(type, 1), x = Array::full(type, 2), y = Array::full(type, 0);
    const Arrays3 t{a.elements<float>(), x.elements<float>(), y.to_fill<float>(), size};
    double best = 1e9;
    for (const bool streaming : {false, true})
        for (const bool all_threads : {false, true})
            best = std::min(best, seconds_of(t, streaming, all_threads));
    return 12.0 * double(size) / best;
}

}  // namespace

double bandwidth(double bytes) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& measured = *new std::map<int, double>;  // By power of two.
    std::lock_guard lock(mutex);
    const int power = bytes > 1 ? int(std::log2(bytes)) : 0;
    const auto [found, is_new] = measured.emplace(power, 0);
    if (is_new) {
        found->second = measured_bandwidth(std::exp2(power));
    }
    return found->second;
}

}  // namespace catena::profile
