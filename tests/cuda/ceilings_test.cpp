// What a card can do at most, and how much of it a launch used, by the clock of the double of the
// driver: from one mark to the next it shows 1 ms.
#include "runtime/profile/ceilings.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "codegen/cuda/nvrtc.h"
#include "frontend/catena.h"
#include "frontend/static_graph/call/profile.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/profile/measure_device.h"
#include "tests/cuda/library_check.h"
#include "tests/cuda/recording_cublas_lt.h"
#include "tests/cuda/recording_driver.h"

#ifdef CATENA_HAS_CUBLAS_LT

namespace catena::testing {
namespace {

using profile::Ceilings;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class CardCeilings : public ::testing::Test {
protected:
    void SetUp() override {
        if (codegen::cuda::nvrtc_version().empty()) GTEST_SKIP() << "NVRTC cannot be loaded";
    }

    RecordingDriver driver;
    RecordingCublasLt cublas_lt;
    cuda::CudaDevice device{0};
};

TEST_F(CardCeilings, of_memory_are_twice_the_bytes_of_a_copy_by_its_time) {
    EXPECT_NEAR(profile::device_bandwidth(device, 1 << 20), 2 * 1048576 / 1e-3, 1);
    EXPECT_NEAR(profile::device_bandwidth(device, 8 << 20), 2 * 8388608 / 1e-3, 1)
        << "the largest copy counts";
    EXPECT_EQ(driver.count("cuLaunchKernel"), 3 * 6) << "sizes, and a run that warms up";
}

TEST_F(CardCeilings, of_memory_are_those_of_the_largest_copy_that_fits) {
    driver.memory_left = 40 << 20;
    EXPECT_NEAR(profile::device_bandwidth(device, 64 << 20), 2 * 8388608 / 1e-3, 1);
}

TEST_F(CardCeilings, of_products_are_two_operations_an_element_by_their_time) {
    for (const char* type : {"float32", "bfloat16", "float16"})
        EXPECT_NEAR(profile::product_speed(device, type, 32), 2.0 * 32 * 32 * 32 / 1e-3, 1) << type;
    EXPECT_EQ(cublas_lt.count("cublasLtMatmul "), 3 * 7) << "asked, warmed up, and five runs";
}

TEST_F(CardCeilings, of_tf32_are_products_that_may_round) {
    EXPECT_GT(profile::product_speed(device, "float32", 32), 0);
    EXPECT_THAT(cublas_lt.last("cublasLtMatmulDescCreate"),
                HasSubstr(fmt::format("compute {} ", int(CUBLAS_COMPUTE_32F))));
    EXPECT_GT(profile::product_speed(device, "tf32", 32), 0);
    EXPECT_THAT(cublas_lt.last("cublasLtMatmulDescCreate"),
                HasSubstr(fmt::format("compute {} ", int(CUBLAS_COMPUTE_32F_FAST_TF32))));
    EXPECT_FALSE(config().tf32);
}

TEST_F(CardCeilings, of_products_without_the_library_are_not_known) {
    cublas_lt.knows_a_way = false;
    EXPECT_EQ(profile::product_speed(device, "float32", 32), 0);
}

TEST_F(CardCeilings, of_launches_are_the_time_of_one_among_two_hundred) {
    EXPECT_NEAR(profile::launch_seconds(device), 1e-3 / 200, 1e-12);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 1 + 6 * 200);
    EXPECT_EQ(driver.count("cuGraphLaunch"), 0);
    driver.calls.clear();
    EXPECT_NEAR(profile::node_seconds(device), 1e-3 / 200, 1e-12);
    EXPECT_EQ(driver.count("cuGraphLaunch"), 6);
    EXPECT_EQ(driver.count("cuLaunchKernel"), 1) << "all others are nodes of the graph";
}

TEST_F(CardCeilings, of_a_full_card_are_not_known) {
    driver.memory_left = 0;
    EXPECT_EQ(profile::device_bandwidth(device, 1 << 20), 0);
    EXPECT_EQ(profile::launch_seconds(device), 0);
}

/// One product of [3, 5] and [5, 4] a call: 140 bytes are read and 48 written, 120 operations done,
/// in 1 ms of the double's clock.
class CardShares : public CardCeilings {
protected:
    void SetUp() override {
        CardCeilings::SetUp();
        if (IsSkipped()) return;
        Ceilings& card = Ceilings::of("cuda:0");
        card.set("memory", 1e6);
        card.set("products float32", 2e5);
        card.set("products tf32", 8e5);
        card.set("launch", 1e-5);
    }
    void TearDown() override {
        for (const char* name : {"memory", "products float32", "products tf32", "launch"})
            Ceilings::of("cuda:0").set(name, 0);
    }
    void run_profiled() {
        const DeviceScope scope(device);
        const Variable a(waves({3, 5}).to(device), false), b(waves({5, 4}).to(device), false);
        step(a, b);
        const ProfileScope profiling;
        for (int i = 0; i < 3; ++i) step(a, b);
        profile_of_step = step.profile();
        profile_of_step.save(file("rows.csv"));
        profile_of_step.save(file("trace.json"));
    }
    static std::string file(const char* name) {
        return ::testing::TempDir() + "catena_card_shares_" + name;
    }
    static std::string text_of(const char* name) {
        std::ifstream stream(file(name));
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    StaticFunction<Variable(const Variable&, const Variable&)> step = static_graph(
        [](const Variable& a, const Variable& b) { return matmul(a, b); }, {.name = "step"});
    RegionProfile profile_of_step;
};

TEST_F(CardShares, are_counts_by_times_and_ceilings_in_every_report) {
    run_profiled();
    const std::vector<MachineShares> shares = machine_shares(profile_of_step);
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_NEAR(profile_of_step.rows[0].milliseconds(), 1, 1e-6);
    EXPECT_NEAR(shares[0].memory, 0.188, 1e-6);  // 188 B in 1 ms, of 1 MB/s
    EXPECT_NEAR(shares[0].products, 0.6, 1e-6);  // 120 operations in 1 ms, of 200,000 a second
    EXPECT_NEAR(shares[0].launch, 0.01, 1e-6);   // 10 us of 1 ms
    EXPECT_STREQ(shares[0].bound(), "products");
    EXPECT_THAT(profile_of_step.to_string(), ContainsRegex(" 60 products +step: matmul"));
    EXPECT_THAT(text_of("rows.csv"), HasSubstr(",float32,18.8,60.0,1.0,products,60.0\n"));
    EXPECT_THAT(step.explain(), HasSubstr(", 60 % of the limit of products"));
}

TEST_F(CardShares, are_in_traces) {
    run_profiled();
    int found = 0;
    const nlohmann::json trace = nlohmann::json::parse(text_of("trace.json"));
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        if (event.value("cat", "") != "library call") continue;
        const nlohmann::json& arguments = event.at("args");
        EXPECT_NEAR(arguments.at("% of memory").get<double>(), 18.8, 0.051);
        EXPECT_NEAR(arguments.at("% of products").get<double>(), 60, 0.051);
        EXPECT_NEAR(arguments.at("% of launch").get<double>(), 1, 0.051);
        EXPECT_NEAR(arguments.at("% of limit").get<double>(), 60, 0.051);
        EXPECT_EQ(arguments.at("bound by"), "products");
        ++found;
    }
    EXPECT_EQ(found, 3);
}

TEST_F(CardShares, of_products_that_may_round_are_of_the_peak_of_tf32) {
    const auto rounding = using_config(&Config::tf32, true);
    run_profiled();
    const std::vector<MachineShares> shares = machine_shares(profile_of_step);
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_THAT(profile_of_step.rows[0].launch.method, HasSubstr(", factors rounded to TF32"));
    EXPECT_NEAR(shares[0].products, 0.15, 1e-6);  // of 800,000 a second
    EXPECT_STREQ(shares[0].bound(), "memory");
    EXPECT_THAT(text_of("rows.csv"), HasSubstr(",tf32,18.8,15.0,1.0,memory,18.8\n"));
    EXPECT_THAT(text_of("trace.json"), HasSubstr("\"% of products\":15.0"));
}

}  // namespace
}  // namespace catena::testing

#endif
