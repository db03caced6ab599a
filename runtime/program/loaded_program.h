#pragma once

#include <mutex>

#include <nlohmann/json.hpp>

#include "runtime/program/code_library.h"
#include "runtime/program/executable.h"
#include "runtime/program/package.h"
#include "runtime/program/program.h"

namespace catena::program {

using Json = nlohmann::json;

/// What a package says, read and checked.
struct Contents {
    struct Value {
        enum Kind : uint8_t { argument, state, constant, result } kind = argument;
        int index = 0;
    };
    struct State {
        std::string name, entry;
        Array array;
    };
    struct Code {
        std::string architecture, level, library, object;  ///< The last two are names of entries.
    };
    struct OpenSize {
        std::string name;
        int input = 0, axis = 0;
    };

    explicit Contents(const std::string& path);

    /// The schedule at these sizes, without code. FileError when the package is wrong there.
    Schedule schedule_at(std::span<const int64_t> sizes) const;
    std::vector<double> numbers_at(std::span<const int64_t> sizes) const;
    Type type_at(const Json& port, std::span<const int64_t> sizes) const;
    /// Open sizes of these arguments, after checking all of them.
    std::vector<int64_t> sizes_of(std::span<const Array> arguments) const;

    std::string path, name;
    Json manifest, schedule;
    Package package;
    std::vector<Program::Port> inputs, outputs;
    std::vector<OpenSize> open_sizes;
    std::vector<Code> codes;
    std::vector<State> states;
    std::vector<Array> constants;
    std::vector<Value> sources;  ///< Of the schedule's inputs.
    std::vector<Value> results;  ///< Of the program's outputs.
    std::vector<int> assigned;   ///< States that the schedule's last results are.
};

}  // namespace catena::program
