#include <algorithm>
#include <bit>

#include <dnnl.h>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/gemm.h"
#include "runtime/cpu/gemm_rows.h"
#include "runtime/cpu/onednn.h"
#include "runtime/cpu/scratch.h"

// oneDNN's sgemm divides a product by the number of threads, and sums k in other pieces for other
// numbers. Here the product is divided by its sizes alone and oneDNN computes each part on one
// thread, so that the result has the same bits on any number of threads.

namespace catena {
namespace {

struct Product {
    bool transa, transb;
    int64_t m, n, k;
    float alpha;
    const float* a;
    int64_t lda;
    const float* b;
    int64_t ldb;
    float beta;
    float* c;
    int64_t ldc;
};

struct Range {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
};

/// Range `index` of `count`, which divide n at multiples of 16: the width of a vector.
Range range(int64_t n, int64_t index, int64_t count) {
    const int64_t units = (n + 15) / 16;
    return {std::min(n, units * index / count * 16), std::min(n, units * (index + 1) / count * 16)};
}

Product part(const Product& p, Range rows, Range columns, Range depth) {
    Product q = p;
    q.m = rows.size(), q.n = columns.size(), q.k = depth.size();
    q.a += p.transa ? depth.begin * p.lda + rows.begin : rows.begin * p.lda + depth.begin;
    q.b += p.transb ? columns.begin * p.ldb + depth.begin : depth.begin * p.ldb + columns.begin;
    q.c += rows.begin * p.ldc + columns.begin;
    return q;
}

/// How often each size is divided. All are powers of two, for the usual numbers of threads share
/// them evenly.
struct Division {
    int64_t rows = 1, columns = 1, depth = 1;
    int64_t count() const { return rows * columns * depth; }
};

constexpr int64_t most_parts = 16;
/// Multiply-adds of a part: below, handing it to a thread costs more than it saves (measured).
constexpr int64_t least_work = 200'000, least_work_of_many = 1'000'000;

/// oneDNN copies a and b into blocks where both sides are long, which is faster; it asks for this
/// on AVX-512. Parts of a product that is copied should be, too.
bool is_copied(int64_t m, int64_t n) { return 1.0 / double(m) + 1.0 / double(n) < 0.00196; }

/// The largest power of two up to `limit`, at least 1.
int64_t power_of_two(int64_t limit) {
    return int64_t(std::bit_floor(uint64_t(std::max<int64_t>(limit, 1))));
}

/// Each part reads the other operand once more: 48 rows or columns are enough for up to four parts,
/// 256 for more (measured).
int64_t parts_of_length(int64_t length, int64_t least) {
    return power_of_two(std::max(std::min<int64_t>(4, length / least), length / 256));
}

Division divide(int64_t m, int64_t n, int64_t k) {
    const int64_t work = m * n * k;
    const int64_t most = power_of_two(std::min(
        most_parts, std::max(std::min<int64_t>(4, work / least_work), work / least_work_of_many)));
    const int64_t length = std::max(m, n);
    // A long k is divided rather than short rows.
    const bool deep = k >= 8 * length;
    Division d;
    int64_t& along = m > n ? d.rows : d.columns;
    int64_t& across = m > n ? d.columns : d.rows;
    along = std::min(most, parts_of_length(length, deep ? 256 : 48));
    if (is_copied(m, n)) {
        while (along > 4 && !is_copied(length / along, std::min(m, n))) along /= 2;
    } else
        across = std::min(most / along, power_of_two(std::min(m, n) / 256));
    // Each piece of k has its own sums, which are added in order.
    if (d.count() < 4)
        d.depth = std::min(std::min<int64_t>(8, most / d.count()), power_of_two(k / 1024));
    return d;
}

void run(const Product& p) {
    onednn::OneThread scope;
    const dnnl_status_t status =
        dnnl_sgemm(p.transa ? 'T' : 'N', p.transb ? 'T' : 'N', p.m, p.n, p.k, p.alpha, p.a, p.lda,
                   p.b, p.ldb, p.beta, p.c, p.ldc);
    CATENA_ASSERT(
        status == dnnl_success,
        fmt::format("dnnl_sgemm of {}x{}x{} failed with status {}", p.m, p.n, p.k, int(status)));
}

/// c = the sum of the pieces + beta c, row by row.
void add_up(const Product& p, const float* pieces, int64_t count) {
    parallel_for(p.m, 1 + 20'000 / (p.n * count), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            for (int64_t j = 0; j < p.n; ++j) {
                float sum = pieces[i * p.n + j];
                for (int64_t piece = 1; piece < count; ++piece)
                    sum += pieces[(piece * p.m + i) * p.n + j];
                float& c = p.c[i * p.ldc + j];
                c = p.beta == 0 ? sum : sum + p.beta * c;
            }
    });
}

size_t bytes_of_pieces(const Division& d, int64_t m, int64_t n) {
    return d.depth > 1 ? Scratch::rounded(size_t(d.depth * m * n) * sizeof(float)) : 0;
}

void run_divided(const Product& p, const Division& d, std::span<std::byte> scratch) {
    const size_t bytes = bytes_of_pieces(d, p.m, p.n);
    Scratch memory(scratch, bytes);
    float* const pieces = reinterpret_cast<float*>(memory.take(bytes));
    parallel_for(d.count(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t piece = i / (d.rows * d.columns);
            Product whole = p;
            if (d.depth > 1) {
                whole.c = pieces + piece * p.m * p.n;
                whole.ldc = p.n;
                whole.beta = 0;
            }
            run(part(whole, range(p.m, i / d.columns % d.rows, d.rows),
                     range(p.n, i % d.columns, d.columns), range(p.k, piece, d.depth)));
        }
    });
    if (d.depth > 1) add_up(p, pieces, d.depth);
}

}  // namespace

void sgemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc,
           std::span<std::byte> scratch) {
    if (m == 0 || n == 0) return;
    if (k == 0) {
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) c[i * ldc + j] = beta == 0 ? 0 : beta * c[i * ldc + j];
        return;
    }
    if (!transa && transb && alpha == 1 && sgemm_few_rows(m, n, k, a, lda, b, ldb, beta, c, ldc))
        return;
    run_divided({transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, divide(m, n, k), scratch);
}

size_t sgemm_scratch_bytes(int64_t m, int64_t n, int64_t k) {
    return m == 0 || n == 0 || k == 0 ? 0 : bytes_of_pieces(divide(m, n, k), m, n);
}

}  // namespace catena
