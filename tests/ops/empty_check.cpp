#include "tests/ops/empty_check.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/trace/tracing.h"
#include "runtime/graph/walk/gradient.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {
namespace {

/// What a call gave, as text: the error, or types and elements.
std::string outcome(const std::function<Variables()>& call) {
    try {
        std::string text;
        for (const Variable& y : call()) {
            if (!y.defined()) {
                text += "nothing\n";
                continue;
            }
            text += to_string(y.type());
            // Rounding is no difference here.
            for (double v : y.array().to_vector<double>())
                text += std::isnan(v) ? " nan" : fmt::format(" {:.3g}", v == 0 ? 0 : v);
            text += "\n";
        }
        return text;
    } catch (const Error&) {
        return "an error\n";
    }
}

/// Listens and does nothing: composites then run their bodies.
class SilentRecorder : public Tracing {
public:
    void assigned(const Variable&, const Variable&) override {}
    void changing(VariableBody&, Change) override {}
    void host_read(ArrayBody&) override {}
};

void check_variant(const Row& row, const std::vector<Input>& inputs) {
    const Dtype run = runs_in(row, Dtype::float64) ? Dtype::float64
                      : has_run_dtype(row)         ? row.dtypes[0]
                                                   : Dtype::float32;
    Generator generator = generator_for(row);
    const std::vector<size_t> targets =
        row.gradient ? differentiable_inputs(row) : std::vector<size_t>();
    std::vector<Variable> arguments = as_variables(draw(inputs, run, generator));
    for (size_t i : targets)
        if (run == Dtype::float64) arguments[i] = Variable(arguments[i].array(), true);

    const auto forward = [&](const std::vector<Variable>& all) { return call_row(row, all); };
    const auto gradients = [&](const std::vector<Variable>& all) {
        std::vector<Variable> outputs, wanted;
        for (const Variable& y : call_row(row, all)) {
            if (y.requires_grad()) outputs.push_back(y);
        }
        for (size_t i : targets) wanted.push_back(all[i]);
        if (outputs.empty()) return Variables();
        Variables gx = grad(outputs, wanted);
        for (size_t i = 0; i < gx.size(); ++i)  // No gradient, or an unspecified one.
            if (!gx[i].defined()) gx[i] = Variable(Array::zeros(wanted[i].type()), false);
        return gx;
    };
    const auto check = [&](const std::function<Variables(const std::vector<Variable>&)>& f) {
        const std::string expected = outcome([&] { return f(arguments); });
        {
            SilentRecorder recorder;
            RecorderScope scope(&recorder);
            EXPECT_EQ(expected, outcome([&] { return f(arguments); })) << "the body";
        }
        if (!in_region()) return;
        EXPECT_EQ(expected, outcome([&] { return in_region()(f, arguments); })) << "in a region";
    };
    check(forward);
    if (targets.empty() || run != Dtype::float64) return;
    SCOPED_TRACE("gradients");
    check(gradients);
}

}  // namespace

void check_empty(const Row& row) {
    std::set<int64_t> sizes;
    for (const Input& input : row.inputs) {
        for (int64_t size : input.shape)
            if (!input.absent && size > 1) sizes.insert(size);
    }
    for (int64_t size : sizes) {
        SCOPED_TRACE(fmt::format("empty where the size was {}", size));
        std::vector<Input> inputs = row.inputs;
        for (Input& input : inputs)
            for (int i = 0; i < input.shape.rank(); ++i)
                if (input.shape[i] == size) {
                    input.shape[i] = 0;
                    input.values.clear();
                }
        check_variant(row, inputs);
    }
}

}  // namespace catena::testing
