#include "passes/pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include "ir/dialect.h"
#include "ir/import.h"
#include "passes/analysis/change_limit.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/define/define.h"
#include "tests/support/environment.h"

namespace catena::passes {
namespace {

const OpDef& op_step = elementwise<2, 1>("pipeline_test_step")
                           .forward([](auto x, auto y, auto k) { return x * k + y; })
                           .define();
const OpDef& op_wall = register_op({
    .name = "pipeline_test_wall",
    .kind = Kind::call,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
});

/// A program of `count` maps, each over the one before and the argument; every `wall`-th is a
/// library call.
Trace chain(int count, int wall) {
    Trace trace;
    trace.name = "chain";
    Type type{Dtype::float32, {4, 8}};
    trace.scalars.push_back({.value = 0.5});
    trace.values.push_back({.type = type, .role = Trace::Role::argument, .name = "x"});
    trace.inputs = {0};
    for (int i = 0; i < count; ++i) {
        bool is_wall = wall && i % wall == wall - 1;
        trace.values.push_back({.type = type});
        if (is_wall)
            trace.steps.push_back({&op_wall, {i}, {i + 1}, {}, {}, {}});
        else
            trace.steps.push_back({&op_step, {i, 0}, {i + 1}, {0}, {}, {}});
    }
    trace.outputs = {count};
    return trace;
}

struct Compiled {
    mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<std::string> notes;

    explicit Compiled(const Trace& trace) {
        ir::load_dialects(context);
        module = ir::import_trace(trace, context);
        EXPECT_TRUE(mlir::succeeded(run_pipeline(*module, {.verify_each = true}, notes)));
    }
    mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }
    template <class Op>
    int count() {
        int n = 0;
        module->walk([&](Op) { ++n; });
        return n;
    }
};

TEST(pipeline, a_long_chain_of_maps_is_one_group) {
    Compiled compiled(chain(200, 0));
    EXPECT_EQ(compiled.count<ir::GroupOp>(), 1);
    EXPECT_EQ(compiled.count<ir::MapOp>(), 200);
    EXPECT_THAT(compiled.notes, testing::IsEmpty());
}

TEST(pipeline, every_map_ends_in_a_group) {
    Compiled compiled(chain(2000, 10));
    EXPECT_EQ(compiled.count<ir::CallOp>(), 200);
    EXPECT_EQ(compiled.count<ir::GroupOp>(), 200);
    compiled.module->walk(
        [](ir::MapOp map) { EXPECT_TRUE(llvm::isa<ir::GroupOp>(map->getParentOp())); });
}

TEST(pipeline, the_users_functions_stay_readable) {
    Compiled compiled(chain(3, 0));
    ir::GroupOp group = *compiled.function().getOps<ir::GroupOp>().begin();
    EXPECT_EQ(group.getLabel(), "pipeline_test_step_pipeline_test_step_pipeline_test_step");
}

TEST(pipeline, a_pass_can_be_left_out) {
    test::EnvironmentScope scope("CATENA_DISABLE_PASS", "cse,fuse");
    Compiled compiled(chain(5, 0));
    EXPECT_EQ(compiled.count<ir::GroupOp>(), 0);
    EXPECT_EQ(compiled.count<ir::MapOp>(), 5);
}

TEST(pipeline, a_pass_that_does_not_exist_is_an_error_with_those_that_do) {
    test::EnvironmentScope scope("CATENA_DISABLE_PASS", "fuse,fusion");
    try {
        Compiled compiled(chain(2, 0));
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(
            error.what(),
            testing::HasSubstr("CATENA_DISABLE_PASS names 'fusion' in the environment and should "
                               "name some of canonicalize, cse, "
                               "drop-dead, join-calls, statistics, variance, tails, blocks, fuse"));
    }
}

TEST(pipeline, passes_make_only_as_many_changes_as_are_allowed) {
    std::vector<int> groups;
    for (int allowed : {0, 1, 2, 3, 100}) {
        ChangeLimit::instance().set(allowed);
        groups.push_back(Compiled(chain(5, 0)).count<ir::GroupOp>());
    }
    ChangeLimit::instance().set(-1);
    // Folding, the operand of the first map that stands twice, then one cluster less each.
    EXPECT_THAT(groups, testing::ElementsAre(5, 5, 5, 4, 1));
}

}  // namespace
}  // namespace catena::passes
