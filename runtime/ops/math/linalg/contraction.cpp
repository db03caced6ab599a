#include "runtime/ops/math/linalg/contraction.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/cpu/product/float_product.h"
#include "runtime/cpu/product/gemm.h"
#include "runtime/cpu/product/prepared_product.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/joined_calls.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/preparation.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

Attributes transposes(bool transa, bool transb) { return {{"transa", transa}, {"transb", transb}}; }

/// Sizes of the product of op(a) and op(b); axes before the last two broadcast.
Types matmul_type(const TypeCall& c) {
    const Shape &a = c.inputs[0].shape, &b = c.inputs[1].shape;
    bool transa = c.attributes.flag("transa"), transb = c.attributes.flag("transb");
    if (a.rank() < 2 || b.rank() < 2)  // matmul_c1
        fail<ShapeError>("matmul: takes matrices, a is {} and b is {}", to_string(a), to_string(b));
    int64_t rows = a[a.rank() - (transa ? 1 : 2)], inner = a[a.rank() - (transa ? 2 : 1)];
    int64_t inner_b = b[b.rank() - (transb ? 1 : 2)], columns = b[b.rank() - (transb ? 2 : 1)];
    if (inner != inner_b)  // matmul_c2
        fail<ShapeError>("matmul: a has {} columns, b has {} rows (a {}{}, b {}{})", inner, inner_b,
                         to_string(a), transa ? " transposed" : "", to_string(b),
                         transb ? " transposed" : "");
    Shape batch_a(std::span(a.begin(), size_t(a.rank() - 2)));
    Shape batch_b(std::span(b.begin(), size_t(b.rank() - 2)));
    Shape result;
    if (!broadcast_shapes(batch_a, batch_b, result))  // matmul_c3
        fail<ShapeError>("matmul: the batches {} and {} do not broadcast (a {}, b {})",
                         to_string(batch_a), to_string(batch_b), to_string(a), to_string(b));
    result.push_back(rows);
    result.push_back(columns);
    return {{promote(c.inputs[0].dtype, c.inputs[1].dtype), result}};
}

Variable multiply(const Variable& a, const Variable& b, bool transa, bool transb);

/// x with its last two axes exchanged where `wanted`, in the dtype of the result.
int write_transposed(OnnxCall& c, int i, bool wanted) {
    const int x = c.input(i, c.result()), rank = c.inputs[size_t(i)].rank();
    if (!wanted) return x;
    std::vector<int64_t> axes;
    for (int k = 0; k < rank; ++k) axes.push_back(k);
    std::swap(axes[size_t(rank - 2)], axes[size_t(rank - 1)]);
    return c.graph.node("Transpose", {x}, {{"perm", axes}});
}

/// Rows of a below each other; or along the inner axis, for a sum of products:
/// sum_t a_t b_t = [a_1 a_2 ...] [b_1; b_2; ...].
Joinings matmul_joinings(const TypeCall& c) {
    if (c.inputs[0].shape.rank() != 2 || c.inputs[1].shape.rank() != 2) return {};
    int transa = c.attributes.flag("transa"), transb = c.attributes.flag("transb");
    return {{.inputs = {transa, Joining::shared}, .output = 0},
            {.inputs = {1 - transa, transb}, .output = Joining::sum}};
}

constexpr const char* matmul_text = R"(
        const i64 rows = y0_size[y0_rank - 2], columns = y0_size[y0_rank - 1], inner = x0_size[x0_rank - (transa ? 2 : 1)];
        const i64 row = i / columns % rows, column = i % columns;
        i64 left = 0, right = 0, batch = i / columns / rows, left_step = rows * inner, right_step = inner * columns;
        for (int d = y0_rank - 3; d >= 0; --d) {
            const i64 index = batch % y0_size[d];
            batch /= y0_size[d];
            const int dl = d - (y0_rank - x0_rank), dr = d - (y0_rank - x1_rank);
            if (dl >= 0) {
                left += x0_size[dl] == 1 ? 0 : index * left_step;
                left_step *= x0_size[dl];
            }
            if (dr >= 0) {
                right += x1_size[dr] == 1 ? 0 : index * right_step;
                right_step *= x1_size[dr];
            }
        }
        T sum = 0;
        for (i64 k = 0; k < inner; ++k)
            sum += x0(left + (transa ? k * rows + row : row * inner + k)) *
                   x1(right + (transb ? column * inner + k : k * columns + column));
        y0(i, sum);)";

const OpDef& op_matmul = register_op({
    .name = "matmul",
    .kind = Kind::contract,
    .input_count = 2,
    .differentiable = true,
    .type = matmul_type,
    .kernel =
        [](const KernelCall& c) {
            matmul_arrays(c.inputs[0], c.inputs[1], c.attributes.flag("transa"),
                          c.attributes.flag("transb"), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& c) {
            bool transa = c.attributes().flag("transa"), transb = c.attributes().flag("transb");
            Variables gx(2);
            if (c.needs(0))
                gx[0] = transa ? multiply(c.x(1), c.gy(), transb, true)
                               : multiply(c.gy(), c.x(1), false, !transb);
            if (c.needs(1))
                gx[1] = transb ? multiply(c.gy(), c.x(0), true, transa)
                               : multiply(c.x(0), c.gy(), !transa, false);
            for (int i = 0; i < 2; ++i)
                if (gx[i].defined())
                    gx[i] = cast(sum_to(gx[i], c.x_type(i).shape), c.x_type(i).dtype);
            return gx;
        },
    .reads = [](int input, int) { return Reads{.inputs = input == 0 ? 2u : 1u}; },
    .onnx =
        [](OnnxCall& c) {
            return c.node("MatMul", {write_transposed(c, 0, c.attributes.flag("transa")),
                                     write_transposed(c, 1, c.attributes.flag("transb"))});
        },
    .declared = {library_role(LibraryRole::matmul), preparation([](const KernelCall& c) {
                     return prepare_product(c.attributes.flag("transa"),
                                            c.attributes.flag("transb"), c);
                 }),
                 in_autocast(Autocast::narrow), joinings(matmul_joinings),
                 element_text(matmul_text)},
});

Variable multiply(const Variable& a, const Variable& b, bool transa, bool transb) {
    return call(op_matmul, known_location(), transposes(transa, transb), {}, a, b);
}

template <class T>
void add_rows(const T* b, T* y, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) y[i * columns + j] = T(y[i * columns + j] + b[j]);
}

/// One pass for float32: the product is added to rows that hold the bias.
void linear_kernel(const KernelCall& c) {
    const Array &x = c.inputs[0], &W = c.inputs[1], &y = c.outputs[0];
    Array b = c.inputs[2].astype(y.dtype()).as_contiguous();
    if (y.dtype() == Dtype::float32) {
        fill_rows(b, y);
        return matmul_arrays(x, W, false, true, y, true);
    }
    if (is_float(y.dtype()) && size_of(y.dtype()) == 2) {  // Rounded once, after the bias.
        const Array sums = Array::empty({Dtype::float32, y.shape()}, y.device());
        matmul_arrays(x, W, false, true, sums);
        const Array wide = b.astype(Dtype::float32);
        add_rows(wide.elements<float>(), sums.to_fill<float>(), y.dim(0), y.dim(1));
        return copy_elements(sums, y);
    }
    matmul_arrays(x, W, false, true, y);
    visit_dtype(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        add_rows(b.elements<T>(), y.to_fill<T>(), y.dim(0), y.dim(1));
    });
}

Types linear_type(const TypeCall& c) {
    const Shape &x = c.inputs[0].shape, &W = c.inputs[1].shape, &b = c.inputs[2].shape;
    if (x.rank() != 2 || W.rank() != 2 || x[1] != W[1])  // linear_c1
        fail<ShapeError>("linear: W takes {} features, x has {} (x {}, W {})",
                         W.rank() == 2 ? W[1] : -1, x.rank() == 2 ? x[1] : -1, to_string(x),
                         to_string(W));
    if (b.rank() != 1 || b[0] != W[0])  // linear_c2
        fail<ShapeError>("linear: W gives {} features, b is {} and should be [{}]", W[0],
                         to_string(b), W[0]);
    Dtype dtype = promote(promote(c.inputs[0].dtype, c.inputs[1].dtype), c.inputs[2].dtype);
    return {{dtype, Shape{x[0], W[0]}}};
}

const OpDef& op_linear = register_op({
    .name = "linear",
    .input_count = 3,
    .differentiable = true,
    .type = linear_type,
    .kernel = linear_kernel,
    .body =
        [](std::span<const Variable> v, const Attributes&, std::span<const Scalar>) {
            return Variables{multiply(v[0], v[1], false, true) + v[2]};
        },
    .gradient =
        [](const GradientCall& c) {
            Variables gx(3);
            if (c.needs(0)) gx[0] = multiply(c.gy(), c.x(1), false, false);
            if (c.needs(1)) gx[1] = multiply(c.gy(), c.x(0), true, false);
            if (c.needs(2)) gx[2] = sum(c.gy(), Axes{0});
            for (int i = 0; i < 3; ++i)
                if (gx[i].defined()) gx[i] = cast(gx[i], c.x_type(i).dtype);
            return gx;
        },
    .reads = [](int input, int) { return Reads{.inputs = input == 0   ? 2u
                                                         : input == 1 ? 1u
                                                                      : 0u}; },
    .onnx =
        [](OnnxCall& c) {
            const Dtype dtype = c.result();
            return c.node("Gemm", {c.input(0, dtype), c.input(1, dtype), c.input(2, dtype)},
                          {{"transB", 1}});
        },
    .declared = {library_role(LibraryRole::linear),
                 preparation([](const KernelCall& c) { return prepare_product(false, true, c); }),
                 in_autocast(Autocast::narrow)},
});

/// What a user of [batch, words, features] should write, where x would fit so.
std::string advice_for(const Shape& x, int64_t features) {
    int64_t rest = 1;
    for (int axis = x.rank() - 1; axis > 0; --axis)
        if ((rest *= x[axis]) == features)
            return fmt::format("; with {} batch axes (n_batch_axes, layer(x, {})) it has {}", axis,
                               axis, features);
    return "";
}

/// x with the axes after the batch axes flattened, for the product with W.
Variable as_rows(const Variable& x, const Variable& W, int n_batch_axes) {
    const Shape& shape = x.shape();
    if (shape.rank() < 2)  // linear_c3
        fail<ShapeError>(
            "linear: x should have an axis for the batch and one for the features, it is {}; give "
            "a single example an axis, by reshape to [1,{}]",
            to_string(x.type()), x.size());
    if (n_batch_axes < 1 || n_batch_axes >= shape.rank())  // linear_c3
        fail<ValueError>("linear: n_batch_axes is {} and should be from 1 to {} for x {}",
                         n_batch_axes, shape.rank() - 1, to_string(shape));
    int64_t rows = 1, features = 1;
    for (int i = 0; i < shape.rank(); ++i) (i < n_batch_axes ? rows : features) *= shape[i];
    if (W.rank() != 2 || W.shape()[1] != features)  // linear_c1
        fail<ShapeError>("linear: W takes {} features, x has {} (x {}, W {}){}",
                         W.rank() == 2 ? W.shape()[1] : -1, features, to_string(shape),
                         to_string(W.shape()),
                         W.rank() == 2 ? advice_for(shape, W.shape()[1]) : "");
    return shape.rank() == 2 ? x : reshape(x, Shape{rows, features});
}

/// A batch times one matrix is one larger product (and so is its gradient towards the matrix).
Variable fold_batch(const Variable& a, const Variable& b, bool transb, bool drop_column) {
    Shape shape = a.shape();
    int64_t rows = 1;
    for (int i = 0; i + 1 < shape.rank(); ++i) rows *= shape[i];
    Variable y = multiply(reshape(a, Shape{rows, shape.back()}), b, false, transb);
    shape.erase(shape.rank() - 1);
    if (!drop_column) shape.push_back(y.shape()[1]);
    return reshape(y, shape);
}

const FunctionDef& f_matmul = function(
    "matmul(a, b, transa=False, transb=False)", {"a", "b"}, [](const FunctionArguments& a) {
        return matmul(a.array("a"), a.array("b"), a.flag("transa"), a.flag("transb"));
    });
const FunctionDef& f_linear = function(
    "linear(x, W, b=None, n_batch_axes=1)", {"x", "W", "b"}, [](const FunctionArguments& a) {
        return linear(a.array("x"), a.array("W"), a.array("b"), int(a.integer("n_batch_axes")));
    });

}  // namespace

Variable matmul(const Operand& a, const Operand& b, bool transa, bool transb) {
    LocationScope scope(a.location());
    const Variable &va = a, &vb = b;
    if (va.rank() == 0 || vb.rank() == 0)  // matmul_c4
        fail<ShapeError>("matmul: takes arrays of rank 1 or more, a is {} and b is {}",
                         to_string(va.shape()), to_string(vb.shape()));
    bool vector_a = va.rank() == 1, vector_b = vb.rank() == 1;
    Variable left = vector_a ? reshape(va, Shape{1, va.size()}) : va;
    Variable right = vector_b ? reshape(vb, Shape{vb.size(), 1}) : vb;
    if (left.rank() > 2 && right.rank() == 2 && !transa)
        return fold_batch(left, right, transb, vector_b);
    Variable y = multiply(left, right, transa && !vector_a, transb && !vector_b);
    if (!vector_a && !vector_b) return y;
    Shape shape = y.shape();
    if (vector_b) shape.erase(shape.rank() - 1);
    if (vector_a) shape.erase(shape.rank() - (vector_b ? 1 : 2));
    return reshape(y, shape);
}

Variable linear(const Operand& x, const Operand& W, const Operand& b, int n_batch_axes) {
    LocationScope scope(x.location());
    const Variable &vx = x, &bias = b;
    Variable rows = as_rows(vx, W, n_batch_axes);
    Variable y = bias.defined() ? call(op_linear, x.location(), {}, {}, rows, W, b)
                                : multiply(rows, W, false, true);
    if (n_batch_axes == 1) return y;
    Shape shape(std::span(vx.shape().begin(), size_t(n_batch_axes)));
    shape.push_back(y.shape()[1]);
    return reshape(y, shape);
}

Variable linear(const Operand& x, const Operand& W) {
    const Variable none;
    return linear(x, W, none);
}

}  // namespace catena
