// Connectionist temporal classification, against the sum over all readings of the steps.
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::ctc_rows {

namespace {

constexpr int64_t blank = 1, symbols = 3;

/// What a reading says: equal neighbours once, without blanks.
std::vector<int64_t> said(const std::vector<int64_t>& reading) {
    std::vector<int64_t> labels;
    for (size_t i = 0; i < reading.size(); ++i)
        if (reading[i] != blank && (i == 0 || reading[i] != reading[i - 1]))
            labels.push_back(reading[i]);
    return labels;
}

/// -log of the probability that sequence b of the first `steps` inputs says `labels`.
double loss_of(const References& in, int64_t b, int64_t steps, const std::vector<int64_t>& labels) {
    double sum = 0;
    int64_t readings = 1;
    for (int64_t i = 0; i < steps; ++i) readings *= symbols;
    for (int64_t number = 0; number < readings; ++number) {
        std::vector<int64_t> reading;
        double score = 0;
        for (int64_t i = 0, rest = number; i < steps; ++i, rest /= symbols) {
            reading.push_back(rest % symbols);
            double all = 0;
            for (int64_t k = 0; k < symbols; ++k) all += std::exp(in[size_t(i)](b, k));
            score += in[size_t(i)](b, reading.back()) - std::log(all);
        }
        if (said(reading) == labels) sum += std::exp(score);
    }
    return -std::log(sum);
}

/// Inputs: the steps, t, and perhaps the lengths.
Truth truth(size_t steps, bool mean) {
    return one([=](const References& in) {
        const Reference& t = in[steps];
        Reference each(Shape{t.dim(0)}), average(Shape{});
        for (int64_t b = 0; b < t.dim(0); ++b) {
            const int64_t length =
                in.size() > steps + 1 ? int64_t(in[steps + 1].values[size_t(b)]) : int64_t(steps);
            const int64_t count =
                in.size() > steps + 2 ? int64_t(in[steps + 2].values[size_t(b)]) : t.dim(1);
            std::vector<int64_t> labels;
            for (int64_t i = 0; i < count; ++i) labels.push_back(int64_t(t(b, i)));
            each.values[size_t(b)] = loss_of(in, b, length, labels);
            average.values[0] += each.values[size_t(b)] / double(t.dim(0));
        }
        return mean ? average : each;
    });
}

Input integers(const Shape& shape, std::vector<double> values) {
    return {.shape = shape, .dtype = Dtype::int32, .values = std::move(values)};
}
std::vector<Input> inputs(int64_t steps, int64_t batch, const std::vector<Input>& rest) {
    std::vector<Input> all(size_t(steps), Input{.shape = {batch, symbols}});
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
}

const Input labels = integers({3, 2}, {0, 2, 2, 2, 2, 0});
const Input padded = integers({3, 2}, {0, 2, 2, -1, -1, 7});

const int rows = add_rows({
    {.function = "connectionist_temporal_classification",
     .set = {{"blank_symbol", "1"}},
     .inputs = inputs(4, 3, {labels}),
     .truth = truth(4, true),
     .tolerance = 4,
     .rejects =
         {{.inputs = {labels},
           .message =
               "connectionist_temporal_classification: x is empty, at least one step is needed"},
          {.inputs = inputs(2, 3, {}),
           .message =
               "connectionist_temporal_classification: t should be integers, it is float32[3,3]"},
          {.inputs = {integers({2}, {1, 2})},
           .message =
               "1 arrays given; the matrices of x, then t and at most two lengths are needed"},
          {.set = {{"blank_symbol", "3"}},
           .message = "blank_symbol is 3 and should be one of the 3 symbols"},
          {.set = {{"reduce", "'sum'"}}, .message = "reduce is 'sum' and should be 'mean' or 'no'"},
          {.inputs = inputs(2, 2, {labels}),
           .message = "t should be [2,labels], as x[0] is [2,3]; it is [3,2]"},
          {.inputs = inputs(2, 3, {labels, integers({2}, {1, 2})}),
           .message = "input_length should be [3], it is [2]"}}},
    {.function = "connectionist_temporal_classification",
     .note = "lengths",
     .set = {{"blank_symbol", "1"}, {"reduce", "'no'"}},
     .inputs = inputs(4, 3, {padded, integers({3}, {4, 2, 3}), integers({3}, {2, 1, 0})}),
     .truth = truth(4, false),
     .tolerance = 4},
    {.function = "connectionist_temporal_classification",
     .note = "one_label",
     .set = {{"blank_symbol", "1"}, {"reduce", "'no'"}},
     .inputs = inputs(3, 2, {integers({2, 1}, {0, 2}), integers({2}, {3, 1})}),
     .truth = truth(3, false),
     .tolerance = 4},
});

}  // namespace

}  // namespace catena::testing::ctc_rows
