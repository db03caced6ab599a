// Random programs of all functions, and convolutions of unusual sizes, on a CUDA device against the
// host: one operation after another, and as regions. Skipped where there is no device.
// CATENA_FUZZ_SEED says where to begin, CATENA_FUZZ_FUNCTION_PROGRAMS how many.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include <fmt/format.h>

#include "frontend/catena.h"
#include "tests/fuzz/environment_number.h"
#include "tests/fuzz/function_program_run.h"
#include "tests/fuzz/nearness.h"
#include "tests/ops/host_only.h"

namespace catena::testing {
namespace {

using fuzz::FunctionProgram;
using fuzz::Outcome;
using fuzz::Values;

class GpuPrograms : public ::testing::TestWithParam<size_t> {
protected:
    void SetUp() override {
        try {
            device = &get_device("cuda:0");
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
    Device* device = nullptr;
};

/// Each is compiled on the host: parts run beside each other.
constexpr size_t parts = 16;

Values moved(const Values& values, Device& device) {
    Values there;
    for (const Variable& v : values)
        there.push_back(v.defined() ? Variable(v.array().to(device), v.requires_grad()) : v);
    return there;
}

Outcome outcome_there(const FunctionProgram& p, const std::function<Values()>& run) {
    return fuzz::outcome(p, [&] {
        Values here;
        for (const Variable& y : run()) here.emplace_back(y.array().to(cpu_device()), false);
        return here;
    });
}

struct Counts {
    int compared = 0, declined = 0;
};

/// What `run` gives on the device, eagerly and as a region, is near to what it gives on the host.
void expect_of_host(const FunctionProgram& p, Device& device, const Values& arguments, bool decided,
                    const std::function<Values(const Values&)>& run, Counts& counts) {
    const Outcome host = fuzz::outcome(p, [&] { return run(arguments); });
    if (!host.error.empty()) return;
    const auto scope = using_device(device);
    const Values there = moved(arguments, device);
    auto region = static_graph(run, {.name = "fuzz"});
    const Outcome eager = outcome_there(p, [&] { return run(there); });
    std::vector<Outcome> compiled;
    for (int call = 0; call < 2; ++call)
        compiled.push_back(outcome_there(p, [&] { return region(there); }));
    const auto compare = [&](const char* what, const Outcome& found) {
        if (!found.error.empty()) {
            ++counts.declined;
            if (!tells_of_host_only(found.error) && found.error.find("host") == found.error.npos)
                ADD_FAILURE() << what << ": " << found.error;
            return;
        }
        ASSERT_EQ(found.arrays.size(), host.arrays.size());
        for (size_t i = 0; i < host.arrays.size(); ++i, ++counts.compared)
            EXPECT_EQ(fuzz::not_near(host.arrays[i], found.arrays[i], nullptr, p.precision(),
                                     decided, p.specials),
                      "")
                << what << ", result " << i;
    };
    compare("eager", eager);
    compare("the first call of a region", compiled[0]);
    compare("the second call of a region", compiled[1]);
}

TEST_P(GpuPrograms, compute_what_random_programs_do) {
    const auto first = uint64_t(fuzz::environment_number("CATENA_FUZZ_SEED", 1));
    const auto count = uint64_t(fuzz::environment_number("CATENA_FUZZ_FUNCTION_PROGRAMS", 96));
    Counts counts;
    for (uint64_t seed = first + GetParam(); seed < first + count; seed += parts) {
        const FunctionProgram p = fuzz::random_function_program(seed, 6);
        // A device draws other numbers; and of a window that meets infinite weights beside the
        // image cuDNN sums 0 * inf, the host nothing.
        if (p.is_random() || p.specials) continue;
        SCOPED_TRACE("CATENA_FUZZ_SEED=" + std::to_string(seed) + "\n" + to_string(p));
        const bool decided = p.precision() == Dtype::float64;
        expect_of_host(
            p, *device, fuzz::leaves_of(p), decided,
            [&](const Values& xs) { return fuzz::forward(p, xs); }, counts);
        const fuzz::Step step = fuzz::step_of(p, false);
        const bool twice =
            seed % 3 == 0 && std::all_of(p.calls.begin(), p.calls.end(), [](const auto& c) {
                return !c.row->gradient || c.row->double_gradient;
            });
        expect_of_host(
            p, *device, step.arguments, decided,
            [&](const Values& xs) { return fuzz::backward(p, step, xs, false, twice); }, counts);
    }
    std::cout << "[          ] " << counts.compared << " results compared, " << counts.declined
              << " runs only the host takes\n";
    EXPECT_GT(counts.compared, 0);
}

struct Sizes {
    Shape x, W;
    ConvolutionOptions options;
};

std::string to_string(const Sizes& s) {
    const ConvolutionOptions& o = s.options;
    return fmt::format("{} with {}, stride {}, pad {}, dilate {}, {} groups",
                       catena::to_string(s.x), catena::to_string(s.W), catena::to_string(o.stride),
                       catena::to_string(o.pad), catena::to_string(o.dilate), o.groups);
}

/// Windows with gaps and steps, larger than the image, beside it, in groups; of one, two and three
/// axes.
Sizes random_convolution(std::mt19937_64& random) {
    const auto draw = [&](int64_t low, int64_t high) {
        return low + int64_t(random() % uint64_t(high - low + 1));
    };
    for (;;) {
        Sizes s;
        const int axes = int(draw(1, 3));
        const auto channels = [&] { return draw(0, 3) == 0 ? 16 * draw(1, 3) : draw(1, 9); };
        const int64_t groups = draw(0, 3) == 0 ? draw(2, 4) : 1, in = channels(), out = channels();
        s.options.groups = groups;
        s.x = {draw(1, 4), in * groups};
        s.W = {out * groups, in};
        Dims stride, pad, dilate;
        bool fits = true;
        for (int i = 0; i < axes; ++i) {
            const int64_t size = draw(1, axes == 1 ? 60 : axes == 2 ? 20 : 8), window = draw(1, 5);
            stride.push_back(draw(0, 5) == 0 ? draw(1, 16) : draw(1, 3)), pad.push_back(draw(0, 4)),
                dilate.push_back(draw(1, 3));
            s.x.push_back(size), s.W.push_back(window);
            fits = fits && size + 2 * pad[i] >= dilate[i] * (window - 1) + 1;
        }
        s.options.stride = stride, s.options.pad = pad, s.options.dilate = dilate;
        if (fits) return s;
    }
}

/// y, gx and gW of sum(y * y) / 2 at small integers, which every dtype holds.
std::vector<Array> convolved(const Sizes& s, Dtype dtype, Device& device) {
    const auto scope = using_device(device);
    const auto operand = [&](const Shape& shape, int64_t factor) {
        std::vector<double> values(size_t(element_count(shape)));
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = double(int64_t(i * i % 1009 + i) * factor % 5 - 2);
        return Variable(Array::from(values, shape).astype(dtype).to(device));
    };
    Variable x = operand(s.x, 1), W = operand(s.W, 3);
    const Variable y = convolution_nd(x, W, Variable(), s.options);
    y.set_grad(Array(y.array()));
    y.backward();
    std::vector<Array> all;
    for (const Array& array : {y.array(), x.grad(), W.grad()})
        all.push_back(array.to(cpu_device()));
    return all;
}

TEST_P(GpuPrograms, convolve_at_unusual_sizes) {
    const auto first = uint64_t(fuzz::environment_number("CATENA_FUZZ_SEED", 1));
    const auto count = uint64_t(fuzz::environment_number("CATENA_FUZZ_CONVOLUTIONS", 128));
    for (uint64_t seed = first + GetParam(); seed < first + count; seed += parts) {
        std::mt19937_64 random(seed);
        const Sizes s = random_convolution(random);
        SCOPED_TRACE("CATENA_FUZZ_SEED=" + std::to_string(seed) + ": " + to_string(s));
        const std::vector<Array> truth = convolved(s, Dtype::float64, cpu_device());
        for (const Dtype dtype :
             {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
            std::vector<Array> found;
            ASSERT_NO_THROW(found = convolved(s, dtype, *device))
                << "no later call of this process can pass after an error of the device";
            for (size_t i = 0; i < truth.size(); ++i)
                EXPECT_EQ(
                    fuzz::not_near(truth[i].astype(dtype), found[i], nullptr, dtype, true, false),
                    "")
                    << (i == 0   ? "y"
                        : i == 1 ? "gx"
                                 : "gW");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, GpuPrograms, ::testing::Range(size_t(0), parts));

}  // namespace
}  // namespace catena::testing
