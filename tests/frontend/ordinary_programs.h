#pragma once

// Programs as users write them around regions: whatever changes between calls, they give what they
// give without regions.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "frontend/catena.h"

namespace catena::ordinary {

inline const float NaN = std::numeric_limits<float>::quiet_NaN(),
                   Inf = std::numeric_limits<float>::infinity();

/// The same in every run, others for each `number`.
inline Variable numbers(const Shape& shape, int number, float scale = 1,
                        bool requires_grad = false) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = scale * float(std::sin(7.01 * double(i) + 13.0 * number));
    return Variable(Array::from(values, shape), requires_grad);
}

using Arrays = std::vector<Array>;

inline void expect_same(const Array& found, const Array& expected) {
    ASSERT_EQ(found.defined(), expected.defined());
    if (!found.defined()) return;
    ASSERT_EQ(found.type(), expected.type());
    const std::vector<float> x = found.to_vector<float>(), y = expected.to_vector<float>();
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
        ASSERT_NEAR(x[i], y[i], 2e-5f * (1 + std::abs(y[i]))) << "element " << i;
    }
}

/// Runs `program` with regions and without; it lists all that its user sees.
inline void expect_same_without_regions(const std::function<void(Arrays& seen)>& program) {
    Arrays found, expected;
    set_seed(1);
    program(found);
    const auto off = using_config(&Config::use_static_graph, false);
    set_seed(1);
    program(expected);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        SCOPED_TRACE("array " + std::to_string(i));
        expect_same(found[i], expected[i]);
    }
}

struct Net : Chain {
    Linear a{5, 7}, b{7, 4};
    Net() { add_children({{"a", a}, {"b", b}}); }
    Variable operator()(const Variable& x) { return b(tanh(a(x))); }
};

inline void fill(Link& link) {
    int k = 0;
    for (auto& [name, p] : link.namedparams()) p->set_array(numbers(p->shape(), ++k, 0.5f).array());
}

}  // namespace catena::ordinary
