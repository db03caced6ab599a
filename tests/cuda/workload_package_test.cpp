// The benchmark's workloads at small sizes as programs in files, on an emulated device against the
// host.
#include <cmath>

#include <gtest/gtest.h>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/catena.h"
#include "runtime/program/file/program.h"
#include "tests/cuda/emulated_device.h"
#include "tests/export/saved_step.h"

namespace catena::testing {
namespace {

struct Saved {
    std::string name;
    bool amplifies_rounding;
    Program host, device;
    std::vector<Array> inputs;
};

/// All are loaded before the first one runs, so that their kernels are compiled together.
std::vector<Saved> save_workloads() {
    std::vector<Saved> all;
    for (const tool::Workload& workload : tool::workloads()) {
        set_seed(7);
        const tool::Iteration iteration = workload.prepare(tool::Variant::step, 64);
        if (!iteration.save) continue;
        for (int i = 0; i < 2; ++i) iteration.run();
        const std::string path = temporary(workload.name + ".catena");
        std::vector<Array> inputs = iteration.save(
            path, {.code_levels = {"scalar"}, .cuda_architectures = {"text"}, .stages = false});
        all.push_back({workload.name, workload.amplifies_rounding, Program::load(path),
                       Program::load(path, EmulatedDevice::instance()), inputs});
    }
    return all;
}

void expect_near(const Array& actual, const Array& expected, const std::string& what,
                 double tolerance = 2e-5) {
    const std::vector<double> a = actual.to(cpu_device()).to_vector<double>(),
                              e = expected.to_vector<double>();
    ASSERT_EQ(a.size(), e.size()) << what;
    double scale = 1e-3;
    for (double value : e) scale = std::max(scale, std::abs(value));
    for (size_t k = 0; k < e.size(); ++k)
        ASSERT_NEAR(a[k], e[k], tolerance * scale) << what << ", element " << k;
}

TEST(CudaWorkloadPackages, compute_on_the_device_what_they_do_on_the_host) {
    std::vector<Saved> all = save_workloads();
    EXPECT_GE(all.size(), 8u);
    for (Saved& saved : all) {
        SCOPED_TRACE(saved.name);
        std::vector<Array> there;
        for (const Array& input : saved.inputs) there.push_back(input.to(saved.device.device()));
        for (int i = 0; i < (saved.amplifies_rounding ? 2 : 3); ++i) {
            const std::vector<Array> expected = saved.host.run(saved.inputs),
                                     actual = saved.device.run(there);
            for (size_t r = 0; r < expected.size(); ++r)
                expect_near(actual[r], expected[r], "result",
                            saved.amplifies_rounding && i > 0 ? 1e-3 : 2e-5);
        }
        if (saved.amplifies_rounding) continue;
        for (const std::string& name : saved.host.state_names())
            expect_near(saved.device.state(name), saved.host.state(name), name);
    }
}

}  // namespace
}  // namespace catena::testing
