#include "tests/ops/op_table.h"

namespace catena::testing::contraction_rows {

namespace {

/// The matrix product of the last two axes; a batch of size 1 (or none) serves every batch.
Truth product(bool transa = false, bool transb = false) {
    return one([=](const References& in) {
        const Reference &a = in[0], &b = in[1];
        const auto batch = [](const Reference& x) {
            return Shape(std::span(x.shape.begin(), size_t(x.rank() - 2)));
        };
        Shape shape;
        broadcast_shapes(batch(a), batch(b), shape);
        const int64_t inner = a.dim(a.rank() - (transa ? 2 : 1));
        shape.push_back(a.dim(a.rank() - (transa ? 1 : 2)));
        shape.push_back(b.dim(b.rank() - (transb ? 2 : 1)));
        const auto element = [&](const Reference& x, const Dims& index, int64_t row,
                                 int64_t column) {
            Dims own;
            const int missing = index.rank() - x.rank();
            for (int i = 0; i < x.rank() - 2; ++i)
                own.push_back(x.dim(i) == 1 ? 0 : index[missing + i]);
            own.push_back(row);
            own.push_back(column);
            return x[own];
        };
        Reference y(shape);
        for_each_index(shape, [&](const Dims& i) {
            const int64_t row = i[i.rank() - 2], column = i.back();
            for (int64_t k = 0; k < inner; ++k)
                y[i] += (transa ? element(a, i, k, row) : element(a, i, row, k)) *
                        (transb ? element(b, i, column, k) : element(b, i, k, column));
        });
        return y;
    });
}

/// The same with vectors as rows and columns.
Truth with_vectors(Truth matrices, bool a_is_vector, bool b_is_vector) {
    return one([=](const References& in) {
        Reference a = in[0], b = in[1];
        if (a_is_vector) a.shape = {1, a.size()};
        if (b_is_vector) b.shape = {b.size(), 1};
        Reference y = matrices.of({a, b})[0];
        if (b_is_vector) y.shape.erase(y.rank() - 1);
        if (a_is_vector) y.shape.erase(y.rank() - (b_is_vector ? 1 : 2));
        return y;
    });
}

/// x W^T + b over rows of x with the features after `batch_axes` axes flattened.
Truth affine(int batch_axes = 1) {
    return one([=](const References& in) {
        const Reference &x = in[0], &W = in[1];
        Shape shape(std::span(x.shape.begin(), size_t(batch_axes)));
        shape.push_back(W.dim(0));
        Reference y(shape);
        const int64_t out = W.dim(0), features = W.dim(1);
        for (int64_t i = 0; i < y.size(); ++i) {
            y.values[i] = in.size() > 2 ? in[2].values[i % out] : 0;
            for (int64_t k = 0; k < features; ++k)
                y.values[i] += x.values[i / out * features + k] * W.values[i % out * features + k];
        }
        return y;
    });
}

/// Small enough that int8 products do not wrap.
Input small(const Shape& shape) { return {.shape = shape, .low = 0, .high = 3}; }

const int rows = add_rows({
    {.op = "matmul",
     .inputs = {small({3, 4}), small({4, 5})},
     .truth = product(),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2, 3}}, {.shape = {4, 5}}},
                  .message = "matmul: a has 3 columns, b has 4 rows (a [2,3], b [4,5])"},
                 {.inputs = {{.shape = {}}, {.shape = {4, 5}}},
                  .message = "matmul: takes arrays of rank 1 or more, a is [] and b is [4,5]"},
                 {.inputs = {{.shape = {2, 3, 4}}, {.shape = {3, 4, 5}}},
                  .message =
                      "matmul: the batches [2] and [3] do not broadcast (a [2,3,4], b [3,4,5])"}}},
    {.op = "matmul",
     .note = "transposed",
     .set = {{"transa", "True"}, {"transb", "True"}},
     .inputs = {{.shape = {4, 3}}, {.shape = {5, 4}}},
     .truth = product(true, true),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "batch_of_left",
     .set = {{"transb", "True"}},
     .inputs = {{.shape = {2, 3, 4}}, {.shape = {5, 4}}},
     .truth = product(false, true),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "batches_broadcast",
     .set = {{"transa", "True"}},
     .inputs = {{.shape = {2, 1, 4, 3}}, {.shape = {3, 4, 5}}},
     .truth = product(true, false),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "many_small",
     .inputs = {{.shape = {40, 2, 3}}, {.shape = {40, 3, 2}}},
     .truth = product(),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "vectors",
     .inputs = {{.shape = {4}}, {.shape = {4}}},
     .truth = with_vectors(product(), true, true),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "vector_left",
     .inputs = {{.shape = {4}}, {.shape = {2, 4, 3}}},
     .truth = with_vectors(product(), true, false),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "vector_right",
     .inputs = {{.shape = {2, 3, 4}}, {.shape = {4}}},
     .truth = with_vectors(product(), false, true),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "nothing_inside",
     .inputs = {{.shape = {3, 0}}, {.shape = {0, 5}}},
     .truth = product(),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "no_rows",
     .inputs = {{.shape = {0, 4}}, {.shape = {4, 5}}},
     .truth = product(),
     .dtypes = all_dtypes()},
    {.op = "matmul",
     .note = "large",
     .inputs = {{.shape = {20, 300}, .low = -0.9, .high = 0.9},
                {.shape = {300, 70}, .low = -0.9, .high = 0.9}},
     .truth = product(),
     .dtypes = all_dtypes(),
     .tolerance = 20},

    {.op = "linear",
     .inputs = {small({3, 4}), small({5, 4}), small({5})},
     .truth = affine(),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {3, 4}}, {.shape = {5, 6}}, {.shape = {5}}},
                  .message = "linear: W takes 6 features, x has 4 (x [3,4], W [5,6])"},
                 {.inputs = {{.shape = {3, 4}}, {.shape = {5, 4}}, {.shape = {4}}},
                  .message = "linear: W gives 5 features, b is [4] and should be [5]"},
                 {.set = {{"n_batch_axes", "2"}},
                  .message = "linear: n_batch_axes is 2 and should be from 1 to 1 for x [3,4]"}}},
    {.op = "linear",
     .note = "no_bias",
     .inputs = {{.shape = {3, 4}}, {.shape = {5, 4}}, {.absent = true}},
     .truth = affine(),
     .dtypes = all_dtypes()},
    {.op = "linear",
     .note = "flattens",
     .inputs = {{.shape = {3, 2, 2}}, {.shape = {5, 4}}, {.shape = {5}}},
     .truth = affine(),
     .dtypes = all_dtypes()},
    {.op = "linear",
     .note = "batch_axes",
     .set = {{"n_batch_axes", "2"}},
     .inputs = {{.shape = {3, 2, 4}}, {.shape = {5, 4}}, {.shape = {5}}},
     .truth = affine(2),
     .dtypes = all_dtypes()},
});

}  // namespace

}  // namespace catena::testing::contraction_rows
