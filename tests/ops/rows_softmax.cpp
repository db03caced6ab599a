#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::softmax_rows {

namespace {

/// x - log(sum(exp(x))) along the axis.
Reference log_softmax(const Reference& x, int axis) {
    Shape reduced = x.shape;
    reduced[axis] = 1;
    Reference sums(reduced), y = x;
    const auto key = [&](Dims i) {
        i[axis] = 0;
        return i;
    };
    for_each_index(x.shape, [&](const Dims& i) { sums[key(i)] += std::exp(x[i]); });
    for_each_index(x.shape, [&](const Dims& i) { y[i] = x[i] - std::log(sums[key(i)]); });
    return y;
}

Truth log_probabilities(int axis) {
    return one([=](const References& in) { return log_softmax(in[0], axis); });
}
Truth probabilities(int axis) {
    return one([=](const References& in) {
        Reference y = log_softmax(in[0], axis);
        for (double& value : y.values) value = std::exp(value);
        return y;
    });
}

struct Loss {
    bool normalize = true, mean = true;
    double ignored = -1;
};

Reference mean_of(const Reference& each, double divisor) {
    Reference y(Shape{});
    for (double value : each.values) y.values[0] += value / std::max(divisor, 1.0);
    return y;
}

/// Class labels in in[1], perhaps class weights in in[2].
Truth label_loss(Loss loss = {}) {
    return one([=](const References& in) {
        const Reference score = log_softmax(in[0], 1);
        Reference each(in[1].shape);
        double count = 0;
        for_each_index(each.shape, [&](const Dims& i) {
            const double label = in[1][i];
            if (label == loss.ignored) return;
            Dims at = i;
            at.insert(1, int64_t(label));
            each[i] = -score[at] * (in.size() > 2 ? in[2](int64_t(label)) : 1);
            ++count;
        });
        return loss.mean ? mean_of(each, loss.normalize ? count : double(in[0].dim(0))) : each;
    });
}

/// Probabilities in in[1].
Truth soft_loss(bool divergence, bool mean = true) {
    return one([=](const References& in) {
        const Reference score = log_softmax(in[0], 1);
        Shape shape = in[0].shape;
        shape.erase(1);
        Reference each(shape);
        for_each_index(in[0].shape, [&](const Dims& i) {
            Dims at = i;
            at.erase(1);
            const double t = in[1][i];
            each[at] += t * ((divergence ? std::log(t + 1e-7) : 0) - score[i]);
        });
        return mean ? mean_of(each, double(each.size())) : each;
    });
}

Input labels(const Shape& shape, std::vector<double> values) {
    return {.shape = shape, .dtype = Dtype::int32, .values = std::move(values)};
}
const Input none = {.absent = true};
const Input matrix = {.shape = {4, 5}};
const Input four = labels({4}, {0, 4, -1, 2});

const int rows = add_rows({
    {.op = "softmax",
     .inputs = {{.shape = {3, 4}}},
     .truth = probabilities(1),
     .rejects = {{.set = {{"axis", "2"}}, .message = "softmax"}}},
    {.op = "softmax",
     .note = "inner_axes",
     .inputs = {{.shape = {2, 3, 70}}},
     .truth = probabilities(1)},
    {.op = "softmax",
     .note = "last",
     .set = {{"axis", "-1"}},
     .inputs = {{.shape = {2, 3, 41}, .low = -30, .high = 30}},
     .truth = probabilities(2),
     .tolerance = 4},
    {.op = "softmax", .note = "no_rows", .inputs = {{.shape = {0, 4}}}, .truth = probabilities(1)},
    {.op = "log_softmax",
     .inputs = {{.shape = {3, 4}}},
     .truth = log_probabilities(1),
     .tolerance = 2},
    {.op = "log_softmax",
     .note = "first",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {3, 2, 2}, .low = -30, .high = 30}},
     .truth = log_probabilities(0),
     .tolerance = 4},

    {.op = "softmax_cross_entropy",
     .inputs = {matrix, four, none},
     .truth = label_loss(),
     .rejects =
         {{.inputs = {matrix, labels({4}, {0, 5, 1, 2}), none},
           .message = "softmax_cross_entropy: label 5 at index 1 is not a class (x has 5 classes"},
          {.inputs = {matrix, labels({3}, {0, 1, 2}), none},
           .message = "softmax_cross_entropy: t should be [4] for x [4,5], it is [3]"},
          {.inputs = {matrix, four, {.shape = {4}}},
           .message = "softmax_cross_entropy: class_weight should be [5], it is [4]"},
          {.inputs = {{.shape = {4}}, four, none},
           .message = "softmax_cross_entropy: x should have rank 2 or more, it is float32[4]"},
          {.set = {{"reduce", "'sum'"}},
           .message = "softmax_cross_entropy: reduce is 'sum' and should be 'mean' or 'no'"}}},
    {.op = "softmax_cross_entropy",
     .note = "by_batch",
     .set = {{"normalize", "False"}, {"ignore_label", "2"}},
     .inputs = {matrix, labels({4}, {0, 4, 2, 2}), none},
     .truth = label_loss({.normalize = false, .ignored = 2})},
    {.op = "softmax_cross_entropy",
     .note = "weighted_images",
     .inputs = {{.shape = {2, 3, 2, 2}},
                labels({2, 2, 2}, {0, 1, 2, -1, 2, 2, 1, 0}),
                {.shape = {3}, .low = 0.5, .high = 2, .differentiable = false}},
     .truth = label_loss(),
     .tolerance = 2},
    {.op = "softmax_cross_entropy",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = {{.shape = {2, 3, 2}}, labels({2, 2}, {0, 1, -1, 2}), none},
     .truth = label_loss({.mean = false})},
    {.op = "class_labels",
     .function = "softmax_cross_entropy",
     .note = "nothing_counts",
     .inputs = {matrix, labels({4}, {-1, -1, -1, -1}), none},
     .truth = label_loss()},
    {.op = "class_numbers",
     .function = "softmax_cross_entropy",
     .note = "wide",
     .inputs = {{.shape = {3, 1000}, .low = -9, .high = 9}, labels({3}, {0, 999, 500}), none},
     .truth = label_loss(),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {3, 0}}, labels({3}, {0, 0, 0}), none},
                  .message = "softmax_cross_entropy: x float32[3,0] has no classes (axis 1), at "
                             "least one is needed"}}},
    {.function = "softmax_cross_entropy",
     .note = "soft",
     .inputs = {matrix, {.shape = {4, 5}, .low = 0.1, .high = 1}, none},
     .truth = soft_loss(false),
     .tolerance = 4,
     .rejects = {{.inputs = {matrix, {.shape = {4, 4}}, none},
                  .message =
                      "softmax_cross_entropy: float t should have x's shape [4,5], it has [4,4]"},
                 {.set = {{"soft_target_loss", "'hinge'"}},
                  .message = "softmax_cross_entropy: soft_target_loss is 'hinge' and should be"}}},
    {.function = "softmax_cross_entropy",
     .note = "soft_large",
     .inputs = {{.shape = {4, 5}, .low = -2e4, .high = 2e4},
                {.shape = {4, 5}, .low = 0.1, .high = 0.3},
                none},
     .truth = soft_loss(false),
     .tolerance = 4},
    {.function = "softmax_cross_entropy",
     .note = "divergence",
     .set = {{"soft_target_loss", "'kl-divergence'"}, {"reduce", "'no'"}},
     .inputs = {matrix, {.shape = {4, 5}, .low = 0.1, .high = 1}, none},
     .truth = soft_loss(true, false),
     .tolerance = 4},
});

}  // namespace

}  // namespace catena::testing::softmax_rows
