#include "tests/fuzz_files/odd_numbers.h"

#include <cmath>
#include <iterator>
#include <limits>

namespace catena::fuzz {

int64_t odd_integer(int64_t near, testing::Random& random) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max(),
                      least = std::numeric_limits<int64_t>::min(), one = 1;
    constexpr int64_t odd[] = {0,
                               1,
                               -1,
                               2,
                               3,
                               7,
                               8,
                               9,
                               -2,
                               -9,
                               100,
                               65536,
                               one << 31,
                               (one << 31) - 1,
                               -(one << 31),
                               one << 32,
                               one << 33,
                               one << 46,
                               one << 61,
                               one << 62,
                               most,
                               most - 1,
                               least,
                               least + 1};
    // Around `near`, which may be any number of a file: without overflow.
    if (random() % 3 == 0) return int64_t(uint64_t(near) + random() % 5 - 2);
    return odd[random() % std::size(odd)];
}

double odd_float(testing::Random& random) {
    constexpr double odd[] = {0,    1,     -1,  0.5,  2,        -0.0,      1e-30,
                              1e30, -1e30, 3e9, 1e19, INFINITY, -INFINITY, NAN};
    return odd[random() % std::size(odd)];
}

}  // namespace catena::fuzz
