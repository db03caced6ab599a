#pragma once

#include <cstdint>

namespace catena {

// How a product of matrices is divided into parts, each computed on one thread: by its sizes alone,
// so that the result has the same bits on any number of threads.

struct ProductRange {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
};
/// Range `index` of `count`, which divide n at multiples of 16, the width of a vector.
ProductRange product_range(int64_t n, int64_t index, int64_t count);

/// The number of parts into which each size is divided. All are powers of two, because the usual
/// numbers of threads share them evenly.
struct ProductDivision {
    int64_t rows = 1, columns = 1, depth = 1;
    int64_t count() const { return rows * columns * depth; }
};
/// The division of a product of [m,k] and [k,n].
ProductDivision divide_product(int64_t m, int64_t n, int64_t k);

}  // namespace catena
