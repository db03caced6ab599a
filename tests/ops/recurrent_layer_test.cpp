// A recurrent layer's kernel at sizes where it works in blocks: more sequences than are computed
// together, units that fill a panel in part. Against the same layer in terms of single operations,
// in float64.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/rnn/recurrent_layer.h"
#include "tests/support/threads.h"

namespace catena::testing {
namespace {

constexpr int64_t batch = 45, units = 136;
constexpr const char* names[] = {"tanh", "relu", "gru", "lstm"};

struct Case {
    RecurrentCell cell;
    RowOrder order;
    bool reverse;
};

std::vector<int32_t> lengths_of(RowOrder order) {
    std::vector<int32_t> lengths;
    for (int64_t b = 0; b < batch; ++b) lengths.push_back(int32_t(b * 7 % 10));  // Some are 0.
    if (order == RowOrder::by_step) std::sort(lengths.rbegin(), lengths.rend());
    return lengths;
}

/// x, h, (c,) R, b, lengths and what gradients y, h (and c) get, in float64.
struct Values {
    Arrays inputs, upper;
    explicit Values(const Case& k) {
        std::mt19937 random(3);
        const auto draw = [&](const Shape& shape, double most = 1) {
            std::vector<double> values(size_t(element_count(shape)));
            for (double& value : values) value = most * (double(random() % 2001) / 1000 - 1);
            return Array::from(values, shape);
        };
        const std::vector<int32_t> lengths = lengths_of(k.order);
        int64_t total = 0;
        for (int32_t length : lengths) total += length;
        const int64_t gates = widths_of(k.cell).gates * units;
        const size_t states = 1 + size_t(widths_of(k.cell).has_memory);
        inputs.push_back(draw({total, gates}));
        for (size_t i = 0; i < states; ++i) inputs.push_back(draw({batch, units}));
        inputs.push_back(
            draw({gates, units}, 0.1));  // Larger ones make rounding errors grow from step to step.
        inputs.push_back(draw({gates}));
        inputs.push_back(Array::from(lengths, {batch}));
        upper.push_back(draw({total, units}));
        for (size_t i = 0; i < states; ++i) upper.push_back(draw({batch, units}));
    }
};

/// Results, then gradients towards all inputs but the lengths.
Arrays computed(const Case& k, const Values& values, Dtype dtype, bool by_steps) {
    Variables inputs, outputs, upper;
    for (const Array& x : values.inputs)
        inputs.emplace_back(is_float(x.dtype()) ? x.astype(dtype) : x, is_float(x.dtype()));
    for (const Array& x : values.upper) upper.emplace_back(x.astype(dtype), false);
    if (by_steps) {
        outputs =
            recurrent_steps(k.cell, std::span<const Variable>(inputs),
                            Attributes({{"order", int64_t(k.order)}, {"reverse", k.reverse}}));
    } else {
        const size_t memory = widths_of(k.cell).has_memory;
        const RecurrentStates y = recurrent_layer(k.cell, {.x = inputs[0],
                                                           .h = inputs[1],
                                                           .c = memory ? inputs[2] : Variable(),
                                                           .R = inputs[2 + memory],
                                                           .b = inputs[3 + memory],
                                                           .lengths = inputs[4 + memory],
                                                           .order = k.order,
                                                           .reverse = k.reverse});
        outputs = {y.y, y.h};
        if (memory) outputs.push_back(y.c);
    }
    Arrays all;
    for (const Variable& y : outputs) all.push_back(y.array());
    const std::span<const Variable> ys = outputs, xs = inputs, gys = upper;
    for (const Variable& gx : grad(ys, xs.first(inputs.size() - 1), gys)) all.push_back(gx.array());
    return all;
}

void expect_near(const Arrays& actual, const Arrays& expected, double tolerance) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
        ASSERT_EQ(to_string(actual[i].shape()), to_string(expected[i].shape()));
        const std::vector<double> a = actual[i].to_vector<double>(),
                                  e = expected[i].to_vector<double>();
        for (size_t j = 0; j < a.size(); ++j)
            ASSERT_NEAR(a[j], e[j], tolerance * (1 + std::abs(e[j])))
                << "array " << i << ", element " << j;
    }
}

class RecurrentLayer : public ::testing::TestWithParam<int> {
protected:
    Case of_this() const {
        return {RecurrentCell(GetParam() % 4), RowOrder(GetParam() / 4 % 2), GetParam() >= 8};
    }
};

TEST_P(RecurrentLayer, equals_its_steps_in_values_and_gradients) {
    const Case k = of_this();
    const Values values(k);
    const Arrays expected = computed(k, values, Dtype::float64, true);
    expect_near(computed(k, values, Dtype::float64, false), expected, 1e-11);
    expect_near(computed(k, values, Dtype::float32, false), expected, 2e-4);
}

TEST_P(RecurrentLayer, has_the_same_bits_on_any_number_of_threads) {
    const Case k = of_this();
    const Values values(k);
    Arrays expected;
    for (int count : {1, 2, 3}) {
        Threads threads(count);
        const Arrays got = computed(k, values, Dtype::float32, false);
        if (count == 1) expected = got;
        for (size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(std::memcmp(got[i].raw_data(), expected[i].raw_data(),
                                  size_t(got[i].size()) * sizeof(float)),
                      0)
                << "array " << i << ", " << count << " threads";
    }
}

INSTANTIATE_TEST_SUITE_P(cells, RecurrentLayer, ::testing::Range(0, 16), [](const auto& info) {
    return std::string(names[info.param % 4]) + (info.param / 4 % 2 ? "_by_step" : "_by_sequence") +
           (info.param >= 8 ? "_reverse" : "");
});

}  // namespace
}  // namespace catena::testing
