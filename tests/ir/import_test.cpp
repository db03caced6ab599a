#include "ir/import.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/define/define.h"

namespace catena::ir {
namespace {

using testing::HasSubstr;

const OpDef& op_leaky = elementwise<1, 1>("import_test_leaky")
                            .forward([](auto x, auto k) { return select(x > 0, x, k * x); })
                            .define();
const OpDef& op_exp =
    elementwise<1>("import_test_exp").forward([](auto x) { return exp(x); }).define();
const OpDef& op_negate =
    elementwise<1>("import_test_negate").forward([](auto x) { return -x; }).define();
const OpDef& op_outside = elementwise<1>("import_test_outside")
                              .gives_bool()
                              .forward([](auto x) { return !(x < 2 && x > -2); })
                              .define();
const OpDef& op_total = register_op({
    .name = "import_test_total",
    .kind = Kind::reduce,
    .type =
        [](const TypeCall& c) {
            Type y = c.inputs[0];
            Shape shape;
            for (int i = 0; i < y.shape.rank(); ++i) {
                if (!c.attributes.dims("axes").contains(i))
                    shape.push_back(y.shape[i]);
                else if (c.attributes.flag("keepdims"))
                    shape.push_back(1);
            }
            return Types{{y.dtype, shape}};
        },
    .combine = catena::Combine::sum,
});
const OpDef& op_mystery = register_op({
    .name = "import_test_mystery",
    .kind = Kind::call,
    .type = [](const TypeCall& c) { return Types{c.inputs[0]}; },
});

/// A trace under construction.
struct Builder {
    Trace trace;

    int input(const Type& type, Trace::Role role, const char* name) {
        trace.values.push_back({.type = type, .role = role, .name = name});
        trace.inputs.push_back(int(trace.values.size()) - 1);
        return trace.inputs.back();
    }
    int step(const OpDef& op, std::vector<int> inputs, const Type& type,
             const Attributes& attributes = {}, std::vector<int> scalars = {}, uint32_t line = 0) {
        trace.values.push_back({.type = type});
        int output = int(trace.values.size()) - 1;
        Trace::Step step{&op, std::move(inputs), {output}, std::move(scalars), attributes, {}};
        step.location.file = "user.cpp";
        step.location.line = line;
        trace.steps.push_back(step);
        return output;
    }
};

struct Imported {
    mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
    mlir::OwningOpRef<mlir::ModuleOp> module;

    explicit Imported(const Trace& trace) {
        load_dialects(context);
        module = import_trace(trace, context);
    }
    std::string text(bool places = false) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        mlir::OpPrintingFlags flags;
        if (places) flags.enableDebugInfo(true, /*prettyForm=*/true);
        module->print(stream, flags);
        return text;
    }
    bool valid() { return mlir::succeeded(mlir::verify(*module)); }
};

Type floats(std::initializer_list<int64_t> shape) { return {Dtype::float32, Shape(shape)}; }

TEST(import, a_map_gets_its_region_from_the_formula) {
    Builder b;
    b.trace.name = "step";
    b.trace.scalars.push_back({.value = 0.25});
    int x = b.input(floats({2, 3}), Trace::Role::argument, "x");
    b.trace.outputs = {b.step(op_leaky, {x}, floats({2, 3}), {}, {0})};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid()) << imported.text();
    EXPECT_THAT(imported.text(), HasSubstr("func.func @step("));
    EXPECT_THAT(imported.text(), HasSubstr("catena.role = \"argument\""));
    EXPECT_THAT(imported.text(), HasSubstr("%s0 = catena.scalar 0 seen 2.500000e-01"));
    EXPECT_THAT(imported.text(), HasSubstr("catena.map \"import_test_leaky\"(%arg0 with %s0)"));
    EXPECT_THAT(imported.text(), HasSubstr("arith.cmpf ogt, %x0, %cst : f32"));
    EXPECT_THAT(imported.text(), HasSubstr("arith.mulf %k0, %x0 : f32"));
    EXPECT_THAT(imported.text(), HasSubstr("arith.select"));
}

TEST(import, a_map_keeps_the_users_place) {
    Builder b;
    int x = b.input(floats({2}), Trace::Role::argument, "x");
    b.trace.outputs = {b.step(op_exp, {x}, floats({2}), {}, {}, 42)};
    EXPECT_THAT(Imported(b.trace).text(true), HasSubstr("user.cpp:42"));
}

TEST(import, storage_types_compute_in_float32) {
    Builder b;
    Type half{Dtype::float16, {2}};
    int x = b.input(half, Trace::Role::argument, "x");
    b.trace.outputs = {b.step(op_exp, {x}, half)};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid());
    EXPECT_THAT(imported.text(), HasSubstr("(tensor<2xf16>) -> tensor<2xf16>"));
    EXPECT_THAT(imported.text(), HasSubstr("math.exp %x0 : f32"));
}

TEST(import, integers_compute_in_int64) {
    Builder b;
    Type bytes{Dtype::uint8, {2}};
    int x = b.input(bytes, Trace::Role::argument, "x");
    b.trace.outputs = {b.step(op_negate, {x}, bytes)};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid());
    EXPECT_THAT(imported.text(), HasSubstr("tensor<2xui8>"));
    EXPECT_THAT(imported.text(), HasSubstr("arith.subi %c0_i64, %x0 : i64"));
}

TEST(import, a_formula_that_integers_cannot_compute_is_the_users_error) {
    Builder b;
    Type ints{Dtype::int32, {2}};
    int x = b.input(ints, Trace::Role::argument, "x");
    b.trace.outputs = {b.step(op_exp, {x}, ints, {}, {}, 7)};
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    load_dialects(context);
    try {
        import_trace(b.trace, context);
        FAIL() << "accepted";
    } catch (const CompileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("import_test_exp: its formula needs exp"));
        EXPECT_THAT(error.what(), HasSubstr("user.cpp:7"));
    }
}

TEST(import, truth_values_are_i1) {
    Builder b;
    int x = b.input(floats({2}), Trace::Role::argument, "x");
    b.trace.outputs = {b.step(op_outside, {x}, {Dtype::bool_, {2}})};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid()) << imported.text();
    EXPECT_THAT(imported.text(), HasSubstr("arith.andi"));
    EXPECT_THAT(imported.text(), HasSubstr("arith.xori"));
    EXPECT_THAT(imported.text(), HasSubstr("-> tensor<2xi1>"));
}

TEST(import, a_reduction_without_keepdims_is_a_reduction_and_a_reshape) {
    Builder b;
    int x = b.input(floats({2, 3}), Trace::Role::argument, "x");
    Attributes attributes{{"axes", Axes{1}}, {"keepdims", false}};
    b.trace.outputs = {b.step(op_total, {x}, floats({2}), attributes)};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid()) << imported.text();
    EXPECT_THAT(imported.text(), HasSubstr("sum over [1] : tensor<2x3xf32> -> tensor<2x1xf32>"));
    EXPECT_THAT(imported.text(), HasSubstr("catena.reshape \"import_test_total\""));
}

TEST(import, attributes_survive_both_ways) {
    Builder b;
    int x = b.input(floats({2}), Trace::Role::argument, "x");
    Attributes attributes{{"flag", true},          {"count", int64_t(3)},
                          {"ratio", 0.1},          {"mode", std::string("full")},
                          {"stride", Dims{2, -1}}, {"none", Dims{}}};
    b.trace.outputs = {b.step(op_mystery, {x}, floats({2}), attributes)};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid());
    EXPECT_THAT(imported.text(), HasSubstr("count = 3"));
    EXPECT_THAT(imported.text(), HasSubstr("stride = [2, -1]"));
    CallOp call;
    imported.module->walk([&](CallOp found) { call = found; });
    ASSERT_TRUE(call);
    auto back = to_attributes(call.getCallAttributes());
    ASSERT_TRUE(mlir::succeeded(back));
    EXPECT_TRUE(back->flag("flag"));
    EXPECT_EQ(back->integer("count"), 3);
    EXPECT_EQ(back->number("ratio"), 0.1);
    EXPECT_EQ(back->text("mode"), "full");
    EXPECT_EQ(back->dims("stride"), (Dims{2, -1}));
    EXPECT_EQ(back->dims("none"), Dims{});
}

TEST(import, assignments_end_the_program) {
    Builder b;
    int w = b.input(floats({2}), Trace::Role::state, "/l1/W");
    int y = b.step(op_exp, {w}, floats({2}));
    b.trace.assigns = {{w, y}};
    Imported imported(b.trace);
    ASSERT_TRUE(imported.valid());
    EXPECT_THAT(imported.text(), HasSubstr("catena.name = \"/l1/W\", catena.role = \"state\""));
    EXPECT_THAT(imported.text(), HasSubstr("catena.assign %arg0, %import_test_exp"));
}

/// A module printed and read again must print the same.
void expect_round_trip(Imported& imported) {
    std::string text = imported.text();
    auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &imported.context);
    ASSERT_TRUE(again) << text;
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    again->print(stream);
    EXPECT_EQ(printed, text);
}

TEST(import, every_kind_of_library_call_round_trips) {
    for (Kind kind : {Kind::scan, Kind::contract, Kind::window, Kind::pad, Kind::concat,
                      Kind::gather, Kind::scatter, Kind::sort, Kind::random, Kind::call}) {
        std::string name = "import_test_library_" + std::string(name_of(kind));
        OpDef op;
        op.name = name;
        op.kind = kind;
        op.input_count = 2;
        op.type = [](const TypeCall& c) { return Types{c.inputs[0], c.inputs[1]}; };
        const OpDef& registered = register_op(std::move(op));
        Builder b;
        b.trace.scalars.push_back({.value = 0.1});
        int x = b.input(floats({2, 3}), Trace::Role::argument, "x");
        int y = b.input(floats({}), Trace::Role::captured, "");
        int z = b.step(registered, {x, y}, floats({2, 3}), {{"axis", int64_t(-1)}}, {0});
        b.trace.values.push_back({.type = floats({})});
        b.trace.steps.back().outputs.push_back(z + 1);
        b.trace.outputs = {z + 1, z};
        Imported imported(b.trace);
        ASSERT_TRUE(imported.valid()) << name;
        EXPECT_THAT(imported.text(),
                    HasSubstr("catena." + std::string(name_of(kind)) + " \"" + name + "\""));
        expect_round_trip(imported);
    }
}

TEST(import, text_round_trips) {
    Builder b;
    b.trace.scalars.push_back({.value = 0.1});
    int x = b.input(floats({2, 3}), Trace::Role::argument, "x");
    int y = b.step(op_leaky, {x}, floats({2, 3}), {}, {0});
    int z = b.step(op_mystery, {y}, floats({2, 3}), {{"ratio", 1.0 / 3}, {"huge", HUGE_VAL}});
    b.trace.outputs = {z, x, z};
    Imported imported(b.trace);
    expect_round_trip(imported);
}

}  // namespace
}  // namespace catena::ir
