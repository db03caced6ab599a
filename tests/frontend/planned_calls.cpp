#include "tests/frontend/planned_calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>

#include <gtest/gtest.h>

namespace catena::testing {

void expect_same_bits(const std::vector<Array>& a, const std::vector<Array>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].defined(), b[i].defined()) << i;
        if (!a[i].defined()) continue;
        const Array x = a[i].as_contiguous(), y = b[i].as_contiguous();
        ASSERT_EQ(x.type(), y.type()) << i;
        EXPECT_EQ(std::memcmp(x.elements(), y.elements(), size_t(x.size()) * sizeof(float)), 0)
            << "other bits in array " << i;
    }
}

void expect_near(const std::vector<Array>& a, const std::vector<Array>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].defined(), b[i].defined()) << i;
        if (!a[i].defined()) continue;
        const std::vector<float> x = a[i].to_vector<float>(), y = b[i].to_vector<float>();
        ASSERT_EQ(x.size(), y.size()) << i;
        float largest = 1;
        for (const float number : y) largest = std::max(largest, std::abs(number));
        for (size_t j = 0; j < x.size(); ++j)
            ASSERT_NEAR(x[j], y[j], 2e-3f * largest) << "array " << i << " element " << j;
    }
}

Counts& Counts::operator+=(const StaticGraphStatistics& statistics) {
    planned += statistics.resized;
    compiled += statistics.programs - statistics.resized;
    return *this;
}

void Counts::print(const std::string& what) const {
    std::cout << "[          ] " << what << ": " << planned << " programs planned, " << compiled
              << " compiled\n";
}

}  // namespace catena::testing
