// How fast are the products of networks of transformers, op(a) op(b), oneDNN's and ours
// (runtime/cpu/product/tiles/product_tiles.h), in the same parts? Least times of runs in turn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>

#include <dnnl.h>

#include "runtime/core/array/array.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/onednn/onednn.h"
#include "runtime/cpu/product/product_division.h"
#include "runtime/cpu/product/tiles/product_tiles.h"

namespace catena {
namespace {

struct Sizes {
    bool transa, transb;
    int64_t m, n, k;
};
constexpr Sizes all_sizes[] = {{false, true, 1024, 256, 1024},  {false, true, 1024, 1024, 256},
                               {false, true, 1024, 768, 256},   {false, true, 1024, 256, 256},
                               {false, false, 1024, 256, 1024}, {false, false, 1024, 1024, 256},
                               {true, false, 1024, 256, 1024},  {true, false, 256, 1024, 1024},
                               {false, true, 256, 3072, 768},   {false, true, 256, 768, 3072},
                               {false, true, 256, 2304, 768},   {false, true, 256, 768, 768},
                               {false, false, 256, 768, 3072},  {false, false, 256, 3072, 768},
                               {true, false, 3072, 768, 256},   {true, false, 768, 3072, 256},
                               {false, false, 128, 3072, 768},  {false, false, 128, 768, 3072},
                               {false, false, 128, 2304, 768},  {false, true, 128, 768, 768},
                               {false, true, 128, 128, 64},     {false, false, 128, 64, 128},
                               {true, false, 128, 64, 128},     {false, true, 256, 256, 64},
                               {false, false, 256, 64, 256},    {true, false, 256, 64, 256},
                               {false, false, 256, 256, 256},   {true, false, 256, 256, 256},
                               {false, false, 64, 64, 64},      {false, false, 40, 40, 600},
                               {true, false, 650, 650, 20},     {true, false, 10000, 650, 700},
                               {false, false, 700, 650, 10000}, {true, false, 2600, 650, 700},
                               {false, false, 700, 650, 2600},  {false, true, 700, 2600, 650},
                               {false, true, 700, 10000, 650},  {false, false, 20, 650, 2600},
                               {false, false, 32, 256, 1024}};

/// f(part) for the parts of c.
void for_parts(const TileProduct& p, const std::function<void(const TileProduct&)>& f) {
    const ProductDivision d = divide_product(p.m, p.n, p.k);
    parallel_for(d.rows * d.columns, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const ProductRange rows = product_range(p.m, i / d.columns, d.rows),
                               columns = product_range(p.n, i % d.columns, d.columns);
            TileProduct part = p;
            part.m = rows.size(), part.n = columns.size();
            part.a += p.transa ? rows.begin : rows.begin * p.lda;
            part.b += p.transb ? columns.begin * p.ldb : columns.begin;
            part.c += rows.begin * p.ldc + columns.begin;
            f(part);
        }
    });
}

void by_library(const TileProduct& p) {
    const onednn::OneThread scope;
    dnnl_sgemm(p.transa ? 'T' : 'N', p.transb ? 'T' : 'N', p.m, p.n, p.k, 1, p.a, p.lda, p.b, p.ldb,
               0, p.c, p.ldc);
}

void compare(const Sizes& s) {
    const auto matrix = [](int64_t rows, int64_t columns) {
        return Array::full({Dtype::float32, Shape{rows, columns}}, 0.01);
    };
    const Array a = matrix(s.m, s.k), b = matrix(s.k, s.n), c = matrix(s.m, s.n);
    const TileProduct p{.transa = s.transa,
                        .transb = s.transb,
                        .m = s.m,
                        .n = s.n,
                        .k = s.k,
                        .a = a.elements<float>(),
                        .lda = s.transa ? s.m : s.k,
                        .b = b.elements<float>(),
                        .ldb = s.transb ? s.k : s.n,
                        .plus = nullptr,
                        .plus_row = 0,
                        .c = c.to_fill<float>(),
                        .ldc = s.n};
    double least[2] = {std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()},
           sum = 0;
    for (int i = 0; i < 400 && (i < 16 || sum < 0.15); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        for_parts(p, i % 2 ? multiply_in_tiles : by_library);
        const double time =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        least[i % 2] = std::min(least[i % 2], time);
        sum += time;
    }
    const double operations = 2e-9 * double(s.m * s.n * s.k);
    std::printf("%s%s %5ld %5ld %5ld   %6.0f %6.0f  %s\n", s.transa ? "T" : "N",
                s.transb ? "T" : "N", s.m, s.n, s.k, operations / least[0], operations / least[1],
                are_tiles_faster(p) ? "tiles are used" : "");
}

/// Products of attention, op(scores) values, one after the other on each thread: without and with
/// those that follow fetched. Networks of several layers, so that no operand is in a core's
/// second-level cache.
void compare_following(bool transa, int64_t batch, int64_t heads, int64_t words) {
    constexpr int64_t width = 64, layers = 4;
    const int64_t row = 3 * heads * width, count = batch * heads;
    const auto matrix = [](const Shape& shape) {
        return Array::full({Dtype::float32, shape}, 0.01);
    };
    const Array qkv = matrix({layers, batch, words, row}),
                scores = matrix({layers, count, words, words}),
                y = matrix({layers, count, words, width});
    const auto product = [&](int64_t layer, int64_t i) {
        return TileProduct{.transa = transa,
                           .transb = false,
                           .m = words,
                           .n = width,
                           .k = words,
                           .a = scores.elements<float>() + (layer * count + i) * words * words,
                           .lda = words,
                           .b = qkv.elements<float>() + (layer * batch + i / heads) * words * row +
                                i % heads * width,
                           .ldb = row,
                           .plus = nullptr,
                           .plus_row = 0,
                           .c = y.to_fill<float>() + (layer * count + i) * words * width,
                           .ldc = width};
    };
    double least[2] = {std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()};
    for (int run = 0; run < 40; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        for (int64_t layer = 0; layer < layers; ++layer)
            parallel_for(count, 1, [&](int64_t first, int64_t end) {
                for (int64_t i = first; i < end; ++i) {
                    TileProduct p = product(layer, i);
                    const TileProduct following = product(layer, std::min(i + 1, end - 1));
                    if (run % 2 && i + 1 < end) p.following = &following;
                    multiply_in_tiles(p);
                }
            });
        least[run % 2] = std::min(
            least[run % 2],
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    const double operations = 2e-9 * double(layers * count * words * width * words);
    std::printf("%sN %ld x %ld heads of %ld x %ld x %ld   %6.0f %6.0f\n", transa ? "T" : "N", batch,
                heads, words, width, words, operations / least[0], operations / least[1]);
}

}  // namespace
}  // namespace catena

int main() {
    std::printf("      m     n     k   oneDNN  tiles GFLOP/s\n");
    for (const catena::Sizes& sizes : catena::all_sizes) catena::compare(sizes);
    if (!catena::has_product_tiles()) return 0;
    std::printf("one after the other   alone  fetched\n");
    for (const bool transa : {false, true}) {
        catena::compare_following(transa, 8, 4, 128);
        catena::compare_following(transa, 1, 12, 256);
    }
}
