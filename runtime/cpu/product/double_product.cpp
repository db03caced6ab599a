#include "runtime/cpu/product/double_product.h"

#include <algorithm>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// Blocks of c's rows, and of k: a panel's part (64 KB) stays in the second-level cache while a
/// block of rows is multiplied with it.
constexpr int64_t block_rows = 64, block_k = 512;

}  // namespace

void DoubleProduct::run() const {
    constexpr int64_t width = PackedMatrix<double>::panel_width;
    const int64_t blocks = (m + block_rows - 1) / block_rows,
                  panels = PackedMatrix<double>::panels_of(n);
    const int64_t grain =
        machine::grain_of_products(2 * std::min(m, block_rows) * width * k);  // Half as many lanes.
    parallel_for(blocks * panels, grain, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
            const int64_t panel = task / blocks, row = task % blocks * block_rows;
            const Rows<double> to{c.first + row * c.stride + panel * width, c.stride};
            for (int64_t p = 0; p < k; p += block_k)
                PackedMatrix<double>(b + p * width, std::min(block_k, k - p), n, packed_step(k))
                    .multiply(panel, std::min(block_rows, m - row),
                              {a.first + row * a.stride + p, a.stride}, to, adds || p > 0);
        }
    });
}

}  // namespace catena
