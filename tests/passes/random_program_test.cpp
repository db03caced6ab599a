// Random programs mean the same before and after the pipeline.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "mlir/IR/MLIRContext.h"

#include "ir/dialect.h"
#include "ir/import.h"
#include "passes/pipeline/dump.h"
#include "passes/pipeline/pipeline.h"
#include "runtime/graph/op/map_type.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/define/register_map.h"
#include "tests/passes/interpreter.h"

namespace catena::passes {
namespace {

const OpDef& op_mix = elementwise<2, 1>("random_program_mix")
                          .forward([](auto x, auto y, auto k) { return x * k + y; })
                          .define();
const OpDef& op_halve = elementwise<1, 1>("random_program_halve")
                            .forward([](auto x, auto k) { return x * k; })
                            .define();

const OpDef& define_both() {
    OpDef op;
    op.name = "random_program_both";
    op.kind = Kind::map;
    op.input_count = 2;
    op.output_count = 2;
    op.formula = make_formula<2, 0>([](auto x, auto y) { return std::tuple(x + y, x - y); });
    op.type = [](const TypeCall& c) {
        Type y = c.inputs[0];
        broadcast_shapes(c.inputs[0].shape, c.inputs[1].shape, y.shape);
        return Types{y, y};
    };
    return register_map(std::move(op));
}
const OpDef& op_both = define_both();
const OpDef& op_wall = register_op({
    .name = "random_program_wall",
    .kind = Kind::call,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
});

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {
        trace_.scalars = {{.value = 0.5}, {.value = -0.25}};
        for (Shape shape : {Shape{3, 4}, Shape{4}, Shape{3, 1}, Shape{}})
            input(shape, Trace::Role::argument);
        for (Shape shape : {Shape{3, 4}, Shape{4}}) input(shape, Trace::Role::state);
    }

    Trace run() {
        for (int i = 10 + below(30); i > 0; --i) step();
        for (int i = 1 + below(3); i > 0; --i) trace_.outputs.push_back(any());
        for (int state : {4, 5})
            for (int tries = 0; tries < 20; ++tries)
                if (int v = any(); v > 5 && trace_.values[v].type == trace_.values[state].type) {
                    trace_.assigns.push_back({state, v});
                    break;
                }
        return trace_;
    }

private:
    int below(int n) { return int(random_() % unsigned(n)); }
    /// A value, late ones more often.
    int any() {
        int n = int(trace_.values.size());
        return below(3) ? n - 1 - below(std::min(n, 6)) : below(n);
    }
    const Type& type(int v) { return trace_.values[v].type; }

    void input(const Shape& shape, Trace::Role role) {
        trace_.values.push_back({.type = {Dtype::float64, shape}, .role = role, .name = "v"});
        trace_.inputs.push_back(int(trace_.values.size()) - 1);
    }

    void add(const OpDef& op, std::vector<int> inputs, const Attributes& attributes = {},
             std::vector<int> scalars = {}) {
        std::vector<Type> types;
        for (int i : inputs) types.push_back(type(i));
        Trace::Step step{&op, std::move(inputs), {}, std::move(scalars), attributes, {}};
        for (const Type& y :
             op.type ? op.type({op, types, attributes}) : Types{map_type(op, types)}) {
            step.outputs.push_back(int(trace_.values.size()));
            trace_.values.push_back({.type = y});
        }
        trace_.steps.push_back(std::move(step));
    }

    void step() {
        int x = any(), y = any();
        const Shape& shape = type(x).shape;
        Shape both;
        switch (below(10)) {
            case 0:
                return add(op_wall, {x});
            case 1:
                return reduce(x);
            case 2:
                return add(*find_op("reshape"), {x}, {{"shape", other_shape(shape)}});
            case 3:
                if (shape.rank() == 2) add(*find_op("transpose"), {x}, {{"axes", Axes{1, 0}}});
                return;
            case 4:
                if (broadcast_shapes(shape, Shape{3, 4}, both))
                    add(*find_op("broadcast_to"), {x}, {{"shape", both}});
                return;
            case 5:
                return add(op_halve, {x}, {}, {below(2)});
            default:
                if (!broadcast_shapes(shape, type(y).shape, both) || element_count(both) > 12)
                    return;
                if (below(4) == 0)
                    add(op_both, {x, y});
                else
                    add(op_mix, {x, y}, {}, {below(2)});
        }
    }

    void reduce(int x) {
        Axes axes;
        for (int d = 0; d < type(x).shape.rank(); ++d)
            if (below(2)) axes.push_back(d);
        if (axes.empty()) return;
        add(*find_op(below(2) ? "sum" : "max"), {x}, {{"axes", axes}, {"keepdims", below(2) == 0}});
    }

    Shape other_shape(const Shape& shape) {
        int64_t n = element_count(shape);
        switch (below(4)) {
            case 0:
                return {n};
            case 1:
                return {1, n};
            case 2:
                return {n, 1};
            default:
                return n == 12 ? Shape{4, 3} : Shape{n};
        }
    }

    std::mt19937 random_;
    Trace trace_;
};

mlir::func::FuncOp function_of(mlir::ModuleOp module) {
    return *module.getOps<mlir::func::FuncOp>().begin();
}

TEST(random_program, means_the_same_after_the_pipeline) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ir::load_dialects(context);
    int made_again = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        Trace trace = Generator(seed).run();
        auto module = ir::import_trace(trace, context);
        std::string before = print_with_places(*module);
        std::mt19937 random(seed);
        std::vector<Elements> arguments;
        for (int i : trace.inputs) {
            Elements elements(element_count(trace.values[i].type.shape));
            for (double& x : elements) x = int(random() % 9) - 4;
            arguments.push_back(elements);
        }
        Outcome expected = interpret(function_of(*module), arguments);
        std::vector<std::string> notes;
        ASSERT_TRUE(mlir::succeeded(
            run_pipeline(*module, {.memory_budget = seed % 2, .verify_each = true}, notes)))
            << before;
        made_again += std::ranges::any_of(notes, [](const std::string& note) {
            return note.starts_with("memory_budget: ") &&
                   note.find(" launches are made again") != std::string::npos &&
                   note.find("; 0 launches") == std::string::npos;
        });
        module->walk([&](mlir::Operation* op) {
            if (!llvm::isa<ir::MapOp, ir::ReduceOp>(op)) return;
            EXPECT_TRUE(llvm::isa<ir::GroupOp>(op->getParentOp())) << "seed " << seed;
        });
        std::string after = print_with_places(*module);
        ASSERT_EQ(interpret(function_of(*module), arguments), expected) << "seed " << seed << "\n"
                                                                        << before << after;
    }
    EXPECT_GE(made_again, 15) << "programs whose memory budget of one byte made a difference";
}

}  // namespace
}  // namespace catena::passes
