// The share of the machine's limit in profiles: what the bytes and products of a launch need at
// least, beside what they took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/cpu/speed/machine_speed.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

TEST(machine_speed, is_measured_once) {
    EXPECT_GT(profile::bandwidth(3e6), 1e8);
    EXPECT_EQ(profile::bandwidth(3e6), profile::bandwidth(3.1e6));
    EXPECT_GT(profile::product_speed(), 1e8);
    EXPECT_EQ(profile::product_speed(), profile::product_speed());
}

TEST(machine_speed, the_slower_of_memory_and_products_counts) {
    const double memory = 1e6 / profile::bandwidth(3e6), products = 1e9 / profile::product_speed();
    EXPECT_EQ(profile::least_seconds(1e6, 0, 3e6), memory);
    EXPECT_EQ(profile::least_seconds(0, 1e9, 3e6), products);
    EXPECT_EQ(profile::least_seconds(1e6, 1e9, 3e6), std::max(memory, products));
    EXPECT_EQ(profile::least_seconds(0, 0, 0), 0);
}

class ProfileLimit : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
        layer_ = static_graph(
            [](const Variable& x, const Variable& W) { return tanh(matmul(x, W) * 2.0); }, "layer");
        const Variable x(Array::zeros({Dtype::float32, {48, 64}})),
            W(Array::zeros({Dtype::float32, {64, 80}}));
        layer_(x, W);
        const ProfileScope profiling;
        for (int i = 0; i < 3; ++i) layer_(x, W);
        profile_ = layer_.profile();
        profile_.save(path("trace.json"));
        profile_.save(path("rows.csv"));
    }
    static std::string path(const std::string& name) {
        return ::testing::TempDir() + "catena_profile_limit_" + name;
    }

    StaticFunction<Variable(const Variable&, const Variable&)> layer_;
    RegionProfile profile_;
};

TEST_F(ProfileLimit, of_each_slice_is_the_least_time_in_percent) {
    double all = 0;
    for (const RegionProfile::Row& row : profile_.rows)
        all += row.launch.bytes_read + row.launch.bytes_written;
    std::ifstream file(path("trace.json"));
    const Json trace = Json::parse(file);
    int found = 0;
    for (const Json& event : trace.at("traceEvents")) {
        const std::string category = event.value("cat", "");
        const Json& arguments = event.value("args", Json::object());
        if (category != "kernels" && category != "library call") {
            if (category != "kernel") {
                EXPECT_FALSE(arguments.contains("% of limit")) << event;
            }
            continue;
        }
        const double bytes =
            arguments.at("bytes read").get<double>() + arguments.at("bytes written").get<double>();
        const double operations = category == "library call" ? 2.0 * 48 * 64 * 80 : 0;
        const double percent =
            profile::least_seconds(bytes, operations, all) * 1e8 / event.at("dur").get<double>();
        EXPECT_NEAR(arguments.at("% of limit").get<double>(), percent, 0.051 + 1e-3 * percent)
            << event;
        ++found;
    }
    EXPECT_EQ(found, 6);
}

TEST_F(ProfileLimit, of_each_row_is_in_both_tables) {
    EXPECT_THAT(profile_.to_string(), ::testing::HasSubstr("% of limit"));
    std::ifstream file(path("rows.csv"));
    std::string head, line;
    std::getline(file, head);
    EXPECT_TRUE(head.ends_with(",% of limit")) << head;
    double all = 0;
    for (const RegionProfile::Row& row : profile_.rows)
        all += row.launch.bytes_read + row.launch.bytes_written;
    for (const RegionProfile::Row& row : profile_.rows) {
        ASSERT_TRUE(std::getline(file, line));
        const double bytes = row.launch.bytes_read + row.launch.bytes_written;
        const double percent = profile::least_seconds(bytes, row.launch.product_operations, all) *
                               1e5 / row.milliseconds();
        EXPECT_NEAR(std::stod(line.substr(line.rfind(',') + 1)), percent, 0.051) << line;
    }
}

}  // namespace
}  // namespace catena::testing
