#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::crf_rows {

namespace {

/// Every labelling of `length` positions with `labels` labels.
std::vector<std::vector<int64_t>> labellings(size_t length, int64_t labels) {
    std::vector<std::vector<int64_t>> all{{}};
    for (size_t i = 0; i < length; ++i) {
        std::vector<std::vector<int64_t>> longer;
        for (const std::vector<int64_t>& start : all)
            for (int64_t k = 0; k < labels; ++k) {
                longer.push_back(start);
                longer.back().push_back(k);
            }
        all = std::move(longer);
    }
    return all;
}

/// One sequence's scores: those of its labels and of the steps between them.
struct Sequence {
    const Reference& cost;
    std::vector<std::vector<double>> scores;

    double score(const std::vector<int64_t>& labels) const {
        double sum = 0;
        for (size_t i = 0; i < labels.size(); ++i) {
            sum += scores[i][size_t(labels[i])];
            if (i > 0) sum += cost(labels[i - 1], labels[i]);
        }
        return sum;
    }
};

constexpr size_t positions = 3;

/// Sequence b of rows whose arrays are cost, then the positions' scores.
Sequence sequence(const References& in, int64_t b) {
    Sequence s{in[0], {}};
    for (size_t i = 1; i <= positions && b < in[i].dim(0); ++i) {
        s.scores.emplace_back();
        for (int64_t k = 0; k < in[0].dim(0); ++k) s.scores.back().push_back(in[i](b, k));
    }
    return s;
}

Truth likelihood(bool mean) {
    return one([=](const References& in) {
        const int64_t batch = in[1].dim(0);
        Reference each(Shape{batch}), average(Shape{});
        for (int64_t b = 0; b < batch; ++b) {
            const Sequence s = sequence(in, b);
            std::vector<int64_t> labels;
            for (size_t i = 0; i < s.scores.size(); ++i)
                labels.push_back(int64_t(in[1 + positions + i].values[size_t(b)]));
            double sum = 0;
            for (const std::vector<int64_t>& any : labellings(labels.size(), in[0].dim(0)))
                sum += std::exp(s.score(any));
            each.values[size_t(b)] = std::log(sum) - s.score(labels);
            average.values[0] += each.values[size_t(b)] / double(batch);
        }
        return mean ? average : each;
    });
}

References best_paths(const References& in) {
    References y{Reference(Shape{in[1].dim(0)})};
    for (size_t i = 1; i <= positions; ++i) y.emplace_back(Shape{in[i].dim(0)});
    for (int64_t b = 0; b < in[1].dim(0); ++b) {
        const Sequence s = sequence(in, b);
        double best = -INFINITY;
        for (const std::vector<int64_t>& any : labellings(s.scores.size(), in[0].dim(0))) {
            if (s.score(any) <= best) continue;
            best = s.score(any);
            for (size_t i = 0; i < any.size(); ++i) y[1 + i].values[size_t(b)] = double(any[i]);
        }
        y[0].values[size_t(b)] = best;
    }
    return y;
}

Input labels(std::vector<double> values) {
    return {.shape = {int64_t(values.size())}, .dtype = Dtype::int32, .values = std::move(values)};
}

const Input cost = {.shape = {3, 3}};
const std::vector<Input> lengths = {cost, {.shape = {4, 3}}, {.shape = {4, 3}}, {.shape = {1, 3}}};
std::vector<Input> labelled(std::vector<Input> inputs) {
    for (Input y : {labels({0, 2, 1, 1}), labels({1, 0, 2, 1}), labels({2})}) inputs.push_back(y);
    return inputs;
}

const int rows = add_rows({
    {.function = "crf1d",
     .inputs = labelled(lengths),
     .truth = likelihood(true),
     .tolerance = 8,
     .rejects =
         {{.inputs = {cost, {.shape = {2, 3}}},
           .message = "crf1d: 2 arrays given; cost, xs and as many ys are needed"},
          {.inputs = {{.shape = {3, 2}}, {.shape = {2, 3}}, labels({0, 1})},
           .message = "crf1d: cost should be a square matrix, it is [3,2]"},
          {.inputs = {cost, {.shape = {2, 4}}, labels({0, 1})},
           .message = "crf1d: xs[0] should be [B,3], as cost is [3,3]; it is [2,4]"},
          {.inputs = {cost, {.shape = {1, 3}}, {.shape = {2, 3}}, labels({0}), labels({0, 1})},
           .message = "crf1d: xs[1] [2,3] has more sequences than xs[0] [1,3]; sort them by "
                      "decreasing length"},
          {.inputs = {cost, {.shape = {2, 3}}, labels({0})},
           .message = "crf1d: ys[0] should be [2], as xs[0] is [2,3]; it is [1]"},
          {.set = {{"reduce", "'sum'"}},
           .message = "crf1d: reduce is 'sum' and should be 'mean' or 'no'"}}},
    {.function = "crf1d",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = labelled(lengths),
     .truth = likelihood(false),
     .tolerance = 8},
    {.function = "argmax_crf1d",
     .inputs = lengths,
     .truth = best_paths,
     .tolerance = 4,
     .rejects = {{.inputs = {cost, {.shape = {2, 3}, .dtype = Dtype::float64}},
                  .message =
                      "argmax_crf1d: cost is float32, xs[0] is float64; dtypes must be equal"},
                 {.inputs = {cost},
                  .message = "argmax_crf1d: xs is empty, at least one position is needed"}}},
});

}  // namespace

}  // namespace catena::testing::crf_rows
