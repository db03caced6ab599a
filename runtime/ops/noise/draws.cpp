#include "runtime/ops/noise/draws.h"

#include <cmath>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/argsort_first.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/array/searching.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

void check_range(int64_t low, int64_t high, Dtype dtype) {
    if (!is_integer(dtype))
        fail<DtypeError>("randint: the dtype is {}, an integer one is needed", name_of(dtype));
    if (high <= low)
        fail<ValueError>("randint: low is {} and high {}; low must be less than high", low, high);
    if (uint64_t(high) - uint64_t(low) > uint64_t(1) << 53)
        fail<ValueError>("randint: [{}, {}) has more than 2^53 numbers", low, high);
    const int bits = int(8 * size_of(dtype));
    const bool is_signed = dtype != Dtype::uint8;
    const double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0,
                 most = std::ldexp(1.0, bits - is_signed);
    if (double(low) < least || double(high - 1) >= most)
        fail<ValueError>("randint: {} does not hold all of [{}, {})", name_of(dtype), low, high);
}

/// Draws of Gumbel's distribution: the largest of log p + such draws is at i with probability p[i].
Variable gumbel(const Shape& shape) {
    // Of (0, 1), so that no logarithm is infinite.
    return -log(-log(random_uniform(shape, Dtype::float64) * (1 - 0x1p-53) + 0x1p-54));
}

/// The place of each element in the sorted array.
Variable ranks(const Variable& x) { return argsort(argsort(x)); }

/// Places drawn in proportion to the weights: how many running sums are not beyond each draw.
/// Sorted together, sums first where equal, a draw stands behind those and behind the smaller
/// draws.
Variable weighted_places(const Variable& weights, int64_t size) {
    const Variable sums = cumsum(cast(weights, Dtype::float64), 0);
    const int64_t n = weights.shape()[0];
    const Variable total = slice_axis(sums, 0, n - 1, 1);
    const Variable draws = random_uniform({size}, Dtype::float64) * total;
    const Variable together = ranks(concat({sums, draws}, 0));
    return cast(slice_axis(together, 0, n, size) - ranks(draws), Dtype::int64);
}

void check_choice(int64_t n, int64_t size, const Choice& options) {
    if (n < 1)
        fail<ValueError>("choice: n is {}; there should be at least one item to choose from", n);
    if (size < 0 || (!options.replace && size > n))
        fail<ValueError>(
            "choice: cannot draw {} of {} items{}", size, n,
            options.replace ? "" : " without repeating any; draw fewer, or set replace");
    const Variable& p = options.p;
    if (p.defined() && p.shape() != Shape{n})
        fail<ShapeError>("choice: p {} should have one weight for each of {} items",
                         to_string(p.shape()), n);
}

const FunctionDef& f_randint =
    function("randint(low, high, shape, dtype='int64')", {}, [](const FunctionArguments& a) {
        return randint(a.integer("low"), a.integer("high"), a.dims("shape"),
                       parse_dtype(a.text("dtype")));
    });
const FunctionDef& f_permutation = function(
    "permutation(x, axis=0)", {"x"},
    [](const FunctionArguments& a) { return permutation(a.array("x"), a.integer("axis")); });
const FunctionDef& f_random_categorical =
    function("random_categorical(logits, draws=1)", {"logits"}, [](const FunctionArguments& a) {
        return random_categorical(a.array("logits"), a.integer("draws"));
    });
const FunctionDef& f_choice =
    function("choice(x, size, replace=True, p=None)", {"x", "p"}, [](const FunctionArguments& a) {
        return choice(a.array("x"), a.integer("size"),
                      {.replace = a.flag("replace"), .p = a.array("p")});
    });

}  // namespace

Variable random_uniform(const Scalar& low, const Scalar& high, const Shape& shape, Dtype dtype,
                        const std::source_location& at) {
    LocationScope scope(at);
    const Variable draws = random_uniform(shape, dtype == Dtype::float64 ? dtype : Dtype::float32);
    return cast(draws * (high.value() - low.value()) + low.value(), dtype);
}
Variable random_normal(const Scalar& mean, const Scalar& deviation, const Shape& shape, Dtype dtype,
                       const std::source_location& at) {
    LocationScope scope(at);
    const Variable draws = random_normal(shape, dtype == Dtype::float64 ? dtype : Dtype::float32);
    return cast(draws * double(deviation.value()) + double(mean.value()), dtype);
}

Variable randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype,
                 const std::source_location& at) {
    LocationScope scope(at);
    check_range(low, high, dtype);
    // A draw is at most 1 - 2^-53, so that its product stays below high - low.
    const Variable steps = floor(random_uniform(shape, Dtype::float64) * double(high - low));
    const Variable numbers = cast(steps, Dtype::int64) + fill({Dtype::int64, Shape{}}, low);
    return cast(numbers, dtype);
}

Variable random_bernoulli(const Scalar& p, const Shape& shape, const std::source_location& at) {
    LocationScope scope(at);
    return random_uniform(shape, Dtype::float64) < p;
}

Variable random_categorical(const Operand& logits, int64_t draws) {
    LocationScope scope(logits.location());
    const Variable& x = logits;
    if (x.rank() == 0 || x.shape().back() < 1 || draws < 0)
        fail<ShapeError>(
            "random_categorical: {} draws of logits {}; the last axis must have classes", draws,
            to_string(x.shape()));
    if (!is_float(x.dtype()))
        fail<DtypeError>("random_categorical: logits are {}, floats are needed",
                         to_string(x.type()));
    const DeviceScope beside(x.device());
    Shape shape = x.shape();
    shape.insert(shape.rank() - 1, draws);
    return argmax(expand_dims(cast(x, Dtype::float64), -2) + gumbel(shape), shape.rank() - 1);
}

Variable permutation(int64_t n, const std::source_location& at) {
    LocationScope scope(at);
    if (n < 0) fail<ValueError>("permutation: n is {}, it must not be negative", n);
    return cast(argsort(random_uniform({n}, Dtype::float64)), Dtype::int64);
}
Variable permutation(const Operand& x, int64_t axis) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const int along = normalize_axis("permutation", axis, v.rank());
    const DeviceScope beside(v.device());
    return take(v, permutation(v.shape()[along]), along);
}

Variable choice(int64_t n, int64_t size, const Choice& options, const std::source_location& at) {
    LocationScope scope(at);
    check_choice(n, size, options);
    if (options.replace)
        return options.p.defined() ? weighted_places(options.p, size) : randint(0, n, {size});
    if (!options.p.defined())
        return cast(argsort_first(random_uniform({n}, Dtype::float64), size),
                    Dtype::int64);  // As permutation(n) begins.
    // Gumbel's maximum for one draw; its k largest for k draws without replacement (Vieira 2014).
    const Variable keys = log(cast(options.p, Dtype::float64)) + gumbel({n});
    return cast(topk(keys, size).indices, Dtype::int64);
}
Variable choice(const Operand& x, int64_t size, const Choice& options) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (v.rank() == 0)
        fail<ShapeError>("choice: x is a scalar; pass the number of items as an integer instead");
    const DeviceScope beside(v.device());
    return take(v, choice(v.shape()[0], size, options), 0);
}

}  // namespace catena
