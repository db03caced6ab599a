// On a machine with a CUDA device: the op table and the workloads on it against the host. Skipped elsewhere.
#include <chrono>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/workload_results.h"

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

TEST_F(Gpu, computes_what_every_row_says) {
    DeviceCalls calls(*device);
    check_rows(calls);
    calls.begin_second_round();
    check_rows(calls);
}

TEST_F(Gpu, trains_the_workloads_like_the_host) {
    for (const tool::Workload& workload : tool::workloads())
        for (tool::Variant variant : {tool::Variant::eager, tool::Variant::compiled, tool::Variant::step}) {
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

TEST_F(Gpu, tells_of_an_index_out_of_range) {
    const Variable x(Array::from<float>({1, 2, 3}).to(*device), false);
    const Variable i(Array::from<int64_t>({1, 9}).to(*device), false);
    const Variable y = take(x, i, 0);
    EXPECT_THROW(y.array().to(cpu_device()), ValueError);
    EXPECT_NO_THROW(y.array().to(cpu_device()));
}

TEST_F(Gpu, copies_at_the_speed_of_its_memory) {
    const Array x = Array::from(std::vector<float>(64 << 20, 1.0f), {64 << 20}).to(*device);
    auto copy = [&] { return Variable(x, false) + 0.0; };
    copy();
    device->synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) copy();
    device->synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%.0f GB/s read and written\n", 20 * 2.0 * double(x.size()) * 4 / seconds / 1e9);
    EXPECT_GT(20 * 2.0 * double(x.size()) * 4 / seconds, 1e11);
}

}  // namespace
}  // namespace catena::testing
