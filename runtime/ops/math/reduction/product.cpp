#include <type_traits>
#include <vector>

#include "runtime/cpu/blocks/reduce_kernel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {

namespace {

/// For each element of a row of x [m,n] the product of the others: from the left times from the
/// right, so that zeros need no division.
Variable product_of_others(const Variable& x);

void product_of_others_kernel(const KernelCall& call) {
    const Array x = call.inputs[0].as_contiguous();
    const int64_t n = x.dim(1);
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const T* from = x.elements<T>();
        T* to = call.outputs[0].to_fill<T>();
        std::vector<Wide> left(size_t(n) + 1, 1);
        for (int64_t row = 0; row < x.dim(0); ++row, from += n, to += n) {
            for (int64_t i = 0; i < n; ++i) left[i + 1] = left[i] * Wide(from[i]);
            Wide right = 1;
            for (int64_t i = n; i-- > 0; right *= Wide(from[i])) to[i] = T(left[i] * right);
        }
    });
}

/// The gradient of product_of_others(x), which gy is towards: y[j] is the sum of gy[i] times the
/// product of all but i and j, i other than j. The products left and right of each element are
/// differentiated one after the other, so that a row of n takes O(n).
Variable sums_of_pairs(const Variable& x, const Variable& gy);

void sums_of_pairs_kernel(const KernelCall& call) {
    const Array x = call.inputs[0].as_contiguous(), gy = call.inputs[1].as_contiguous();
    const int64_t n = x.dim(1);
    visit_dtype(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const T *from = x.elements<T>(), *g = gy.elements<T>();
        T* to = call.outputs[0].to_fill<T>();
        std::vector<Wide> right(size_t(n), 1),
            of_right(size_t(n), 0);  // Their gradients: of what stands further right.
        for (int64_t row = 0; row < x.dim(0); ++row, from += n, g += n, to += n) {
            Wide product = 1, later = 0;
            for (int64_t i = n; i-- > 0; product *= Wide(from[i])) {
                right[size_t(i)] = product;
                of_right[size_t(i)] = later;
                later = Wide(g[i]) * product + later * Wide(from[i]);
            }
            Wide left = 1, earlier = 0;
            for (int64_t i = 0; i < n; left *= Wide(from[i]), ++i) {
                to[i] = T(of_right[size_t(i)] * left + earlier * right[size_t(i)]);
                earlier = Wide(g[i]) * left + earlier * Wide(from[i]);
            }
        }
    });
}

/// [n,n], true where row and column are equal.
Variable diagonal(int64_t n) {
    const Variable position = cumsum(fill({Dtype::int64, {n}}, 1), 0);
    return reshape(position, {n, 1}) == reshape(position, {1, n});
}

/// The gradient towards x of sums_of_pairs(x, gy), which `u` is towards. With M = x repeated as
/// rows i of [m,n,n] and 1 on the diagonal, the sum is gy[i] times product_of_others(row i), of
/// which pairs are the gradient.
Variable gradient_of_pairs(const Variable& x, const Variable& gy, const Variable& u) {
    const int64_t m = x.shape()[0], n = x.shape()[1];
    const Variable on_diagonal = broadcast_to(diagonal(n), {m, n, n});
    const Variable rows = where(on_diagonal, 1, broadcast_to(reshape(x, {m, 1, n}), {m, n, n}));
    const Variable weights = where(on_diagonal, 0, reshape(gy, {m, n, 1}) * reshape(u, {m, 1, n}));
    const Variable pairs =
        reshape(sums_of_pairs(reshape(rows, {m * n, n}), reshape(weights, {m * n, n})), {m, n, n});
    return sum(where(on_diagonal, 0, pairs), 1);
}

Types rows_type(const TypeCall& c) {
    const Type& x = c.inputs[0];
    if (!is_float(x.dtype))
        fail<DtypeError>("{}: x is {}, a float dtype is needed", c.op.name, name_of(x.dtype));
    if (x.shape.rank() != 2)
        fail<ShapeError>("{}: x is {}, a matrix is needed", c.op.name, to_string(x.shape));
    for (const Type& other : c.inputs)
        if (!(other == x))
            fail<ShapeError>("{}: gy is {} and should be as x, {}", c.op.name, to_string(other),
                             to_string(x));
    return {x};
}

constexpr const char* prod_pairs_text = R"(
        const i64 n = x0_size[1], row = i / n * n;
        T product = 1, sum = 0;
        for (i64 k = row; k < row + n; ++k) {
            if (k == i) continue;
            sum = sum * x0(k) + x1(k) * product;
            product *= x0(k);
        }
        y0(i, sum);)";

const OpDef& op_prod_pairs = register_op({
    .name = "prod_pairs",
    .input_count = 2,
    .differentiable = true,
    .type = rows_type,
    .kernel = sums_of_pairs_kernel,
    .gradient =
        [](const GradientCall& g) {
            Variables result(2);
            if (g.needs(0)) result[0] = gradient_of_pairs(g.x(0), g.x(1), g.gy());
            if (g.needs(1))
                result[1] = sums_of_pairs(
                    g.x(0), g.gy());  // They are linear in gy, with a symmetric matrix.
            return result;
        },
    .reads = [](int input, int) { return Reads{.inputs = input == 0 ? 3u : 1u}; },
    .declared = {element_text(prod_pairs_text)},
});

Variable sums_of_pairs(const Variable& x, const Variable& gy) {
    return call(op_prod_pairs, {}, {}, {}, x, gy);
}

constexpr const char* prod_others_text = R"(
        const i64 n = x0_size[1], row = i / n * n;
        T left = 1, right = 1;
        for (i64 k = row; k < i; ++k) left *= x0(k);
        for (i64 k = row + n; k-- > i + 1;) right *= x0(k);
        y0(i, left * right);)";

// A separate op, so that a gradient costs O(n), and that of the gradient, too.
const OpDef& op_prod_others = register_op({
    .name = "prod_others",
    .differentiable = true,
    .type = rows_type,
    .kernel = product_of_others_kernel,
    .gradient = [](const GradientCall& g) { return Variables{sums_of_pairs(g.x(0), g.gy())}; },
    .reads = [](int, int) { return Reads{.inputs = 1}; },
    .declared = {element_text(prod_others_text)},
});

Variable product_of_others(const Variable& x) { return call(op_prod_others, {}, {}, {}, x); }

/// The gradient of prod: reduced axes last, as rows.
Variable gradient_of_product(const Variable& x, const Axes& axes, const Variable& gy) {
    Axes order;
    int64_t n = 1;
    for (int i = 0; i < x.rank(); ++i)
        if (!axes.contains(i)) order.push_back(i);
    for (int64_t axis : axes) {
        order.push_back(axis);
        n *= x.shape()[axis];
    }
    if (x.size() == 0) return fill(x.type(), 0);
    const Variable rows = transpose(x, order);
    const Variable others = reshape(product_of_others(reshape(rows, {-1, n})), rows.shape());
    Axes inverse = order;
    for (int i = 0; i < order.rank(); ++i) inverse[order[i]] = i;
    return transpose(others, inverse) * broadcast_reduced(gy, axes, x.shape());
}

const OpDef& op_prod = register_op({
    .name = "prod",
    .kind = Kind::reduce,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Type& x = c.inputs[0];
            const Axes& axes = c.attributes.dims("axes");
            Type y{is_float(x.dtype) ? x.dtype : Dtype::int64, {}};
            for (int i = 0; i < x.shape.rank(); ++i) {
                if (!axes.contains(i))
                    y.shape.push_back(x.shape[i]);
                else if (c.attributes.flag("keepdims"))
                    y.shape.push_back(1);
            }
            return Types{y};
        },
    .kernel = run_reduce,
    .gradient =
        [](const GradientCall& g) {
            return Variables{gradient_of_product(g.x(0), g.attributes().dims("axes"), g.gy())};
        },
    .reads = [](int, int) { return Reads{.inputs = 1}; },
    .combine = Combine::product,
    .onnx = onnx_reduction("ReduceProd"),
    .declared = {in_autocast(Autocast::wide)},
});

}  // namespace

/// For each element the product of the others of its row: the gradient of prod. Floats only.
/// - x: (M, N).
static const FunctionDef& f_prod_others =
    function("prod_others(x)", {"x"},
             [](const FunctionArguments& a) { return product_of_others(a.array("x")); });
/// For each element i of a row the sum over j of gy[j] times the product of the row without i and
/// j: the gradient of prod_others. Floats only.
/// - x: (M, N).
/// - gy: Of x's shape and dtype.
static const FunctionDef& f_prod_pairs =
    function("prod_pairs(x, gy)", {"x", "gy"},
             [](const FunctionArguments& a) { return sums_of_pairs(a.array("x"), a.array("gy")); });

Variable prod(const Operand& x, const ReductionAxes& axis, bool keepdims) {
    LocationScope scope(x.location());
    const Axes axes = axis.resolve("prod", x.variable().rank());
    return call(op_prod, x.location(), {{"axes", axes}, {"keepdims", keepdims}}, {}, x);
}
static const FunctionDef& f_prod =
    function("prod(x, axis=None, keepdims=False)", {"x"}, [](const FunctionArguments& a) {
        return prod(a.array("x"), a.dims("axis"), a.flag("keepdims"));
    });

}  // namespace catena
