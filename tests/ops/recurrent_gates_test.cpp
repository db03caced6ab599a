// A recurrent layer whose gates stand in another order in x, R and b, as in ONNX, and R that is
// read again and again.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "runtime/cpu/onednn/packed.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/rnn/recurrent_layer.h"
#include "tests/support/threads.h"

namespace catena::testing {
namespace {

constexpr int64_t batch = 3, steps = 4, units = 40;

std::vector<double> drawn(int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> values(size_t(count), 0);
    for (double& value : values) value = double(random() % 2001) / 4000 - 0.25;
    return values;
}

/// Rows of `width` gates' blocks of `block` values: gate k goes to places[k].
std::vector<double> placed(const std::vector<double>& rows, int64_t gates, int64_t block,
                           const GatePlaces& places) {
    std::vector<double> to(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        const int64_t in_row = int64_t(i) % (gates * block), gate = in_row / block;
        to[i - size_t(in_row) + size_t(places[gate] * block + in_row % block)] = rows[i];
    }
    return to;
}

struct Layer {
    RecurrentCell cell;
    GatePlaces places;
    std::vector<Variable> inputs;  ///< x, h, (c,) R, b, lengths

    Layer(RecurrentCell cell, const GatePlaces& places, Dtype dtype) : cell(cell), places(places) {
        const int64_t gates = widths_of(cell).gates, total = batch * steps;
        const auto add = [&](const std::vector<double>& values, const Shape& shape) {
            inputs.emplace_back(Array::from(values, shape).astype(dtype), true);
        };
        add(placed(drawn(total * gates * units, 1), gates, units, places), {total, gates * units});
        add(drawn(batch * units, 2), {batch, units});
        if (widths_of(cell).has_memory) add(drawn(batch * units, 3), {batch, units});
        add(placed(drawn(gates * units * units, 4), gates, units * units, places),
            {gates * units, units});
        add(placed(drawn(gates * units, 5), gates, units, places), {gates * units});
        inputs.emplace_back(
            Array::from(std::vector<int32_t>(size_t(batch), int32_t(steps)), {batch}), false);
    }
    RecurrentStates results() const {
        const size_t memory = widths_of(cell).has_memory;
        return recurrent_layer(cell, {.x = inputs[0],
                                      .h = inputs[1],
                                      .c = memory ? inputs[2] : Variable(),
                                      .R = inputs[2 + memory],
                                      .b = inputs[3 + memory],
                                      .lengths = inputs[4 + memory],
                                      .gates = places});
    }
    /// y, h and the gradients of sum(y * y), with gates in the cell's order.
    std::vector<std::vector<double>> values(bool by_steps) const {
        const int64_t gates = widths_of(cell).gates;
        Variable y, h;
        if (by_steps) {
            const Variables all = recurrent_steps(
                cell, std::span<const Variable>(inputs),
                Attributes({{"order", int64_t(0)},
                            {"reverse", false},
                            {"gates", Dims(std::span<const int64_t>(places.place))}}));
            y = all[0], h = all[1];
        } else {
            const RecurrentStates all = results();
            y = all.y, h = all.h;
        }
        std::vector<std::vector<double>> list{y.array().to_vector<double>(),
                                              h.array().to_vector<double>()};
        const Variable ys[] = {y}, gys[] = {Variable(y.array(), false)};
        const Variables gx =
            grad(std::span<const Variable>(ys), std::span(inputs).first(inputs.size() - 1),
                 std::span<const Variable>(gys));
        GatePlaces back;
        for (int64_t gate = 0; gate < gates; ++gate) back.place[places[gate]] = gate;
        for (size_t i = 0; i < gx.size(); ++i) {
            const std::vector<double> g = gx[i].array().to_vector<double>();
            const bool is_R = i == gx.size() - 2, has_gates = i == 0 || i + 2 >= gx.size();
            list.push_back(has_gates ? placed(g, gates, is_R ? units * units : units, back) : g);
        }
        return list;
    }
};

constexpr GatePlaces other_lstm{{0, 2, 3, 1}}, other_gru{{1, 0, 2, 3}};

TEST(RecurrentGates, in_another_order_give_the_same_bits) {
    for (const auto& [cell, places] :
         {std::pair(RecurrentCell::lstm, other_lstm), std::pair(RecurrentCell::gru, other_gru)})
        for (bool by_steps : {false, true}) {
            const auto expected = Layer(cell, {}, Dtype::float64).values(false),
                       got = Layer(cell, places, Dtype::float64).values(by_steps);
            ASSERT_EQ(got.size(), expected.size());
            for (size_t i = 0; i < got.size(); ++i)
                for (size_t j = 0; j < got[i].size(); ++j)
                    ASSERT_NEAR(got[i][j], expected[i][j], by_steps ? 1e-12 : 1e-15)
                        << "cell " << int(cell) << ", array " << i << "[" << j << "]";
        }
}

TEST(RecurrentGates, are_packed_once_while_R_stays_and_again_when_it_changes) {
    Layer layer(RecurrentCell::lstm, {}, Dtype::float32);
    for (Variable& input : layer.inputs) input = Variable(input.array(), false);
    const std::vector<double> first = layer.results().y.array().to_vector<double>();
    for (int i = 0; i < 6; ++i) layer.results();
    const int64_t before = onednn::packed_uses();
    EXPECT_EQ(layer.results().y.array().to_vector<double>(), first);
    EXPECT_EQ(onednn::packed_uses(), before + 1);

    const Array R = layer.inputs[3].array();
    std::memset(R.to_fill<float>(), 0, size_t(R.size()) * sizeof(float));
    const std::vector<double> changed = layer.results().y.array().to_vector<double>();
    EXPECT_NE(changed, first);
    Layer fresh(RecurrentCell::lstm, {}, Dtype::float32);
    fresh.inputs[3] = Variable(Array::zeros(R.type()), false);
    EXPECT_EQ(changed, fresh.results().y.array().to_vector<double>());
}

}  // namespace
}  // namespace catena::testing
