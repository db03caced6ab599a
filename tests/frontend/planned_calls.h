#pragma once

#include <cstdint>
#include <vector>

#include "frontend/catena.h"

// What tests of planned programs compare, and count.

namespace catena::testing {

/// Of a compiled call and a planned one. Undefined arrays are equal.
void expect_same_bits(const std::vector<Array>& a, const std::vector<Array>& b);
/// Of a compiled call and an eager one: within 2e-3 of the largest number of an array, or of 1.
void expect_near(const std::vector<Array>& a, const std::vector<Array>& b);

/// Programs of regions.
struct Counts {
    int64_t planned = 0, compiled = 0;
    Counts& operator+=(const StaticGraphStatistics& statistics);
    /// Prints them for `what`: "24 loops".
    void print(const std::string& what) const;
};

}  // namespace catena::testing
