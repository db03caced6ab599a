#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::clustering_rows {

namespace {

/// Covariances of the columns of y and z.
Reference covariances(const Reference& y, const Reference& z, bool diagonal) {
    const int64_t rows = y.dim(0);
    const auto mean = [&](const Reference& x, int64_t column) {
        double sum = 0;
        for (int64_t i = 0; i < rows; ++i) sum += x(i, column);
        return sum / double(rows);
    };
    Reference c(Shape{y.dim(1), z.dim(1)});
    for_each_index(c.shape, [&](const Dims& at) {
        if (!diagonal && at[0] == at[1]) return;
        for (int64_t i = 0; i < rows; ++i)
            c[at] += (y(i, at[0]) - mean(y, at[0])) * (z(i, at[1]) - mean(z, at[1])) / double(rows);
    });
    return c;
}
Truth covariance(bool of_one, bool penalty) {
    return one([=](const References& in) {
        const Reference c = covariances(in[0], of_one ? in[0] : in[1], !of_one);
        if (!penalty) return c;
        Reference y(Shape{});
        for (double value : c.values) y.values[0] += 0.5 * value * value;
        return y;
    });
}

const std::vector<Input> columns = {{.shape = {5, 3}}, {.shape = {5, 2}}};

struct Margins {
    double variance, distance;
    int64_t instances;
    int norm;
};

double length(const std::vector<double>& x, int norm) {
    double sum = 0;
    for (double value : x) sum += norm == 1 ? std::abs(value) : value * value;
    return norm == 1 ? sum : std::sqrt(sum);
}
double squared_excess(double x) { return std::pow(std::max(x, 0.0), 2); }

/// The mean embedding of an instance in an image; zeros where it has no pixel.
std::vector<double> mean_of(const References& in, int64_t image, int64_t instance) {
    const Reference &x = in[0], &t = in[1];
    std::vector<double> sum(size_t(x.dim(1)), 0);
    double count = 0;
    for (int64_t h = 0; h < x.dim(2); ++h)
        for (int64_t w = 0; w < x.dim(3); ++w) {
            if (int64_t(t(image, h, w)) != instance) continue;
            ++count;
            for (int64_t d = 0; d < x.dim(1); ++d) sum[size_t(d)] += x(image, d, h, w);
        }
    for (double& value : sum) value /= std::max(count, 1.0);
    return sum;
}

std::vector<double> apart(std::vector<double> a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

/// Mean squared excess of the pixels' distances from their mean.
double variance_loss(const References& in, const Margins& m) {
    const Reference &x = in[0], &t = in[1];
    double loss = 0;
    for (int64_t k = 1; k <= m.instances; ++k) {
        double sum = 0, count = 0;
        for_each_index(t.shape, [&](const Dims& at) {
            if (int64_t(t[at]) != k) return;
            ++count;
            std::vector<double> pixel;
            for (int64_t d = 0; d < x.dim(1); ++d) pixel.push_back(x(at[0], d, at[1], at[2]));
            sum += squared_excess(length(apart(mean_of(in, at[0], k), pixel), m.norm) - m.variance);
        });
        loss += sum / std::max(count, 1.0) / double(m.instances);
    }
    return loss;
}

Truth clustering(const Margins& m) {
    return [=](const References& in) -> References {
        const int64_t images = in[0].dim(0);
        double distance = 0, size = 0, pairs = 0;
        for (int64_t a = 1; a <= m.instances; ++a) {
            std::vector<double> all;
            for (int64_t n = 0; n < images; ++n) {
                const std::vector<double> mean = mean_of(in, n, a);
                all.insert(all.end(), mean.begin(), mean.end());
                for (int64_t b = a + 1; b <= m.instances; ++b, ++pairs)
                    distance += squared_excess(2 * m.distance -
                                               length(apart(mean, mean_of(in, n, b)), m.norm));
            }
            size += length(all, m.norm);
        }
        return {Reference(Shape{}, 2 * variance_loss(in, m)),
                Reference(Shape{}, 0.5 * distance / std::max(pairs, 1.0)),
                Reference(Shape{}, 0.1 * size / double(m.instances * images))};
    };
}

const std::vector<Input> image = {
    {.shape = {2, 3, 2, 3}},
    {.shape = {2, 2, 3}, .dtype = Dtype::int32, .values = {1, 1, 2, 0, 2, 2, 3, 1, 3, 3, 0, 5}}};
Settings margins(const char* norm) {
    return {{"delta_v", "0.4"}, {"delta_d", "1.2"}, {"max_embedding_dim", "3"},
            {"norm", norm},     {"alpha", "2.0"},   {"beta", "0.5"},
            {"gamma", "0.1"}};
}

const int rows = add_rows({
    {.function = "cross_covariance",
     .inputs = columns,
     .truth = covariance(false, true),
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {5, 3}}, {.shape = {4, 2}}},
           .message = "cross_covariance: y [5,3] and z [4,2] should have one number of rows"},
          {.inputs = {{.shape = {5, 3}}, {.shape = {5}}},
           .message = "cross_covariance: z should be a matrix, it is [5]"},
          {.set = {{"reduce", "'mean'"}},
           .message =
               "cross_covariance: reduce is 'mean' and should be 'half_squared_sum' or 'no'"}}},
    {.function = "cross_covariance",
     .note = "matrix",
     .set = {{"reduce", "'no'"}},
     .inputs = columns,
     .truth = covariance(false, false),
     .tolerance = 2},
    {.function = "decov",
     .inputs = {columns[0]},
     .truth = covariance(true, true),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {5}}}, .message = "decov: h should be a matrix, it is [5]"},
                 {.set = {{"reduce", "'mean'"}},
                  .message = "decov: reduce is 'mean' and should be 'half_squared_sum' or 'no'"}}},
    {.function = "decov",
     .note = "matrix",
     .set = {{"reduce", "'no'"}},
     .inputs = {columns[0]},
     .truth = covariance(true, false),
     .tolerance = 2},
    {.function = "discriminative_margin_based_clustering_loss",
     .set = margins("1"),
     .inputs = image,
     .truth = clustering({0.4, 1.2, 3, 1}),
     .tolerance = 8,
     .rejects = {{.set = {{"max_embedding_dim", "0"}},
                  .message = "max_embedding_dim is 0 and should be positive"},
                 {.set = {{"norm", "3"}}, .message = "norm is 3 and should be 1 or 2"},
                 {.inputs = {{.shape = {2, 3, 2, 3}}, {.shape = {2, 3, 2}, .dtype = Dtype::int32}},
                  .message = "embeddings should be [N,D,H,W] and labels [N,H,W], they are "
                             "[2,3,2,3] and [2,3,2]"}}},
    {.function = "discriminative_margin_based_clustering_loss",
     .note = "euclidean",
     .set = margins("2"),
     .inputs = image,
     .truth = clustering({0.4, 1.2, 3, 2}),
     .tolerance = 8},
});

}  // namespace

}  // namespace catena::testing::clustering_rows
