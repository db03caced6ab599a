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
/// Independent integers of [low, high); an interval of at most 2^53 that the dtype holds
/// (ValueError).
Variable randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype = Dtype::int64,
                 const std::source_location& at = std::source_location::current());
/// True with probability p.
Variable random_bernoulli(const Scalar& p, const Shape& shape,
                          const std::source_location& at = std::source_location::current());

/// For logits x [..., n], of which a softmax gives the probabilities: `draws` int32 classes of [0,
/// n) for each row, in an array [..., draws] (Gumbel's maximum).
Variable random_categorical(const Operand& logits, int64_t draws = 1);

/// The numbers of [0, n) in a random order, int64.
Variable permutation(int64_t n, const std::source_location& at = std::source_location::current());
/// x's items along the axis in a random order. (Arrays are values: there is no shuffle in place, `x
/// = permutation(x)`.)
Variable permutation(const Operand& x, int64_t axis = 0);

struct Choice {
    bool replace = true;  ///< False: no item twice.
    Variable p = {};      ///< [n], weights that need not sum to 1; undefined: all equal.
};
/// `size` numbers of [0, n), int64.
Variable choice(int64_t n, int64_t size, const Choice& options = {},
                const std::source_location& at = std::source_location::current());
/// `size` of x's items along axis 0.
Variable choice(const Operand& x, int64_t size, const Choice& options = {});

}  // namespace catena
