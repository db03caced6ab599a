#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"

namespace catena::passes {

/// The number of elements up to which a single thread processes a whole domain and finds it in its
/// caches: reading a reduced value back in the same pass over the domain then costs nothing, and
/// neither do two passes.
constexpr int64_t small_domain = 32 * 1024;

/// The iteration space of a fused group: a domain (without leading dimensions of size 1) and which
/// of its dimensions the reductions combine. Dimensions are counted from the last, so that operands
/// of lower rank line up.
struct Sweep {
    llvm::SmallVector<int64_t, 4> domain;  ///< The sizes of the domain, innermost first.
    /// The reduced dimensions: bit i for domain[i]; never a dimension of size 1.
    uint32_t reduced = 0;
    /// Whether some reductions combine all dimensions but the reduced ones (column reductions).
    bool columns = false;

    /// The iteration space of one map, reduce or reshape of leading dimensions; nothing for any
    /// other operation.
    static std::optional<Sweep> of(mlir::Operation* op);
    /// Shape of the reduced values.
    llvm::SmallVector<int64_t, 4> reduced_shape() const;
    /// Whether reduced values may be read over the domain within the same group: the reduced
    /// dimensions are the last, and there is more than one row or little to do in it.
    bool may_read_back() const;
    /// The dimensions that are not reduced, as bits; none of size 1.
    uint32_t kept() const;
};

/// The iteration space that contains both, or none and the reason.
std::optional<Sweep> merge(const Sweep& a, const Sweep& b, std::string& reason);

/// `shape` with the innermost dimension first, without leading dimensions of size 1.
llvm::SmallVector<int64_t, 4> aligned_shape(llvm::ArrayRef<int64_t> shape);

}  // namespace catena::passes
