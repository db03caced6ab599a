#include "frontend/distribution/base/draws.h"

#include <cmath>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/special.h"
#include "runtime/ops/noise/random.h"

namespace catena::draws {
namespace {

/// 16-bit floats have too few values to be drawn from.
Dtype drawn_dtype(Dtype dtype) { return size_of(dtype) < 4 ? Dtype::float32 : dtype; }

Shape with_first(int64_t size, const Shape& rest) {
    Shape shape{size};
    for (int64_t each : rest) shape.push_back(each);
    return shape;
}

/// The proposal of the first round that accepted it, else `otherwise`.
Variable first_accepted(const Variable& accepted, const Variable& proposals,
                        const Variable& otherwise) {
    Variable y = otherwise;
    for (int64_t round = accepted.shape()[0]; round-- > 0;)
        y = where(squeeze(slice_axis(accepted, 0, round, 1), {0}),
                  squeeze(slice_axis(proposals, 0, round, 1), {0}), y);
    return y;
}

/// Draws of gamma distributions with shape parameters of 1 and more.
Variable gamma_of_large(const Variable& k, const Shape& shape) {
    constexpr int64_t rounds = 8;
    const Variable d = k - 1.0 / 3;
    const Variable x = normal(with_first(rounds, shape), k.dtype()),
                   u = uniform(with_first(rounds, shape), k.dtype());
    const Variable root = x / sqrt(d * 9) + 1, positive = root > 0;
    const Variable v = where(positive, root * root * root, 1);
    const Variable accepted = positive && log(u) < x * x * 0.5 + d * (1 - v + log(v));
    return first_accepted(accepted, d * v, broadcast_to(d, shape));
}

/// How many of the cumulative probabilities of 0, 1, ... a uniform number exceeds.
Variable poisson_of_small(const Variable& lam, const Shape& shape) {
    constexpr int64_t most = 48;  // of a mean of 10 it has probability 1e-17
    std::vector<double> counts;
    for (int64_t k = 0; k < most; ++k) counts.push_back(double(k));
    const Variable k(Array::from(counts, {most}).to(lam.device()), false);
    const Variable mean = expand_dims(lam, -1);
    const Variable total = cumsum(exp(k * log(mean) - mean - lgamma(k + 1)), -1);
    const Variable u = expand_dims(uniform(shape, lam.dtype()), -1);
    return cast(sum(u > total, -1), lam.dtype());
}

/// Draws of Poisson distributions with large means, by Hoermann's PTRS.
Variable poisson_of_large(const Variable& lam, const Shape& shape) {
    constexpr int64_t rounds = 16;
    const Variable b = sqrt(lam) * 2.53 + 0.931, a = b * 0.02483 - 0.059;
    const Variable inverse_alpha = 1.1328 / (b - 3.4) + 1.1239, v_r = 0.9277 - 3.6224 / (b - 2);
    const Shape drawn = with_first(rounds, shape);
    const Variable u = uniform(drawn, lam.dtype()) - 0.5, v = uniform(drawn, lam.dtype());
    const Variable us = 0.5 - absolute(u);
    const Variable k = floor((a * 2 / us + b) * u + lam + 0.43);
    const Variable possible = k >= 0 && (us >= 0.013 || v <= us);
    const Variable at = maximum(k, 0);
    const Variable likely =
        log(v * inverse_alpha / (a / (us * us) + b)) <= at * log(lam) - lam - lgamma(at + 1);
    return first_accepted(possible && ((us >= 0.07 && v <= v_r) || likely), k,
                          broadcast_to(floor(lam), shape));
}

}  // namespace

Variable uniform(const Shape& shape, Dtype dtype) {
    const Dtype drawn = drawn_dtype(dtype);
    const double half_a_step = drawn == Dtype::float64 ? 0x1p-54 : 0x1p-25;  // in the place of 0
    const Variable u = maximum(random_uniform(shape, drawn), half_a_step);
    if (drawn == dtype) return u;
    return minimum(cast(u, dtype),
                   dtype == Dtype::float16 ? 1 - 0x1p-11 : 1 - 0x1p-8);  // 1 by rounding
}

Variable normal(const Shape& shape, Dtype dtype) {
    return cast(random_normal(shape, drawn_dtype(dtype)), dtype);
}

Variable exponential(const Shape& shape, Dtype dtype) {
    return cast(-log(uniform(shape, drawn_dtype(dtype))), dtype);
}

Variable gumbel(const Shape& shape, Dtype dtype) {
    return cast(-log(-log(uniform(shape, drawn_dtype(dtype)))), dtype);
}

// A gamma of shape k is one of shape k + 1 times a power 1 / k of a uniform number.
Variable gamma(const Variable& k, const Shape& shape) {
    const auto mode = no_backprop_mode();
    const Variable given = cast(k, drawn_dtype(k.dtype()));
    const Variable small = given < 1;
    const Variable y = gamma_of_large(where(small, given + 1, given), shape);
    const Variable power = pow(uniform(shape, given.dtype()), 1.0 / where(small, given, 1));
    return cast(y * where(small, power, 1), k.dtype());
}

Variable poisson(const Variable& lam, const Shape& shape) {
    const auto mode = no_backprop_mode();
    const Variable mean = cast(lam, Dtype::float64), small = mean < 10;
    const Variable y = where(small, poisson_of_small(minimum(mean, 10), shape),
                             poisson_of_large(maximum(mean, 10), shape));
    return cast(y, lam.dtype());
}

// The largest of log p plus Gumbel noise (Gumbel 1954).
Variable categorical(const Variable& log_p, const Shape& shape) {
    const auto mode = no_backprop_mode();
    const Dtype dtype = drawn_dtype(log_p.dtype());
    Shape drawn = shape;
    drawn.push_back(log_p.shape()[log_p.rank() - 1]);
    return cast(argmax(cast(log_p, dtype) + gumbel(drawn, dtype), -1), Dtype::int64);
}

}  // namespace catena::draws
