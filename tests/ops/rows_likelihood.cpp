#include <cmath>
#include <numbers>

#include "tests/ops/op_table.h"

namespace catena::testing::likelihood_rows {

namespace {

double bernoulli(double x, double y) {
    return std::max(y, 0.0) + std::log1p(std::exp(-std::abs(y))) - x * y;
}
double gaussian(double x, double mean, double ln_var) {
    return 0.5 *
           (ln_var + std::log(2 * std::numbers::pi) + (x - mean) * (x - mean) / std::exp(ln_var));
}
double divergence(double mean, double ln_var) {
    return 0.5 * (mean * mean + std::expm1(ln_var) - ln_var);
}

/// The sum of a truth's elements, or their mean.
Truth total(Truth each, bool mean = false) {
    return one([=](const References& in) {
        const Reference losses = each.of(in)[0];
        Reference y(Shape{});
        for (double loss : losses.values) y.values[0] += loss;
        if (mean && losses.size()) y.values[0] /= double(losses.size());
        return y;
    });
}

const Input share = {.shape = {3, 4}, .low = 0, .high = 1};
const std::vector<Input> logits = {share, {.shape = {3, 4}, .low = -5, .high = 5}};
const std::vector<Input> pair = {{.shape = {3, 4}}, {.shape = {3, 4}}};
const std::vector<Input> three = {{.shape = {3, 4}}, {.shape = {3, 4}}, {.shape = {3, 4}}};

const int rows = add_rows({
    {.op = "bernoulli_nll",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = logits,
     .truth = each(bernoulli),
     // An infinite logit of 1 costs inf - inf.
     .specials = false,
     .tolerance = 2,
     .rejects = {{.set = {{"reduce", "'median'"}},
                  .message =
                      "bernoulli_nll: reduce is 'median' and should be 'sum', 'mean' or 'no'"}}},
    {.op = "bernoulli_nll", .inputs = logits, .truth = total(each(bernoulli)), .tolerance = 4},
    {.op = "bernoulli_nll",
     .note = "large",
     .set = {{"reduce", "'mean'"}},
     .inputs = {share, {.shape = {3, 4}, .low = 1e4, .high = 3e4}},
     .truth = total(each(bernoulli), true),
     .tolerance = 2},
    {.op = "gaussian_nll",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = three,
     .truth = each(gaussian),
     .specials = false,  // An infinite variance costs inf - inf.
     .tolerance = 8},
    {.op = "gaussian_nll", .inputs = three, .truth = total(each(gaussian)), .tolerance = 8},
    {.op = "gaussian_nll",
     .note = "one_variance",
     .set = {{"reduce", "'mean'"}},
     .inputs = {{.shape = {3, 4}}, {.shape = {4}}, {.shape = {}}},
     .truth = total(each(gaussian), true),
     .tolerance = 8},
    {.op = "gaussian_kl_divergence",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = pair,
     .truth = each(divergence),
     .specials = false,
     .tolerance = 2,
     .rejects =
         {{.set = {{"reduce", "'all'"}},
           .message =
               "gaussian_kl_divergence: reduce is 'all' and should be 'sum', 'mean' or 'no'"}}},
    {.op = "gaussian_kl_divergence",
     .note = "near_the_minimum",
     .set = {{"reduce", "'no'"}},
     .inputs = {{.shape = {64}, .low = -1e-4, .high = 1e-4},
                {.shape = {64}, .low = 5e-4, .high = 1e-3}},
     .truth = one([](const References& in) { return each(divergence).of(in)[0]; }),
     .dtypes = {Dtype::float32},
     .tolerance = 100,
     .every_digit = true},
    {.op = "gaussian_kl_divergence",
     .inputs = pair,
     .truth = total(each(divergence)),
     .tolerance = 4},
    {.op = "gaussian_kl_divergence",
     .note = "mean",
     .set = {{"reduce", "'mean'"}},
     .inputs = pair,
     .truth = total(each(divergence), true),
     .tolerance = 2},
});

}  // namespace

}  // namespace catena::testing::likelihood_rows
