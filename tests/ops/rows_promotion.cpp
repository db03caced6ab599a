// The dtype of results, for every pair of dtypes and for numbers beside every dtype: eager,
// compiled, and exported.
#include <algorithm>
#include <string>

#include "tests/ops/op_table.h"

namespace catena::testing::promotion_rows {

namespace {

constexpr Dtype order[] = {Dtype::bool_,   Dtype::int8,   Dtype::int16,   Dtype::int32,
                           Dtype::int64,   Dtype::uint8,  Dtype::float16, Dtype::bfloat16,
                           Dtype::float32, Dtype::float64};
constexpr Dtype b1 = Dtype::bool_, i1 = Dtype::int8, i2 = Dtype::int16, i4 = Dtype::int32,
                i8 = Dtype::int64, u1 = Dtype::uint8, f2 = Dtype::float16, bf = Dtype::bfloat16,
                f4 = Dtype::float32, f8 = Dtype::float64;
/// As docs/arrays.md has it.
constexpr Dtype promoted[10][10] = {
    {b1, i1, i2, i4, i8, u1, f2, bf, f4, f8}, {i1, i1, i2, i4, i8, i2, f2, bf, f4, f8},
    {i2, i2, i2, i4, i8, i2, f2, bf, f4, f8}, {i4, i4, i4, i4, i8, i4, f2, bf, f4, f8},
    {i8, i8, i8, i8, i8, i8, f2, bf, f4, f8}, {u1, i2, i2, i4, i8, u1, f2, bf, f4, f8},
    {f2, f2, f2, f2, f2, f2, f2, f4, f4, f8}, {bf, bf, bf, bf, bf, bf, f4, bf, f4, f8},
    {f4, f4, f4, f4, f4, f4, f4, f4, f4, f8}, {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8},
};

/// The larger of elements of two dtypes, in either order.
std::vector<Row> pairs() {
    std::vector<Row> rows;
    for (int a = 0; a < 10; ++a)
        for (int b = 0; b < 10; ++b) {
            if (a == b) continue;
            // The gradient check draws gy in the dtype of the run.
            const bool differentiable = is_float(order[a]) && !(order[a] == f4 && order[b] == f8);
            rows.push_back(
                {.op = "maximum",
                 .note = std::string(name_of(order[a])) + " and " + std::string(name_of(order[b])),
                 .inputs =
                     {{.shape = {2, 3}, .low = 0, .high = 9, .differentiable = differentiable},
                      {.shape = {2, 3},
                       .low = 0,
                       .high = 9,
                       .dtype = order[b],
                       .differentiable = false}},
                 .truth = one([](const References& in) {
                     Reference y = in[0];
                     for (size_t i = 0; i < y.values.size(); ++i)
                         y.values[i] = std::max(y.values[i], in[1].values[i]);
                     return y;
                 }),
                 .dtypes = {order[a]},
                 .result = always(promoted[a][b]),
                 .gradient = differentiable,
                 .double_gradient = false});
        }
    return rows;
}

Row beside(const char* op, const char* name, const char* number, Dtype dtype, Dtype result,
           double (*f)(double)) {
    return {.op = op,
            .note = std::string(name_of(dtype)) + " and " + number,
            .set = {{name, number}},
            .inputs = {{.shape = {2, 3}, .low = 1, .high = 9}},
            .truth = one([f](const References& in) {
                Reference y = in[0];
                for (double& value : y.values) value = f(value);
                return y;
            }),
            .dtypes = {dtype},
            .result = always(result),
            .gradient = is_float(dtype),
            .double_gradient = false};
}

/// A float beside integers gives the default float dtype, beside floats theirs; an integer keeps
/// all but bool.
std::vector<Row> numbers() {
    std::vector<Row> rows;
    for (Dtype dtype : order) {
        const Dtype by_float = is_float(dtype) ? dtype : Dtype::float32;
        const Dtype by_integer = dtype == Dtype::bool_ ? Dtype::int32 : dtype;
        rows.push_back(beside("multiply_scalar", "value", "0.25", dtype, by_float,
                              [](double x) { return x * 0.25; }));
        rows.push_back(beside("scalar_subtract", "value", "0.5", dtype, by_float,
                              [](double x) { return 0.5 - x; }));
        rows.push_back(beside("maximum_scalar", "value", "4.5", dtype, by_float,
                              [](double x) { return x > 4.5 ? x : 4.5; }));
        rows.push_back(beside("multiply_scalar", "value", "3", dtype, by_integer,
                              [](double x) { return x * 3; }));
        rows.push_back(
            beside("divide_scalar", "value", "4", dtype, by_float, [](double x) { return x / 4; }));
        Row compared = beside("less_scalar", "value", "4.5", dtype, Dtype::bool_,
                              [](double x) { return double(x < 4.5); });
        compared.gradient = false;
        rows.push_back(compared);
    }
    return rows;
}

const int rows = add_rows(pairs()) + add_rows(numbers());

}  // namespace

}  // namespace catena::testing::promotion_rows
