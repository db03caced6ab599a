// A recurrent layer whose gates stand in another order, on a device: values and gradients against
// the host.
#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/rnn/recurrent_layer.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {
namespace {

constexpr int64_t batch = 2, steps = 3, units = 3;

Array numbers(const Shape& shape, int64_t seed) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float((int64_t(i) * 37 + seed * 11) % 23) / 16 - 0.7f;
    return Array::from(values, shape);
}

/// y, h, and the gradients of the sum of y * y towards all inputs but the lengths, on the host.
Arrays computed(RecurrentCell cell, const GatePlaces& places, Device& device) {
    const int64_t gates = widths_of(cell).gates * units, memory = widths_of(cell).has_memory;
    std::vector<Variable> in;
    const auto add = [&](const Shape& shape) {
        in.emplace_back(numbers(shape, int64_t(in.size())).to(device), true);
    };
    add({batch * steps, gates});
    for (int64_t i = 0; i <= memory; ++i) add({batch, units});
    add({gates, units});
    add({gates});
    const Variable lengths(Array::from(std::vector<int32_t>{steps, steps}, {batch}).to(device),
                           false);
    const RecurrentStates states = recurrent_layer(cell, {.x = in[0],
                                                          .h = in[1],
                                                          .c = memory ? in[2] : Variable(),
                                                          .R = in[size_t(2 + memory)],
                                                          .b = in[size_t(3 + memory)],
                                                          .lengths = lengths,
                                                          .gates = places});
    Arrays all{states.y.array(), states.h.array()};
    const Variable ys[] = {states.y}, gys[] = {Variable(states.y.array(), false)};
    for (const Variable& gx : grad(std::span<const Variable>(ys), std::span<const Variable>(in),
                                   std::span<const Variable>(gys)))
        all.push_back(gx.array());
    for (Array& array : all) array = array.to(cpu_device());
    return all;
}

TEST(CudaRecurrentGates, in_another_order_give_what_the_host_gives) {
    for (const auto& [cell, places] : {std::pair(RecurrentCell::lstm, GatePlaces{{0, 2, 3, 1}}),
                                       std::pair(RecurrentCell::lstm, GatePlaces()),
                                       std::pair(RecurrentCell::gru, GatePlaces{{1, 0, 2, 3}})}) {
        const Arrays expected = computed(cell, places, cpu_device()),
                     got = computed(cell, places, EmulatedDevice::instance());
        ASSERT_EQ(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
            const std::vector<double> a = got[i].to_vector<double>(),
                                      e = expected[i].to_vector<double>();
            for (size_t j = 0; j < e.size(); ++j)
                ASSERT_NEAR(a[j], e[j], 2e-5 * (1 + std::abs(e[j])))
                    << "cell " << int(cell) << ", array " << i << "[" << j << "]";
        }
    }
}

}  // namespace
}  // namespace catena::testing
