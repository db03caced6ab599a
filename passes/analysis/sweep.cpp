#include "passes/analysis/sweep.h"

#include "llvm/Support/raw_ostream.h"

#include "ir/dialect.h"
#include "runtime/core/array/shape.h"

namespace catena::passes {

namespace {

/// Column sums are accumulated in memory, row by row: pays for many rows if the accumulators stay
/// in the caches.
constexpr int64_t fewest_rows = 64, most_columns = 16 * 1024;

llvm::ArrayRef<int64_t> shape_of(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

std::string text(llvm::ArrayRef<int64_t> innermost_first) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    stream << "[";
    llvm::interleave(llvm::reverse(innermost_first), stream, ",");
    stream << "]";
    return result;
}

}  // namespace

llvm::SmallVector<int64_t, 4> aligned_shape(llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<int64_t, 4> result(shape.rbegin(), shape.rend());
    while (!result.empty() && result.back() == 1) result.pop_back();
    return result;
}

std::optional<Sweep> Sweep::of(mlir::Operation* op) {
    if (auto map = llvm::dyn_cast<ir::MapOp>(op)) return Sweep{aligned_shape(map.shape())};
    if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op)) {
        llvm::ArrayRef<int64_t> shape = shape_of(reduce.getInput());
        Sweep sweep{aligned_shape(shape)};
        for (int64_t axis : reduce.getAxes())
            if (shape[axis] != 1) sweep.reduced |= 1u << (shape.size() - 1 - axis);
        // Over dimensions of size 1 alone it is no reduction: among those of another dimension it
        // would be taken for one of theirs.
        if (sweep.reduced == 0) return std::nullopt;
        return sweep;
    }
    if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op)) {
        Sweep sweep{aligned_shape(shape_of(reshape.getInput()))};
        if (sweep.domain == aligned_shape(shape_of(reshape.getResult()))) return sweep;
    }
    return std::nullopt;
}

llvm::SmallVector<int64_t, 4> Sweep::reduced_shape() const {
    llvm::SmallVector<int64_t, 4> shape = domain;
    for (size_t i = 0; i < shape.size(); ++i)
        if (reduced >> i & 1) shape[i] = 1;
    while (!shape.empty() && shape.back() == 1) shape.pop_back();
    return shape;
}

bool Sweep::may_read_back() const {
    int64_t rows = 1, elements = 1;
    bool kept_seen = false;
    for (size_t i = 0; i < domain.size(); ++i) {
        bool is_reduced = reduced >> i & 1;
        if (is_reduced && kept_seen) return false;
        kept_seen |= !is_reduced && domain[i] != 1;
        if (!is_reduced) rows *= domain[i];
        elements *= domain[i];
    }
    return rows > 1 || elements <= small_domain;
}

uint32_t Sweep::kept() const {
    uint32_t bits = 0;
    for (size_t i = 0; i < domain.size(); ++i)
        if (domain[i] != 1 && !(reduced >> i & 1)) bits |= 1u << i;
    return bits;
}

namespace {

/// Rows reduced by `rows` beside columns reduced by `columns`, of the same domain.
std::optional<Sweep> rows_and_columns(const Sweep& rows, const Sweep& columns) {
    int64_t row_count = 1, column_count = 1;
    for (size_t i = 0; i < rows.domain.size(); ++i)
        (rows.reduced >> i & 1 ? column_count : row_count) *= rows.domain[i];
    bool fits = rows.kept() == columns.reduced && !columns.columns && rows.may_read_back() &&
                rows.domain.size() < size_t(max_rank) && row_count >= fewest_rows &&
                column_count <= most_columns;
    if (!fits) return std::nullopt;
    Sweep both = rows;
    both.columns = true;
    return both;
}

}  // namespace

std::optional<Sweep> merge(const Sweep& a, const Sweep& b, std::string& reason) {
    if (a.domain == b.domain) {
        Sweep merged = a.reduced == 0 ? b : a;
        merged.columns = a.columns || b.columns;
        if (a.reduced == 0 || b.reduced == 0 || a.reduced == b.reduced) return merged;
        if (auto both = rows_and_columns(a, b)) return both;
        if (auto both = rows_and_columns(b, a)) return both;
        reason = "they reduce different dimensions of " + text(a.domain);
        return std::nullopt;
    }
    // Operations on the reduced values of the other: a mean's division.
    if (a.reduced != 0 && b.reduced == 0 && b.domain == a.reduced_shape()) return a;
    if (b.reduced != 0 && a.reduced == 0 && a.domain == b.reduced_shape()) return b;
    auto named = [](llvm::ArrayRef<int64_t> domain) {
        return domain.empty() ? "a scalar" : text(domain);
    };
    reason = "their shapes differ: " + named(a.domain) + " and " + named(b.domain);
    return std::nullopt;
}

}  // namespace catena::passes
