// Random programs of all functions as programs for CUDA, their kernels executed by an emulation of
// CUDA's threads.
#include <gtest/gtest.h>

#include "runtime/ops/noise/random.h"
#include "tests/cuda/device_call.h"
#include "tests/cuda/emulated_device.h"
#include "tests/fuzz/function_program_run.h"
#include "tests/fuzz/nearness.h"
#include "tests/ops/host_only.h"

namespace catena::testing {
namespace {

TEST(CudaRandomPrograms, emulated_kernels_compute_what_random_programs_do) {
    DeviceCalls calls(EmulatedDevice::instance());
    std::vector<fuzz::FunctionProgram> programs;
    for (uint64_t seed = 1; programs.size() < 24; ++seed) {
        const fuzz::FunctionProgram p = fuzz::random_function_program(seed, 6);
        if (!p.specials && !p.is_random()) programs.push_back(p);
    }
    int compared = 0;
    // The first round compiles all programs.
    for (const bool second : {false, true}) {
        if (second) calls.begin_second_round();
        for (const fuzz::FunctionProgram& p : programs) {
            SCOPED_TRACE(fuzz::to_string(p));
            const fuzz::Values leaves = fuzz::leaves_of(p);
            const fuzz::Values eager = fuzz::forward(p, leaves);
            try {
                const Variables found = calls(
                    [&](const std::vector<Variable>& xs) {
                        const fuzz::Values ys = fuzz::forward(p, xs);
                        return Variables(std::span<const Variable>(ys));
                    },
                    leaves);
                for (size_t i = 0; second && i < eager.size(); ++i, ++compared)
                    EXPECT_EQ(fuzz::not_near(eager[i].array(), found[i].array(), nullptr,
                                             p.precision(), p.precision() == Dtype::float64, false),
                              "");
            } catch (const std::exception& error) {
                // A value that the host reads is none of one program for a device.
                const std::string text = error.what();
                if (!tells_of_host_only(text) && text.find("there is no program") == text.npos &&
                    text.find("host") == text.npos)
                    ADD_FAILURE() << text;
            }
        }
    }
    EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace catena::testing
