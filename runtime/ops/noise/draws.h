#pragma once

#include <optional>

#include "runtime/ops/noise/random.h"

namespace catena {

// Random arrays on the current device from Catena's own random bits (random.h): the same eager and
// compiled.

/// Independent draws from [low, high).
Variable random_uniform(const Scalar& low, const Scalar& high, const Shape& shape,
                        Dtype dtype = Dtype::float32,
                        const std::source_location& at = std::source_location::current());
/// Independent draws from the normal distribution.
Variable random_normal(const Scalar& mean, const Scalar& deviation, const Shape& shape,
                       Dtype dtype = Dtype::float32,
                       const std::source_location& at = std::source_location::current());
/// Independent integers from low to high - 1. ValueError for an interval of more than 2^53, or that
/// the dtype does not hold.
/// - low: The least.
/// - high: One more than the largest.
/// - shape: That of the result.
/// - dtype: That of the result.
Variable randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype = Dtype::int64,
                 const std::source_location& at = std::source_location::current());
/// Independent bools, true with probability p.
Variable random_bernoulli(const Scalar& p, const Shape& shape,
                          const std::source_location& at = std::source_location::current());

/// Classes drawn from softmax(logits) along the last axis, int32: (..., draws). No gradient.
/// - logits: (..., classes), floating point.
/// - draws: How many for each row.
Variable random_categorical(const Operand& logits, int64_t draws = 1);

/// The numbers of [0, n) in a random order, int64.
Variable permutation(int64_t n, const std::source_location& at = std::source_location::current());
/// The items of x along an axis in a random order; x stays as it is.
/// - x: Of at least one axis.
/// - axis: Along which items are moved.
Variable permutation(const Operand& x, int64_t axis = 0);

/// Options of choice.
struct Choice {
    /// Whether an item may be drawn more than once.
    bool replace = true;
    /// (n), weights of the items, which need not sum to 1; all equal if not given.
    Variable p = {};
};
/// `size` numbers of [0, n), int64.
Variable choice(int64_t n, int64_t size, const Choice& options = {},
                const std::source_location& at = std::source_location::current());
/// Items of x along axis 0, drawn at random: (size, ...). ValueError where there are too few items
/// to draw without replacement.
/// - x: Of at least one axis; ShapeError for a scalar.
/// - size: How many.
Variable choice(const Operand& x, int64_t size, const Choice& options = {});

}  // namespace catena
