#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ops/op_table.h"

namespace catena::fuzz {

/// A random program: calls of public functions, each with arguments that a row of the op table
/// calls legal, or with values of earlier calls brought into the range and the shape of such
/// arguments. Plain data, so that it can be cut down.
struct FunctionProgram {
    enum class Layout : uint8_t { contiguous, strided, repeated, channels_last, offset };
    struct Argument {
        testing::Input input;  ///< The row's, perhaps with other sizes.
        int call = -1;  ///< An output of this call; -1: an array of the argument's own, a leaf.
        int output = 0;
        bool as_it_is =
            false;  ///< A value that is not brought into the range: the function takes any.
        Layout layout = Layout::contiguous;  ///< Of a leaf.
    };
    struct Call {
        const testing::Row* row = nullptr;
        testing::Settings set;
        Dtype run{};
        std::vector<Argument> arguments;
        uint64_t seed = 0;  ///< Of its leaves.
    };
    uint64_t seed = 0;
    Dtype dtype{};  ///< Of float calls, where the function takes it.
    bool specials =
        false;  ///< NaN, infinities, denormals and the like among the elements of leaves.
    std::vector<Call> calls;

    Dtype precision() const;  ///< The coarsest type of a float call.
    bool is_random() const;   ///< Some call draws random numbers.
};

/// Program number `seed`: successive programs draw their functions from one shuffled deck of all
/// functions after another, so that any few programs in a row have every function.
FunctionProgram random_function_program(uint64_t seed, int calls);
/// Another size somewhere; the program itself when none was found that its calls take.
FunctionProgram resized(const FunctionProgram& program, uint64_t seed);
/// Without the calls that call `root` does not need.
FunctionProgram calls_below(const FunctionProgram& program, int root);

using Values = std::vector<Variable>;

/// The arrays of all leaves, in the order of calls and arguments. In float64, if asked, after
/// rounding to their own type.
Values leaves_of(const FunctionProgram& program, bool in_float64 = false);
/// The outputs of all calls.
std::vector<Values> evaluate(const FunctionProgram& program, const Values& leaves,
                             bool in_float64 = false);
/// One more call on what there is; `leaves` are its own.
Values evaluate(const FunctionProgram::Call& call, const std::vector<Values>& outputs,
                const Values& leaves, bool in_float64 = false);
Values leaves_of(const FunctionProgram& program, const FunctionProgram::Call& call);
/// The values that no call uses, of `outputs`, as (call, output).
std::vector<std::pair<int, int>> results_of(const FunctionProgram& program,
                                            const std::vector<Values>& outputs);

/// A value with the same elements, as far as they reach, in this shape; undefined when there are
/// none to fill it.
Variable in_shape(const Variable& x, const Shape& shape);

/// The program in words.
std::string to_string(const FunctionProgram& program);

}  // namespace catena::fuzz
