// What an op declares is a part of its definition (OpDef::declared): said once, found as it was
// said.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/system/assertion.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/declare/block.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/checked_ranges.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/joined_calls.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/measured.h"
#include "runtime/ops/declare/message.h"
#include "runtime/ops/declare/moved_rows.h"
#include "runtime/ops/declare/onto.h"
#include "runtime/ops/declare/placement.h"
#include "runtime/ops/declare/preparation.h"
#include "runtime/ops/declare/tail.h"
#include "runtime/ops/declare/work.h"
#include "runtime/ops/define/define.h"
#include "tests/reject/rejection.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

Types type_of_input(const TypeCall& c) { return {c.inputs[0]}; }
void no_kernel(const KernelCall&) {}

OpDef declaring(const char* name, Declarations declared) {
    return {
        .name = name, .type = type_of_input, .kernel = no_kernel, .declared = std::move(declared)};
}

/// A call of the op with one input, without elements.
struct OneInput {
    Type x{Dtype::float32, {2, 3}};
    Attributes attributes;
    TypeCall of(const OpDef& op) const { return {op, std::span(&x, 1), attributes}; }
};

TEST(Declarations, twice_are_an_error_that_names_op_and_declaration) {
    const std::string message = refusal<InternalError>([] {
        register_op(declaring("of_two_roles", {library_role(LibraryRole::matmul), on_any_device(),
                                               library_role(LibraryRole::linear)}));
    });
    EXPECT_THAT(message, HasSubstr("of_two_roles"));
    EXPECT_THAT(message, HasSubstr("library_role"));
    EXPECT_EQ(find_op("of_two_roles"), nullptr);
}

TEST(Declarations, of_one_kind_by_two_functions_are_twice) {
    const std::string message = refusal<InternalError>([] {
        OpDef op = declaring("of_two_texts", {element_text("y0(i, x0(i));")});
        op.declared.add(element_plan([](const KernelCall&) { return ElementProgram(); }));
        register_op(std::move(op));
    });
    EXPECT_THAT(message, HasSubstr("of_two_texts"));
    EXPECT_THAT(message, HasSubstr("element_plan"));
}

TEST(Declarations, are_found_as_they_were_made) {
    const OpDef& op = register_op(declaring(
        "declares_much",
        {library_role(LibraryRole::average_pooling), in_autocast(Autocast::wide),
         image_operands({.inputs = 2, .outputs = 1}), host_only("it is a test"),
         channels_last_rule([](const TypeCall& c) {
             return ChannelsLast{.inputs = uint32_t(c.inputs[0].shape[1]), .preferred = true};
         }),
         rejects_outside([](const TypeCall& c) {
             return CheckedRanges{{.operand = 0, .low = 1, .high = c.inputs[0].shape[0]}};
         }),
         range_kept(), awaited_by_others()}));
    const OneInput call;
    EXPECT_EQ(library_role_of(op), LibraryRole::average_pooling);
    EXPECT_EQ(autocast_of(op), Autocast::wide);
    EXPECT_EQ(images_of(op).inputs, 2u);
    EXPECT_EQ(images_of(op).outputs, 1u);
    EXPECT_EQ(host_only_reason(op), "it is a test");
    EXPECT_EQ(channels_last_of(call.of(op)).inputs, 3u);
    EXPECT_TRUE(channels_last_of(call.of(op)).preferred);
    ASSERT_TRUE(checked_ranges(call.of(op)));
    EXPECT_EQ((*checked_ranges(call.of(op)))[0].high, 2);
    EXPECT_TRUE(keeps_range(op));
    EXPECT_TRUE(is_message(op));
    EXPECT_FALSE(runs_anywhere(op)) << "declares much, but not this";
    EXPECT_FALSE(has_element_plan(op));
}

TEST(Declarations, that_are_missing_have_defaults) {
    const OpDef& op = register_op(declaring("declares_nothing", {}));
    const OneInput call;
    const TypeCall c = call.of(op);
    const TypeCall calls[block_calls] = {c, c, c};
    Array x, y;
    EXPECT_EQ(library_role_of(op), LibraryRole::none);
    EXPECT_EQ(autocast_of(op), Autocast::unchanged);
    EXPECT_EQ(images_of(op).inputs, 0u);
    EXPECT_EQ(channels_last_of(c).outputs, 0u);
    EXPECT_EQ(checked_ranges(c), std::nullopt);
    EXPECT_TRUE(joinings_of(c).empty());
    EXPECT_EQ(host_only_reason(op), "");
    EXPECT_FALSE(has_element_plan(op));
    EXPECT_FALSE(runs_anywhere(op));
    EXPECT_FALSE(is_message(op));
    EXPECT_FALSE(keeps_range(op));
    EXPECT_EQ(tailed_form(op), nullptr);
    EXPECT_EQ(onto_form(op), nullptr);
    EXPECT_EQ(measured_form(c), nullptr);
    EXPECT_EQ(block_form(calls), nullptr);
    EXPECT_EQ(placement_of({op, call.attributes}), std::nullopt);
    EXPECT_FALSE(addition_of_moved_rows(c, Shape{2, 3}));
    EXPECT_EQ(product_operations(c, std::span(&call.x, 1)), 0);
    EXPECT_EQ(prepare({op, std::span(&x, 1), std::span(&y, 1), call.attributes, {}}), nullptr);
    EXPECT_THAT(refusal<AssertionFailed>([&] {
                    element_program({op, std::span(&x, 1), std::span(&y, 1), call.attributes, {}});
                }),
                HasSubstr("declares_nothing"));
}

TEST(Declarations, are_made_in_builders_too) {
    const OpDef& op = elementwise<1>("declares_in_a_builder")
                          .forward([](auto x) { return x + 1; })
                          .declare(in_autocast(Autocast::same))
                          .define();
    EXPECT_EQ(autocast_of(op), Autocast::same);
}

TEST(Declarations, of_other_ops_are_true_of_these) {
    int tailed = 0, onto = 0;
    for (const OpDef* op : all_ops()) {
        if (const OpDef* form = tailed_form(*op)) {
            ++tailed;
            EXPECT_TRUE(is_tailed_form(*form)) << form->name << ", the tailed " << op->name;
        }
        if (const OpDef* form = onto_form(*op)) {
            ++onto;
            EXPECT_TRUE(is_onto_form(*form)) << form->name << ", which adds " << op->name;
        }
    }
    const std::vector<const OpDef*> ops = all_ops();
    const auto count = [&](bool (*is_form)(const OpDef&)) {
        return std::ranges::count_if(ops, [&](const OpDef* op) { return is_form(*op); });
    };
    EXPECT_GT(tailed, 0);
    EXPECT_EQ(count(is_tailed_form), tailed);
    EXPECT_GT(onto, 0);
    EXPECT_EQ(count(is_onto_form), onto);
    EXPECT_GT(count(is_measured_form), 0);
    EXPECT_GT(count(is_block_form), 0);
}

}  // namespace
}  // namespace catena
