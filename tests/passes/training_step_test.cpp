// What becomes of programs that people write: recorded training steps through the whole pipeline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "ir/dialect.h"
#include "ir/import.h"
#include "passes/pipeline/dump.h"
#include "passes/pipeline/pipeline.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena::passes {
namespace {

Variable data(const Shape& shape, Dtype dtype = Dtype::float32) {
    return Variable(Array::zeros({dtype, shape}), false);
}

/// A parameter: a leaf with identity.
Variable state(const Shape& shape) {
    Variable w(Array::zeros({Dtype::float32, shape}));
    w.body()->is_state = true;
    bind_state(*w.body(), w.array());
    return w;
}

struct Program {
    mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<std::string> notes;

    /// Records `body` over `arguments` in shape-only mode and compiles the record. What `body`
    /// returns are the outputs.
    template <class Body>
    Program(std::vector<Variable> arguments, Body body) {
        Tracer tracer(true);
        for (const Variable& a : arguments) tracer.add_argument(a.array(), "x");
        Trace trace;
        {
            RecorderScope scope(&tracer);
            std::vector<int> outputs;
            for (const Variable& y : body()) outputs.push_back(tracer.value_of(y.array()));
            trace = tracer.trace();
            trace.outputs = outputs;
        }
        ir::load_dialects(context);
        module = ir::import_trace(trace, context);
        EXPECT_TRUE(mlir::succeeded(run_pipeline(*module, {.verify_each = true}, notes)));
    }
    std::string text() const { return print_with_places(*module); }
    std::vector<ir::GroupOp> groups() {
        std::vector<ir::GroupOp> result;
        module->walk([&](ir::GroupOp group) { result.push_back(group); });
        return result;
    }
};

TEST(training_step, a_softmax_is_one_group) {
    Variable x = data({8, 10});
    Program program({x}, [&] { return std::vector{softmax(x)}; });
    EXPECT_EQ(program.groups().size(), 1u) << program.text();
}

TEST(training_step, layer_normalization_is_one_group) {
    Variable x = data({8, 64}), gamma = state({64}), beta = state({64});
    Program program({x}, [&] { return std::vector{layer_normalization(x, gamma, beta)}; });
    EXPECT_EQ(program.groups().size(), 1u) << program.text();
}

TEST(training_step, a_perceptron_fuses_around_its_products) {
    Variable x = data({32, 784}), t = data({32}, Dtype::int32);
    Variable W1 = state({100, 784}), b1 = state({100}), W2 = state({10, 100}), b2 = state({10});
    Cell rate(0.1, "rate");
    Program program({x, t}, [&] {
        Variable loss = softmax_cross_entropy(linear(relu(linear(x, W1, b1)), W2, b2), t);
        loss.backward();
        for (const Variable& w : {W1, b1, W2, b2}) assign(w, w - w.grad_variable() * rate);
        return std::vector{loss};
    });
    std::vector<std::string> labels;
    for (ir::GroupOp group : program.groups()) labels.push_back(group.getLabel().str());
    EXPECT_LE(labels.size(), 8u) << program.text();
    EXPECT_THAT(labels, testing::Contains("add_relu"));
    // The gradient through relu, its sum over the batch and the bias's update are one sweep.
    EXPECT_THAT(labels, testing::Contains("relu.gx0_sum_multiply_scalar_subtract"));
    EXPECT_THAT(program.text(), testing::HasSubstr("// training_step_test.cpp:"));
    EXPECT_THAT(program.notes, testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace catena::passes
