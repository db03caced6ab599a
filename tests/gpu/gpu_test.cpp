// On a machine with a CUDA device: the op table and the workloads on it against the host. Skipped
// elsewhere.
#include <chrono>
#include <map>

#include <gtest/gtest.h>

#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/workload_results.h"
#include "tests/support/environment.h"

namespace catena::testing {
namespace {

class Gpu : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            device = dynamic_cast<CodeDevice*>(&get_device("cuda:0"));
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
        ASSERT_TRUE(device);
    }
    CodeDevice* device = nullptr;
};

/// Their kernels are compiled on the host, one after another: parts run beside each other.
constexpr size_t parts = 16;
class GpuRows : public Gpu, public ::testing::WithParamInterface<size_t> {};

TEST_P(GpuRows, compute_what_they_say) {
    DeviceCalls calls(*device);
    check_rows(calls, GetParam(), parts);
    calls.begin_second_round();
    check_rows(calls, GetParam(), parts);
    EXPECT_LE(calls.float32_differences(), 4) << "only pow, and zeta by it, are not the host's";
}

INSTANTIATE_TEST_SUITE_P(Parts, GpuRows, ::testing::Range(size_t(0), parts));

TEST_F(Gpu, trains_the_workloads_like_the_host) {
    for (const tool::Workload& workload : tool::workloads())
        for (tool::Variant variant :
             {tool::Variant::eager, tool::Variant::compiled, tool::Variant::step}) {
            SCOPED_TRACE(workload.name + " " + name_of(variant));
            expect_workload_of_host(*device, workload, variant, 16);
        }
    EXPECT_EQ(kernel_provider().host_calls(), 0) << "a workload left the device";
}

TEST_F(Gpu, gives_one_result_for_one_seed) {
    for (const tool::Workload& workload : tool::workloads())
        EXPECT_EQ(workload_results(*device, workload, tool::Variant::step, 16),
                  workload_results(*device, workload, tool::Variant::step, 16))
            << workload.name;
}

TEST_F(Gpu, gives_the_same_results_from_recorded_work) {
    const int64_t before = device->replays();
    for (const tool::Workload& workload : tool::workloads()) {
        const Results recorded = workload_results(*device, workload, tool::Variant::step, 16, 12);
        const test::EnvironmentScope off("CATENA_CUDA_GRAPHS", "0");
        EXPECT_EQ(workload_results(*device, workload, tool::Variant::step, 16, 12), recorded)
            << workload.name;
    }
    EXPECT_GT(device->replays(), before) << "nothing was recorded";
}

TEST_F(Gpu, tells_of_an_index_out_of_range) {
    const Variable x(Array::from<float>({1, 2, 3}).to(*device), false);
    const Variable i(Array::from<int64_t>({1, 9}).to(*device), false);
    const Variable y = take(x, i, 0);
    EXPECT_THROW(y.array().to(cpu_device()), ValueError);
    EXPECT_NO_THROW(y.array().to(cpu_device()));
}

TEST_F(Gpu, rounds_factors_of_float32_only_where_tf32_is_allowed) {
    const Array a = random_normal({256, 256}).array(), b = random_normal({256, 256}).array();
    const Array x = random_normal({4, 64, 16, 16}).array(),
                W = random_normal({64, 64, 3, 3}).array();
    const auto computed = [&](Device& where, Dtype dtype, bool tf32) {
        const auto mode = using_config(&Config::tf32, tf32);
        const auto there = [&](const Array& array) {
            return Variable(array.astype(dtype).to(where), false);
        };
        std::vector<double> values;
        for (const Variable& y : {matmul(there(a), there(b)), convolution_2d(there(x), there(W))})
            for (double value : y.array().to(cpu_device()).to_vector<double>())
                values.push_back(value);
        return values;
    };
    const std::vector<double> truth = computed(cpu_device(), Dtype::float64, false);
    const auto largest_error = [&](const std::vector<double>& values) {
        double largest = 0;
        for (size_t i = 0; i < truth.size(); ++i)
            largest = std::max(largest, std::abs(values[i] - truth[i]));
        return largest;
    };
    const std::vector<double> exact = computed(*device, Dtype::float32, false);
    const double of_exact = largest_error(exact),
                 of_tf32 = largest_error(computed(*device, Dtype::float32, true));
    std::printf("largest errors: float32 %.2g, TF32 %.2g\n", of_exact, of_tf32);
    EXPECT_EQ(computed(*device, Dtype::float32, false), exact);
    EXPECT_LT(of_exact, 1e-3);
    EXPECT_LT(of_tf32, 0.3) << "sums of 256 and 576 products";
    EXPECT_GT(of_tf32, 3 * of_exact) << "TF32 was not used";
}

TEST_F(Gpu, convolves_by_measured_engines_as_by_the_first) {
    const auto computed = [&](bool autotune) {
        const auto mode = using_config(&Config::autotune, autotune);
        std::map<std::string, Results> all;
        for (const tool::Workload& workload : tool::workloads())
            if (workload.name == "vgg16_cifar" || workload.name == "resnet20" ||
                workload.name == "unet")
                all[workload.name] =
                    workload_results(*device, workload, tool::Variant::step, 16, 12);
        return all;
    };
    const auto measured = computed(true);
    EXPECT_EQ(measured.size(), 3u);
    EXPECT_EQ(computed(true), measured) << "engines are chosen once";
    const auto mode = using_config(&Config::autotune, true);
    for (const tool::Workload& workload : tool::workloads())
        if (measured.contains(workload.name))
            expect_workload_of_host(*device, workload, tool::Variant::step, 16);
}

TEST_F(Gpu, copies_at_the_speed_of_its_memory) {
    const Array x = Array::from(std::vector<float>(64 << 20, 1.0f), {64 << 20}).to(*device);
    auto copy = [&] { return Variable(x, false) + 0.0; };
    copy();
    device->synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) copy();
    device->synchronize();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%.0f GB/s read and written\n", 20 * 2.0 * double(x.size()) * 4 / seconds / 1e9);
    EXPECT_GT(20 * 2.0 * double(x.size()) * 4 / seconds, 1e11);
}

}  // namespace
}  // namespace catena::testing
