#include "runtime/cpu/product/product_division.h"

#include <algorithm>
#include <bit>

namespace catena {
namespace {

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

/// The number of parts of a length: each part reads the other operand once more. 48 rows or columns
/// are enough for up to four parts, 256 for more (measured).
int64_t parts_of_length(int64_t length, int64_t least) {
    return power_of_two(std::max(std::min<int64_t>(4, length / least), length / 256));
}

}  // namespace

ProductRange product_range(int64_t n, int64_t index, int64_t count) {
    const int64_t units = (n + 15) / 16;
    return {std::min(n, units * index / count * 16), std::min(n, units * (index + 1) / count * 16)};
}

ProductDivision divide_product(int64_t m, int64_t n, int64_t k) {
    const int64_t work = m * n * k;
    const int64_t most = power_of_two(std::min(
        most_parts, std::max(std::min<int64_t>(4, work / least_work), work / least_work_of_many)));
    const int64_t length = std::max(m, n);
    // A long k is divided rather than short rows.
    const bool deep = k >= 8 * length;
    ProductDivision d;
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

}  // namespace catena
