// Arrays from elements that lie somewhere in memory, and how variables are printed.
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/from_host_data.h"
#include "runtime/graph/variable/print_variable.h"

namespace catena {
namespace {

using testing::ElementsAre;

const float numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(FromHostData, reads_rows_with_gaps_columns_and_backwards) {
    EXPECT_THAT(from_host_data(numbers, {Dtype::float32, {2, 3}}).to_vector<float>(),
                ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(from_host_data(numbers, {Dtype::float32, {2, 3}}, {4, 1}, 1).to_vector<float>(),
                ElementsAre(1, 2, 3, 5, 6, 7));
    EXPECT_THAT(from_host_data(numbers, {Dtype::float32, {3}}, {4}, 2).to_vector<float>(),
                ElementsAre(2, 6, 10));
    EXPECT_THAT(from_host_data(numbers, {Dtype::float32, {3}}, {-1}, 5).to_vector<float>(),
                ElementsAre(5, 4, 3));
    EXPECT_THAT(from_host_data(numbers, {Dtype::float32, {2, 2}}, {0, 1}, 8).to_vector<float>(),
                ElementsAre(8, 9, 8, 9));
    EXPECT_THAT(from_host_data(numbers, {Dtype::float32, {}}).to_vector<float>(), ElementsAre(0));
}

TEST(FromHostData, is_a_copy) {
    int32_t own[] = {1, 2};
    const Array x = from_host_data(own, {Dtype::int32, {2}});
    own[0] = 7;
    EXPECT_THAT(x.to_vector<int32_t>(), ElementsAre(1, 2));
    EXPECT_EQ(&x.device(), &cpu_device());
}

TEST(FromHostData, refuses_what_does_not_fit) {
    EXPECT_THROW(from_host_data(numbers, {Dtype::float32, {2, 3}}, {1}), ShapeError);
    EXPECT_THROW(from_host_data(nullptr, {Dtype::float32, {1}}), ValueError);
    EXPECT_THROW(from_host_data(numbers, {Dtype::float32, {int64_t(1) << 40, int64_t(1) << 40, 2}}),
                 ShapeError);
    EXPECT_THROW(from_host_data(numbers, {Dtype::float32, {2, -1}}), ShapeError);
    EXPECT_EQ(from_host_data(nullptr, {Dtype::float32, {0, 3}}).shape(), Shape({0, 3}));
}

TEST(PrintVariable, prints_the_elements_as_of_its_array) {
    const Variable x(Array::from<float>({1.5f, -2}));
    std::ostringstream out;
    out << x;
    EXPECT_EQ(out.str(), "[ 1.5 -2.0]");
    EXPECT_EQ(fmt::format("{}", x), out.str());
    EXPECT_EQ(to_text(x), to_text(x.array()));
    EXPECT_EQ(to_text(Variable()), to_text(Array()));
}

}  // namespace
}  // namespace catena
