#include <algorithm>
#include <optional>

#include "passes/analysis/change_limit.h"
#include "passes/analysis/formula_writer.h"
#include "passes/analysis/place.h"
#include "passes/analysis/spread.h"
#include "passes/analysis/sweep.h"
#include "passes/passes.h"

namespace catena::passes {

#define GEN_PASS_DEF_VARIANCE
#include "passes/passes.h.inc"

namespace {

/// Beside blocks of fewer elements, their statistics would be much to write and read.
constexpr int64_t smallest_block = 64;
/// A block that is gone through twice should stay in a core's cache, for as many neighbouring rows
/// as one vector loop has.
constexpr int64_t largest_block = 1024;
/// Rows of blocks for threads to share, and how many channels one of them takes together. Otherwise
/// the sweep would be split.
constexpr int64_t enough_rows = 32, channels_together = 256, smallest_split = 256 * 1024;

llvm::ArrayRef<int64_t> static_shape(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// The reduced dimensions, divided into those of a block, which are innermost, and those that
/// number the blocks.
struct Blocks {
    llvm::SmallVector<int64_t> within, across;
    int64_t size = 1;
};

std::optional<Blocks> blocks_of(Spread spread) {
    const llvm::ArrayRef<int64_t> shape = static_shape(spread.x),
                                  kept_shape = static_shape(spread.centre);
    int64_t elements = 1, kept = 1;
    for (int64_t size : shape) elements *= size;
    for (int64_t size : kept_shape) kept *= size;
    if (elements <= small_domain) return std::nullopt;
    std::optional<Blocks> best;
    Blocks blocks;
    for (int64_t dim = int64_t(shape.size()) - 1;
         dim >= 0 && llvm::is_contained(spread.squares.getAxes(), dim); --dim) {
        blocks.size *= shape[size_t(dim)];
        blocks.within.insert(blocks.within.begin(), dim);
        const int64_t count = elements / kept / blocks.size;
        const int64_t rows = count * ((kept + channels_together - 1) / channels_together);
        const bool divides = count > 1 && (rows >= enough_rows || elements < smallest_split);
        if (divides && blocks.size >= smallest_block && blocks.size <= largest_block) best = blocks;
    }
    if (!best) return std::nullopt;
    for (int64_t dim : spread.squares.getAxes())
        if (!llvm::is_contained(best->within, dim)) best->across.push_back(dim);
    return best;
}

/// With the mean c of each block of n elements, d = x - c and e = c - centre:
///     sum (x - centre)^2 = sum over blocks of (sum d^2 + e (2 sum d + n e)),
/// exactly for any c, so that neither the rounding of c nor a large centre cancels anything.
void divide(Spread spread, const Blocks& blocks) {
    const mlir::Value x = spread.x, centre = spread.centre;
    const double size = double(blocks.size);
    FormulaWriter first(spread.sum);
    const mlir::Value block_sum = first.sum(x, blocks.within);
    mlir::Value total = first.sum(block_sum, blocks.across);
    ir::ReduceOp old_sum = spread.sum, old_squares = spread.squares;
    old_sum.getResult().replaceAllUsesWith(total);
    old_sum.erase();

    FormulaWriter w(old_squares);
    const llvm::SmallVector<int64_t> rows(static_shape(block_sum));
    const auto mean_of = [&](mlir::Value sum) { return w.multiply(sum, w.number(1 / size)); };
    const mlir::Value block_mean =
        w.map("block_mean", rows, {block_sum}, [&](auto v) { return mean_of(v[0]); });
    const mlir::Value difference = w.map("difference", static_shape(x), {x, block_mean},
                                         [&](auto v) { return w.subtract(v[0], v[1]); });
    const mlir::Value rest = w.sum(difference, blocks.within);
    const mlir::Value square = w.map("squared", static_shape(x), {difference},
                                     [&](auto v) { return w.multiply(v[0], v[0]); });
    const mlir::Value squares = w.sum(square, blocks.within);
    const mlir::Value moved =
        w.map("around_centre", rows, {squares, rest, block_sum, centre}, [&](auto v) {
            const mlir::Value e = w.subtract(mean_of(v[2]), v[3]);
            const mlir::Value twice =
                w.add(w.multiply(v[1], w.number(2)), w.multiply(w.number(size), e));
            return w.add(v[0], w.multiply(e, twice));
        });
    old_squares.getResult().replaceAllUsesWith(w.sum(moved, blocks.across));
    spread.erase();
}

class VariancePass : public impl::VarianceBase<VariancePass> {
public:
    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        for (ir::ReduceOp reduce :
             llvm::to_vector(getOperation().getBody().front().getOps<ir::ReduceOp>())) {
            // The sum comes before the squares, so an erased sum is not visited again.
            const std::optional<Spread> spread = spread_of(reduce);
            const std::optional<Blocks> blocks = spread ? blocks_of(*spread) : std::nullopt;
            if (blocks &&
                ChangeLimit::instance().allows("variance", [&] { return place_of(reduce); }))
                divide(*spread, *blocks);
        }
    }
};

}  // namespace

}  // namespace catena::passes
