// The table of a kernel's instructions.
#include "codegen/kernel/instruction.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace catena::codegen {
namespace {

TEST(instruction, every_operation_of_an_intrinsic_is_one) {
    const std::string_view operations[] = {
#define CATENA_INTRINSIC(name, arity, result, floats, integers, onnx) floats, integers,
#include "runtime/scalar/intrinsics.def"
#undef CATENA_INTRINSIC
    };
    for (std::string_view operation : operations) {
        const std::string_view name = operation.substr(0, operation.find(':'));
        if (!name.empty()) {
            EXPECT_TRUE(instruction_of(name).has_value()) << name;
        }
    }
    EXPECT_FALSE(instruction_of("arith.shli").has_value());
}

TEST(instruction, is_found_by_its_operation) {
    std::set<std::string> operations;
    for (int i = 0; i < instruction_count; ++i) {
        const InstructionFacts& facts = facts_of(Instruction(i));
        EXPECT_EQ(instruction_of(facts.operation), Instruction(i));
        EXPECT_TRUE(operations.insert(facts.operation).second)
            << facts.operation << " has two rows";
        EXPECT_EQ(*facts.text == '\0', is_comparison(Instruction(i))) << facts.operation;
    }
}

TEST(instruction, without_instructions_of_the_processor_calls_the_c_library) {
    EXPECT_STREQ(facts_of(Instruction::pow).library, "pow");
    EXPECT_STREQ(facts_of(Instruction::tanh).library, "tanh");
    EXPECT_EQ(facts_of(Instruction::sqrt).library, nullptr);
    EXPECT_FALSE(facts_of(Instruction::pow).has_steps);
    EXPECT_TRUE(facts_of(Instruction::tanh).has_steps);
}

}  // namespace
}  // namespace catena::codegen
