#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::descriptive_rows {

namespace {

using Values = std::vector<double>;

double mean_of(const Values& v) {
    double sum = 0;
    for (double x : v) sum += x;
    return sum / double(v.size());
}
double variance_of(const Values& v) {
    const double mean = mean_of(v);
    double sum = 0;
    for (double x : v) sum += (x - mean) * (x - mean);
    return sum / double(v.size());
}
double deviation_of(const Values& v) { return std::sqrt(variance_of(v)); }
double sum_of(const Values& v) {
    double sum = 0;
    for (double x : v) sum += x;
    return sum;
}
double most(const Values& v) { return v.empty() ? NAN : *std::max_element(v.begin(), v.end()); }
double least(const Values& v) { return v.empty() ? NAN : *std::min_element(v.begin(), v.end()); }

/// f of the numbers (what is not NaN) of each row, or of the whole array; f of nothing is NaN but
/// for sums.
Truth of_numbers(bool rows, bool keepdims, double (*f)(const Values&)) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        const int64_t count = rows ? x.dim(0) : 1, width = x.size() / count;
        Reference y(rows       ? (keepdims ? Shape{count, 1} : Shape{count})
                    : keepdims ? Shape{1, 1}
                               : Shape{});
        for (int64_t r = 0; r < count; ++r) {
            Values numbers;
            for (int64_t i = 0; i < width; ++i)
                if (const double value = x.values[size_t(r * width + i)]; !std::isnan(value))
                    numbers.push_back(value);
            y.values[size_t(r)] = f(numbers);
        }
        return y;
    });
}

/// The first place of the extremum among the numbers of each row; 0 if there is none.
Truth place_of(bool largest) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y(Shape{x.dim(0)});
        for (int64_t r = 0; r < x.dim(0); ++r) {
            int64_t best = -1;
            for (int64_t i = 0; i < x.dim(1); ++i) {
                const double value = x(r, i);
                if (std::isnan(value)) continue;
                if (best < 0 || (largest ? value > x(r, best) : value < x(r, best))) best = i;
            }
            y(r) = double(std::max<int64_t>(best, 0));
        }
        return y;
    });
}

const double inf = INFINITY;
const std::vector<Input> matrix = {{.shape = {3, 4}}};
const std::vector<Input> holes = {
    {.shape = {3, 3}, .differentiable = false, .values = {NAN, 2, 1, 0.5, NAN, NAN, 3, 4, 5}}};
const std::vector<Input> all_kinds = {
    {.shape = {4, 3},
     .differentiable = false,
     .values = {NAN, -inf, -inf, NAN, NAN, NAN, 2, NAN, 2, inf, NAN, inf}}};
const std::vector<Dtype> whole = {Dtype::bool_, Dtype::int8,  Dtype::int16,
                                  Dtype::int32, Dtype::int64, Dtype::uint8};
const Settings by_row = {{"axis", "1"}};
const Settings kept = {{"axis", "1"}, {"keepdims", "True"}};

Row plain(const char* function, double (*f)(const Values&)) {
    return {
        .function = function, .set = by_row, .inputs = matrix, .truth = of_numbers(true, false, f)};
}
Row of_integers(const char* function, double (*f)(const Values&),
                std::function<Dtype(Dtype)> result) {
    Row row = plain(function, f);
    row.note = "integers";
    row.inputs[0].low = -9;
    row.inputs[0].high = 9;
    row.dtypes = whole;
    row.result = result;
    row.gradient = false;
    return row;
}
Row with_holes(const char* function, double (*f)(const Values&), bool rows = true) {
    return {.function = function,
            .note = rows ? "holes" : "all",
            .set = rows ? kept : Settings{},
            .inputs = holes,
            .truth = of_numbers(rows, rows, f),
            .gradient = false};
}
Row extremes(const char* function, double (*f)(const Values&)) {
    Row row = with_holes(function, f);
    row.note = "infinities";
    row.inputs = all_kinds;
    return row;
}

const auto float32 = always(Dtype::float32);

const int rows = add_rows({
    of_integers("mean", mean_of, float32),
    of_integers("average", mean_of, float32),
    plain("var", variance_of),
    of_integers("var", variance_of, float32),
    plain("std", deviation_of),
    of_integers("std", deviation_of, float32),
    {.function = "std",
     .note = "all",
     .set = {{"keepdims", "True"}},
     .inputs = matrix,
     .truth = of_numbers(false, true, deviation_of)},
    plain("nansum", sum_of),
    with_holes("nansum", sum_of),
    with_holes("nansum", sum_of, false),
    of_integers("nansum", sum_of, always(Dtype::int64)),
    plain("nanmean", mean_of),
    with_holes("nanmean", mean_of),
    with_holes("nanmean", mean_of, false),
    of_integers("nanmean", mean_of, float32),
    plain("nanvar", variance_of),
    with_holes("nanvar", variance_of),
    with_holes("nanvar", variance_of, false),
    of_integers("nanvar", variance_of, float32),
    plain("nanstd", deviation_of),
    with_holes("nanstd", deviation_of),
    of_integers("nanstd", deviation_of, float32),
    plain("nanmax", most),
    with_holes("nanmax", most),
    extremes("nanmax", most),
    of_integers("nanmax", most, {}),
    plain("nanmin", least),
    with_holes("nanmin", least, false),
    extremes("nanmin", least),
    of_integers("nanmin", least, {}),
    {.function = "nanargmax",
     .set = by_row,
     .inputs = all_kinds,
     .truth = place_of(true),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "nanargmax",
     .note = "plain",
     .set = by_row,
     .inputs = matrix,
     .truth = place_of(true),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "nanargmin",
     .set = by_row,
     .inputs = all_kinds,
     .truth = place_of(false),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "nanargmin",
     .note = "plain",
     .set = by_row,
     .inputs = matrix,
     .truth = place_of(false),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int32),
     .gradient = false},
});

}  // namespace

}  // namespace catena::testing::descriptive_rows
