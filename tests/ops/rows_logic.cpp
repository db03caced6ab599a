#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::logic_rows {

namespace {

/// f(not-zero count, count) over axis 1 of a matrix, or over all.
Truth counted(bool along_rows, bool keepdims, std::function<double(double, double)> f) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        const int64_t rows = along_rows ? x.dim(0) : 1, width = rows ? x.size() / rows : 0;
        Reference y(along_rows ? (keepdims ? Shape{rows, 1} : Shape{rows}) : Shape{});
        for (int64_t r = 0; r < rows; ++r) {
            double hits = 0;
            for (int64_t i = 0; i < width; ++i) hits += x.values[size_t(r * width + i)] != 0;
            y.values[size_t(r)] = f(hits, double(width));
        }
        return y;
    });
}
double all_of(double hits, double count) { return hits == count; }
double any_of(double hits, double) { return hits > 0; }
double hits_of(double hits, double) { return hits; }

const std::vector<Input> sparse = {{.shape = {3, 2}, .values = {0, 1, 1, 1, 0, 0}}};
const std::vector<Input> two = {{.shape = {3, 4}, .low = -1, .high = 2},
                                {.shape = {3, 4}, .low = -1, .high = 2}};

double floor_rest(double a, double b) { return a - std::floor(a / b) * b; }
double near(double a, double b) {
    return (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= 1e-8 + 1e-5 * std::abs(b)) ||
           a == b;
}

const int logic = add_rows({
    {.op = "logical_xor",
     .inputs = two,
     .truth = each([](double a, double b) { return double((a != 0) != (b != 0)); }),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.op = "isnan",
     .inputs = {{.shape = {3, 4}}},
     .truth = each([](double x) { return double(std::isnan(x)); }),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.op = "isinf",
     .inputs = {{.shape = {3, 4}}},
     .truth = each([](double x) { return double(std::isinf(x)); }),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.op = "isfinite",
     .inputs = {{.shape = {3, 4}}},
     .truth = each([](double x) { return double(std::isfinite(x)); }),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "isclose",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = each(near),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "isclose",
     .note = "tolerances",
     .set = {{"atol", "0.5"}, {"rtol", "0"}},
     .inputs = {{.shape = {4}, .values = {1, 2, 3, 4}},
                {.shape = {4}, .values = {1.5, 2.625, 3, 3}}},
     .truth = one([](const References&) { return Reference({4}, {1, 0, 1, 0}); }),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "isclose",
     .note = "equal_nan",
     .set = {{"equal_nan", "True"}},
     .inputs = {{.shape = {3}, .values = {NAN, NAN, 1}}, {.shape = {3}, .values = {NAN, 1, NAN}}},
     .truth = one([](const References&) { return Reference({3}, {1, 0, 0}); }),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "all",
     .inputs = sparse,
     .truth = counted(false, false, all_of),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "all",
     .note = "rows",
     .set = {{"axis", "1"}, {"keepdims", "True"}},
     .inputs = sparse,
     .truth = counted(true, true, all_of),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "all",
     .note = "of_nothing",
     .inputs = {{.shape = {0, 2}}},
     .truth = counted(false, false, all_of),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "any",
     .set = {{"axis", "-1"}},
     .inputs = sparse,
     .truth = counted(true, false, any_of),
     .dtypes = all_dtypes(),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "any",
     .note = "of_nothing",
     .inputs = {{.shape = {0, 2}}},
     .truth = counted(false, false, any_of),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "any",
     .note = "nan",
     .inputs = {{.shape = {2}, .values = {0, NAN}}},
     .truth = counted(false, false, any_of),
     .result = always(Dtype::bool_),
     .gradient = false},
    {.function = "count_nonzero",
     .set = {{"axis", "1"}},
     .inputs = sparse,
     .truth = counted(true, false, hits_of),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int64),
     .gradient = false},
});

const int division = add_rows({
    {.op = "remainder",
     .inputs = {{.shape = {3, 4}, .low = -9, .high = 9}, {.shape = {3, 4}, .low = 1, .high = 4}},
     .truth = each(floor_rest),
     .dtypes = number_dtypes(),
     .specials = false},
    {.op = "remainder",
     .note = "by_negative",
     .inputs = {{.shape = {3, 4}, .low = -9, .high = 9}, {.shape = {3, 4}, .low = -4, .high = -1}},
     .truth = each(floor_rest),
     .dtypes = {Dtype::int8, Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64},
     .specials = false},
    {.op = "remainder",
     .note = "by_true",
     .inputs = {{.shape = {2}, .values = {0, 1}}, {.shape = {2}, .values = {1, 1}}},
     .truth = one([](const References&) { return Reference({2}); }),
     .dtypes = {Dtype::bool_}},
    {.op = "remainder",
     .note = "by_zero",
     .inputs = {{.shape = {3}, .values = {-3, 0, 5}}, {.shape = {3}, .values = {0, 0, 0}}},
     .truth = one([](const References&) { return Reference({3}); }),
     .dtypes = {Dtype::int8, Dtype::int64},
     .gradient = false},
    {.op = "integer_floor_divide",
     .function = "floor_divide",
     .inputs = {{.shape = {3, 4}, .low = -9, .high = 9}, {.shape = {3, 4}, .low = -4, .high = -1}},
     .truth = each([](double a, double b) { return std::floor(a / b); }),
     .dtypes = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64},
     .specials = false,
     .gradient = false},
    {.op = "integer_floor_divide",
     .function = "floor_divide",
     .note = "bytes",
     .inputs = {{.shape = {3, 4}, .low = 0, .high = 200}, {.shape = {3, 4}, .low = 1, .high = 9}},
     .truth = each([](double a, double b) { return std::floor(a / b); }),
     .dtypes = {Dtype::uint8},
     .specials = false,
     .gradient = false},
    {.op = "integer_floor_divide",
     .function = "floor_divide",
     .note = "by_true",
     .inputs = {{.shape = {2}, .values = {0, 1}}, {.shape = {2}, .values = {1, 1}}},
     .truth = one([](const References&) { return Reference({2}, {0, 1}); }),
     .dtypes = {Dtype::bool_},
     .gradient = false},
    {.op = "divide",
     .note = "integers",
     .inputs = {{.shape = {3, 4}, .low = 0, .high = 100}, {.shape = {3, 4}, .low = 1, .high = 2}},
     .truth = each([](double a, double b) { return a / b; }),
     .dtypes = {Dtype::bool_, Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint8},
     .result = always(Dtype::float32),
     .specials = false,
     .gradient = false},
    {.op = "divide_scalar",
     .note = "integers",
     .set = {{"value", "4"}},
     .inputs = {{.shape = {3, 4}, .low = 0, .high = 100}},
     .truth = each([](double a) { return a / 4; }),
     .dtypes = {Dtype::bool_, Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint8},
     .result = always(Dtype::float32),
     .gradient = false},
    {.op = "scalar_divide",
     .note = "integers",
     .set = {{"value", "3"}},
     .inputs = {{.shape = {3, 4}, .low = 1, .high = 9}},
     .truth = each([](double a) { return 3 / a; }),
     .dtypes = {Dtype::bool_, Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint8},
     .result = always(Dtype::float32),
     .specials = false,
     .gradient = false},
});

}  // namespace

}  // namespace catena::testing::logic_rows
