// How often eager operations on a device are compiled: the programs of CompilingProvider.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/kernel_provider.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "tests/cuda/emulated_device.h"

namespace catena::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

/// A provider of its own for the thread, which notes what it has compiled.
class CudaEagerPrograms : public ::testing::Test {
protected:
    std::vector<std::string> compiled;  ///< The operation of each program.
    codegen::cuda::CompilingProvider provider{
        [this](const Trace& trace, const CompileOptions& options) {
            compiled.push_back(trace.name + (options.fast_math ? " fast" : ""));
            return compiler().compile(trace, options);
        }};
    KernelProviderScope scope{&provider};
    EmulatedDevice& device = EmulatedDevice::instance();
};

struct Weights : Link {
    Parameter a{Array::from<float>({1, -2, 3, 0.5f})}, b{Array::from<float>({4, 5, 6})};
    Weights() {
        add_param("a", a);
        add_param("b", b);
    }
};

/// Parameters after ten steps, each with a learning rate of its own. The count of the steps, an
/// array too, is an addition.
template <class Rule>
std::vector<double> train(Device& device, const std::function<void(int)>& after_step) {
    Weights weights;
    weights.to_device(device);
    Rule optimizer(0.1);
    optimizer.setup(weights);
    for (int step = 0; step < 10; ++step) {
        optimizer.lr = 0.1 / (1 + step);
        for (Variable* p :
             {static_cast<Variable*>(&weights.a), static_cast<Variable*>(&weights.b)}) {
            std::vector<float> gradient(size_t(p->size()));
            for (size_t i = 0; i < gradient.size(); ++i)
                gradient[i] = float(std::sin(double(i) + step));
            p->set_grad(Array::from(gradient, p->shape()).to(device));
        }
        optimizer.update();
        after_step(step);
    }
    std::vector<double> values = weights.a.array().to_vector<double>();
    for (double b : weights.b.array().to_vector<double>()) values.push_back(b);
    return values;
}

TEST_F(CudaEagerPrograms, one_of_sgd_serves_every_learning_rate) {
    const std::vector<double> there = train<SGD>(device, [&](int step) {
        EXPECT_THAT(compiled, UnorderedElementsAre("add_scalar", "sgd_update_all"))
            << "after step " << step;
    });
    EXPECT_EQ(there, train<SGD>(cpu_device(), [](int) {}));
}

TEST_F(CudaEagerPrograms, one_of_momentum_sgd_serves_every_learning_rate) {
    size_t first = 0;
    const std::vector<double> there = train<MomentumSGD>(device, [&](int step) {
        EXPECT_THAT(compiled, IsSupersetOf({"momentum_sgd_update_all"}));
        if (step == 0) first = compiled.size();
        EXPECT_EQ(compiled.size(), first) << "after step " << step;
    });
    EXPECT_EQ(there, train<MomentumSGD>(cpu_device(), [](int) {}));
}

TEST_F(CudaEagerPrograms, scalars_are_not_uploaded) {
    const Array x = Array::from<float>({1, 2, 3}).to(device);
    const int uploads = device.uploads();
    for (double factor : {2.0, 3.0}) EXPECT_EQ((Variable(x, false) * factor).array().size(), 3);
    EXPECT_EQ(device.uploads(), uploads);
}

/// Its body computes with the number on the host: what it records depends on the value.
const OpDef& op_power_by_hand() {
    static const OpDef& op = [] {
        OpDef made;
        made.name = "test.power_by_hand";
        made.kind = Kind::call;
        made.input_count = 1;
        made.scalar_names = {"times"};
        made.type = [](const TypeCall& call) { return Types{call.inputs[0]}; };
        made.kernel = [](const KernelCall&) { FAIL() << "the host was asked"; };
        made.body = [](std::span<const Variable> v, const Attributes&,
                       std::span<const Scalar> scalars) {
            Variable y = v[0];
            for (int i = 1; i < int(scalars[0].value()); ++i) y = y * v[0];
            return Variables{y * scalars[0]};
        };
        return std::cref(register_op(std::move(made)));
    }();
    return op;
}

TEST_F(CudaEagerPrograms, of_bodies_that_compute_with_a_scalar_are_one_for_each_value) {
    const Variable x(Array::from<float>({1, 2, 3}).to(device), false);
    auto power = [&](double times) {
        return call(op_power_by_hand(), current_location(), {}, {times}, x)
            .array()
            .to_vector<float>();
    };
    for (int round = 0; round < 2; ++round) {
        EXPECT_THAT(power(2), ElementsAre(2, 8, 18));
        EXPECT_THAT(power(3), ElementsAre(3, 24, 81));
    }
    EXPECT_EQ(compiled.size(), 2u);
}

TEST_F(CudaEagerPrograms, with_and_without_fast_math_are_two) {
    const Variable x(Array::from<float>({1, 2, 3}).to(device), false);
    for (int round = 0; round < 2; ++round)
        for (bool fast : {false, true}) {
            auto mode = using_config(&Config::fast_math, fast);
            EXPECT_THAT((x + x).array().to_vector<float>(), ElementsAre(2, 4, 6));
        }
    EXPECT_THAT(compiled, ElementsAre("add", "add fast"));
}

}  // namespace
}  // namespace catena::testing
