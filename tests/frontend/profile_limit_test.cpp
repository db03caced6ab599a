// The share of the machine's limit in profiles: what the bytes and products of a launch need at
// least, beside what they took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/call/profile.h"
#include "runtime/profile/ceilings.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

/// In percent, of a launch that takes so many seconds.
double limit_of(double bytes, double operations, double program_bytes, double seconds) {
    return 100 * profile::shares_of({.device = "cpu",
                                     .bytes = bytes,
                                     .operations = operations,
                                     .product_type = "float32",
                                     .program_bytes = program_bytes},
                                    seconds)
                     .most();
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
            limit_of(bytes, operations, all, event.at("dur").get<double>() * 1e-6);
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
        const double percent =
            limit_of(bytes, row.launch.product_operations, all, row.milliseconds() * 1e-3);
        EXPECT_NEAR(std::stod(line.substr(line.rfind(',') + 1)), percent, 0.051) << line;
    }
}

TEST_F(ProfileLimit, of_the_host_is_memory_or_products_in_every_report) {
    const std::vector<MachineShares> shares = machine_shares(profile_);
    ASSERT_EQ(shares.size(), profile_.rows.size());
    int products = 0;
    for (size_t r = 0; r < shares.size(); ++r) {
        const bool is_product = profile_.rows[r].launch.product_operations > 0;
        EXPECT_GT(shares[r].memory, 0);
        EXPECT_EQ(shares[r].products > 0, is_product) << profile_.rows[r].launch.name;
        EXPECT_EQ(shares[r].launch, 0);
        products += is_product;
    }
    EXPECT_EQ(products, 1);
    EXPECT_THAT(layer_.explain(), ::testing::ContainsRegex("% of the limit of (memory|products)"));
    EXPECT_THAT(profile_.to_string(), ::testing::ContainsRegex("[0-9] (memory|products) "));
}

}  // namespace
}  // namespace catena::testing
