// Normalizations other than of batches and layers.
#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::lengths_rows {

namespace {

/// x / (length of its line along axes 1 and, if `plane`, 2, plus eps).
Truth unit(double eps, bool plane) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y = x;
        for_each_index(x.shape, [&](const Dims& i) {
            double squares = 0;
            Dims at = i;
            for (at[1] = 0; at[1] < x.dim(1); ++at[1])
                for (at[2] = plane ? 0 : i[2]; at[2] < (plane ? x.dim(2) : i[2] + 1); ++at[2])
                    squares += x[at] * x[at];
            y[i] = x[i] / (std::sqrt(squares) + eps);
        });
        return y;
    });
}

Truth groups(int64_t count, double eps) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        const int64_t size = x.size() / (x.dim(0) * count), channel = size * count / x.dim(1);
        Reference y = x;
        for (int64_t g = 0; g < x.dim(0) * count; ++g) {
            double mean = 0, variance = 0;
            for (int64_t i = 0; i < size; ++i)
                mean += x.values[size_t(g * size + i)] / double(size);
            for (int64_t i = 0; i < size; ++i)
                variance += std::pow(x.values[size_t(g * size + i)] - mean, 2) / double(size);
            for (int64_t i = 0; i < size; ++i) {
                const size_t at = size_t(g * size + i), c = at / size_t(channel) % size_t(x.dim(1));
                y.values[at] = (x.values[at] - mean) / std::sqrt(variance + eps) * in[1].values[c] +
                               in[2].values[c];
            }
        }
        return y;
    });
}

Truth response(int64_t half, double k, double alpha, double beta) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y = x;
        for_each_index(x.shape, [&](const Dims& i) {
            double squares = 0;
            Dims at = i;
            for (at[1] = std::max<int64_t>(i[1] - half, 0);
                 at[1] <= std::min(i[1] + half, x.dim(1) - 1); ++at[1])
                squares += x[at] * x[at];
            y[i] = x[i] / std::pow(k + alpha * squares, beta);
        });
        return y;
    });
}

Truth renormalized(double rmax, double dmax, double eps) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y = x;
        const int64_t inner = x.size() / (x.dim(0) * x.dim(1));
        const double count = double(x.dim(0) * inner);
        for (int64_t c = 0; c < x.dim(1); ++c) {
            const auto each = [&](const std::function<void(size_t)>& f) {
                for (int64_t n = 0; n < x.dim(0); ++n)
                    for (int64_t i = 0; i < inner; ++i) f(size_t((n * x.dim(1) + c) * inner + i));
            };
            double mean = 0, variance = 0;
            each([&](size_t i) { mean += x.values[i] / count; });
            each([&](size_t i) { variance += std::pow(x.values[i] - mean, 2) / count; });
            const size_t k = size_t(c);
            const double std = std::sqrt(variance + eps),
                         running = std::sqrt(in[4].values[k] + eps);
            const double r = std::clamp(std / running, 1 / rmax, rmax),
                         d = std::clamp((mean - in[3].values[k]) / running, -dmax, dmax);
            each([&](size_t i) {
                y.values[i] =
                    ((x.values[i] - mean) / std * r + d) * in[1].values[k] + in[2].values[k];
            });
        }
        return y;
    });
}

const Input images = {.shape = {2, 6, 3}};
std::vector<Input> with_channels(Input x, int64_t channels) {
    return {x, {.shape = {channels}, .low = 0.5, .high = 2}, {.shape = {channels}}};
}
/// r and d are constants to the gradient, not to numeric differences: with these they are at their
/// limits and constant.
const std::vector<Input> far_from_running = {
    {.shape = {4, 2, 3}},
    {.shape = {2}, .low = 0.5, .high = 2},
    {.shape = {2}},
    {.shape = {2}, .differentiable = false, .values = {40, -40}},
    {.shape = {2}, .differentiable = false, .values = {100, 0.01}}};

const int rows = add_rows({
    {.function = "normalize",
     .inputs = {images},
     .truth = unit(1e-5, false),
     .tolerance = 4,
     .rejects = {{.set = {{"axis", "3"}}, .message = "normalize: "}}},
    {.function = "normalize",
     .note = "plane",
     .set = {{"eps", "0.5"}, {"axis", "(2, 1)"}},
     .inputs = {images},
     .truth = unit(0.5, true),
     .tolerance = 4},
    {.function = "normalize",
     .note = "large",
     .inputs = {{.shape = {2, 6, 3}, .low = 300, .high = 600}},
     .truth = unit(1e-5, false),
     .tolerance = 4},
    {.function = "group_normalization",
     .set = {{"groups", "3"}},
     .inputs = with_channels({.shape = {2, 6, 2, 2}}, 6),
     .truth = groups(3, 1e-5),
     .tolerance = 16,
     .rejects = {{.set = {{"groups", "4"}},
                  .message =
                      "group_normalization: 4 groups do not divide the 6 channels of x [2,6,2,2]"},
                 {.inputs = {{.shape = {2, 6}}, {.shape = {6}}, {.shape = {3}}},
                  .message = "group_normalization: gamma and beta should be [6], they are [6] and "
                             "[3] (x [2,6])"}}},
    {.function = "group_normalization",
     .note = "one_group",
     .set = {{"groups", "1"}, {"eps", "0.1"}},
     .inputs = with_channels(images, 6),
     .truth = groups(1, 0.1),
     .tolerance = 16},
    {.op = "local_response_normalization",
     .inputs = {images},
     .truth = response(2, 2, 1e-4, 0.75),
     .tolerance = 4,
     .rejects = {{.set = {{"n", "0"}},
                  .message = "local_response_normalization: n is 0 and should be positive"},
                 {.inputs = {{.shape = {6}}},
                  .message = "local_response_normalization: x should be [N,C,...], it is [6]"}}},
    {.function = "local_response_normalization",
     .note = "options",
     .set = {{"n", "3"}, {"k", "1.5"}, {"alpha", "0.3"}, {"beta", "0.5"}},
     .inputs = {images},
     .truth = response(1, 1.5, 0.3, 0.5),
     .tolerance = 4},
    {.function = "local_response_normalization",
     .note = "wider_than_all_channels",
     .set = {{"n", "99"}, {"alpha", "0.3"}},
     .inputs = {images},
     .truth = response(49, 2, 0.3, 0.75),
     .tolerance = 4},
    {.function = "batch_renormalization",
     .set = {{"rmax", "2.0"}, {"dmax", "3.0"}},
     .inputs = far_from_running,
     .truth = renormalized(2, 3, 2e-5),
     .tolerance = 16,
     .rejects =
         {{.set = {{"rmax", "0.5"}},
           .message =
               "batch_renormalization: rmax is 0.5 and dmax 3; they should be at least 1 and 0"},
          {.inputs = with_channels({.shape = {4, 2, 3}}, 2),
           .message = "batch_renormalization: running_mean is missing"},
          {.inputs =
               {{.shape = {4, 2}}, {.shape = {2}}, {.shape = {2}}, {.shape = {3}}, {.shape = {2}}},
           .message = "batch_renormalization: running_mean should be [2], it is [3] (x [4,2])"}}},
    {.function = "batch_renormalization",
     .note = "within_limits",
     .set = {{"rmax", "8.0"}, {"dmax", "9.0"}, {"eps", "0.1"}},
     .inputs = {{.shape = {4, 2, 3}, .differentiable = false},
                {.shape = {2}, .low = 0.5, .high = 2},
                {.shape = {2}},
                {.shape = {2}, .differentiable = false},
                {.shape = {2}, .low = 0.5, .high = 2, .differentiable = false}},
     .truth = renormalized(8, 9, 0.1),
     .tolerance = 16},
});

}  // namespace

}  // namespace catena::testing::lengths_rows
