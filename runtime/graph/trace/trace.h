#pragma once

#include <string>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// A recorded program: plain data, in single-assignment form. Values are numbered in order of
/// appearance; a step's inputs have smaller numbers than its outputs.
struct Trace {
    enum class Role : uint8_t {
        argument,  ///< Passed by the caller at every call.
        state,     ///< Current content of a State (parameter, statistic, moment).
        gradient,  ///< Gradient of `state` at the start of the program.
        captured,  ///< An array from outside the program, kept alive and read at every call.
        computed,  ///< Output of a step.
    };
    struct Value {
        Type type;
        Role role = Role::computed;
        std::string name;         ///< The name of an argument or state: "x", "/l1/W"; may be empty.
        Ref<VariableBody> state;  ///< The state of Role::state and Role::gradient.
        Array captured;           ///< The array of Role::captured.
    };
    struct Step {
        const OpDef* op = nullptr;
        std::vector<int> inputs;
        std::vector<int> outputs;
        std::vector<int> scalars;  ///< Indices into Trace::scalars.
        Attributes attributes;
        SourceLoc location;
        /// The function that the user called there, see user_function(); interned.
        const char* function = "";
    };
    struct ScalarSlot {
        double value = 0;  ///< The value while recording.
        /// The cell whose number is read at every call; null for a plain number.
        Ref<Cell::Body> cell;
    };
    /// The new content of a state: at the end of the program `target` (a value of Role::state)
    /// becomes `value`.
    struct Assign {
        int target;
        int value;
    };

    std::string name;  ///< The region's name, for dumps.
    std::vector<Value> values;
    std::vector<Step> steps;
    std::vector<ScalarSlot> scalars;
    std::vector<int> inputs;  ///< The program's inputs, in call order.
    /// The values that the program returns, in order; may name inputs and repeat.
    std::vector<int> outputs;
    std::vector<Assign> assigns;  ///< The states that it assigns; at most one entry per state.

    /// Hash of the op sequence, attributes and wiring, without sizes and scalar values.
    uint64_t structure_hash() const;
    std::string to_string() const;
};

}  // namespace catena
