#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::classification_rows {

namespace {

/// Precision, recall, F and support of each class.
References summary(const References& in, int64_t classes, double beta, int64_t ignored) {
    const Reference &y = in[0], &t = in[1];
    Reference predicted(Shape{classes}), right = predicted, both = predicted;
    for_each_index(t.shape, [&](const Dims& position) {
        const int64_t label = int64_t(t[position]);
        if (label == ignored) return;
        const auto score = [&](int64_t c) {
            Dims at = position;
            at.insert(1, c);
            while (at.rank() < y.rank()) at.push_back(0);
            return y[at];
        };
        int64_t best = 0;
        for (int64_t c = 1; c < y.dim(1); ++c)
            if (score(c) > score(best)) best = c;
        if (best < classes) ++predicted.values[size_t(best)];
        ++right.values[size_t(label)];
        both.values[size_t(label)] += best == label;
    });
    Reference precision = both, recall = both, f = both;
    for (size_t i = 0; i < both.values.size(); ++i) {
        const double p = precision.values[i] /= predicted.values[i],
                     r = recall.values[i] /= right.values[i];
        f.values[i] = (1 + beta * beta) * p * r / (beta * beta * p + r);
    }
    return {precision, recall, f, right};
}

/// Some of the four.
Truth scores(std::vector<size_t> wanted, int64_t classes, double beta = 1, int64_t ignored = -1) {
    return [=](const References& in) -> References {
        const References all = summary(in, classes, beta, ignored);
        References some;
        for (size_t i : wanted) some.push_back(all[i]);
        return some;
    };
}

Input labels(const Shape& shape, std::vector<double> values) {
    return {.shape = shape, .dtype = Dtype::int32, .values = std::move(values)};
}
const std::vector<Input> predictions = {{.shape = {8, 3}}, labels({8}, {0, 1, 2, 0, 1, -1, 0, 2})};

Truth r2(bool average) {
    return one([=](const References& in) {
        const Reference &p = in[0], &t = in[1];
        const int64_t rows = t.dim(0), columns = t.size() / rows;
        Reference each(Shape{columns}), mean(Shape{});
        for (int64_t c = 0; c < columns; ++c) {
            double centre = 0, rest = 0, all = 0;
            for (int64_t i = 0; i < rows; ++i)
                centre += t.values[size_t(i * columns + c)] / double(rows);
            for (int64_t i = 0; i < rows; ++i) {
                const double truth = t.values[size_t(i * columns + c)];
                rest += std::pow(truth - p.values[size_t(i * columns + c)], 2);
                all += std::pow(truth - centre, 2);
            }
            each.values[size_t(c)] = all == 0 ? 0 : 1 - rest / all;
            mean.values[0] += each.values[size_t(c)] / double(columns);
        }
        return average ? mean : each;
    });
}
// The second column is constant.
const std::vector<Input> regression = {
    {.shape = {4, 2}}, {.shape = {4, 2}, .values = {1, 0.5, -1, 0.5, 0.25, 0.5, 2, 0.5}}};

const int rows = add_rows({
    {.function = "classification_summary",
     .set = {{"label_num", "3"}, {"beta", "2.0"}},
     .inputs = predictions,
     .truth = scores({0, 1, 2, 3}, 3, 2),
     .gradient = false,
     .tolerance = 2,
     .rejects = {{.inputs = {{.shape = {6, 3}}, labels({5}, {0, 1, 2, 0, 1})},
                  .message = "classification_summary: t should have y's shape without axis 1, y is "
                             "[6,3] and t is [5]"},
                 {.inputs = {{.shape = {2, 3}}, {.shape = {2}}},
                  .message =
                      "classification_summary: y should be floating point and t integer, they "
                      "are float32[2,3] and float32[2]"},
                 {.set = {{"label_num", "-2"}},
                  .message = "classification_summary: label_num is -2 and should not be negative"},
                 {.set = {{"label_num", "2"}}, .message = "index 2"}}},
    {.function = "precision",
     .set = {{"label_num", "3"}, {"ignore_label", "7"}},
     .inputs = {{.shape = {2, 4, 3, 1}}, labels({2, 3}, {0, 7, 2, 2, 1, 7})},
     .truth = scores({0, 3}, 3, 1, 7),
     .gradient = false,
     .tolerance = 2},
    {.function = "recall",
     .set = {{"label_num", "3"}},
     .inputs = predictions,
     .truth = scores({1, 3}, 3),
     .gradient = false,
     .tolerance = 2},
    {.function = "f1_score",
     .set = {{"label_num", "4"}},
     .inputs = predictions,
     .truth = scores({2, 3}, 4),
     .gradient = false,
     .tolerance = 2},
    {.function = "r2_score",
     .inputs = regression,
     .truth = r2(true),
     .gradient = false,
     .tolerance = 16,
     .rejects =
         {{.set = {{"multioutput", "'best'"}},
           .message =
               "r2_score: multioutput is 'best' and should be 'uniform_average' or 'raw_values'"},
          {.set = {{"sample_weight", "2"}}, .message = "r2_score: there are no weights of samples"},
          {.inputs = {{.shape = {4, 2}}, {.shape = {4}}},
           .message = "r2_score: pred and true should have one shape of at least one axis, they "
                      "have [4,2] and [4]"}}},
    {.function = "r2_score",
     .note = "columns",
     .set = {{"multioutput", "'raw_values'"}},
     .inputs = regression,
     .truth = r2(false),
     .gradient = false,
     .tolerance = 16},
});

}  // namespace

}  // namespace catena::testing::classification_rows
