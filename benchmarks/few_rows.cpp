// How fast are products of few rows with a matrix, [m, k] times [n, k]^T, whose time is that of
// reading the matrix? Sizes of GPT-2's decoding, cold (more matrices than any cache holds), and of
// an LSTM's step, warm: GB/s of the matrix, oneDNN's and ours, or - where it has none.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include <dnnl.h>

#include "runtime/core/array/array.h"
#include "runtime/cpu/product/rows/gemm_rows.h"

namespace catena {
namespace {

struct Sizes {
    int64_t n, k;
    bool is_warm;
};
constexpr Sizes all_sizes[] = {{50257, 768, false}, {3072, 768, false}, {768, 3072, false},
                               {2304, 768, false},  {2048, 512, true},  {512, 512, true}};

double seconds(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    double best = std::numeric_limits<double>::infinity(), sum = 0;
    for (int i = 0; i < 400 && (i < 8 || sum < 0.2); ++i) {
        const auto begin = Clock::now();
        call();
        const double time = std::chrono::duration<double>(Clock::now() - begin).count();
        best = std::min(best, time);
        sum += time;
    }
    return best;
}

void compare(const Sizes& s, int64_t m) {
    const int64_t bytes = s.n * s.k * int64_t(sizeof(float)),
                  count = s.is_warm ? 1 : std::max<int64_t>(1, 200'000'000 / bytes);
    std::vector<Array> matrices;
    for (int64_t i = 0; i < count; ++i)
        matrices.push_back(Array::full({Dtype::float32, Shape{s.n, s.k}}, 0.01));
    const Array x = Array::full({Dtype::float32, Shape{m, s.k}}, 0.5),
                y = Array::full({Dtype::float32, Shape{m, s.n}}, 0);
    size_t next = 0;
    const auto matrix = [&] { return matrices[next++ % matrices.size()].elements<float>(); };
    const double theirs = seconds([&] {
        dnnl_sgemm('N', 'T', m, s.n, s.k, 1, x.elements<float>(), s.k, matrix(), s.k, 0,
                   y.to_fill<float>(), s.n);
    });
    if (!has_few_rows(m, s.n, s.k))
        return void(std::printf("  %6.1f      -", 1e-9 * double(bytes) / theirs));
    const double ours = seconds([&] {
        sgemm_few_rows(m, s.n, s.k, x.elements<float>(), s.k, matrix(), s.k, 0, y.to_fill<float>(),
                       s.n);
    });
    std::printf("  %6.1f %6.1f", 1e-9 * double(bytes) / theirs, 1e-9 * double(bytes) / ours);
}

}  // namespace
}  // namespace catena

int main() {
    std::printf("%-20s %14s %14s %14s\n", "n x k", "1 row", "4 rows", "20 rows");
    for (const catena::Sizes& sizes : catena::all_sizes) {
        std::printf("%5ld x %4ld, %s", sizes.n, sizes.k, sizes.is_warm ? "warm" : "cold");
        for (const int64_t rows : {1, 4, 20}) catena::compare(sizes, rows);
        std::printf("\n");
    }
}
