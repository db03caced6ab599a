#pragma once

#include <mutex>

#include <nlohmann/json.hpp>

#include "runtime/program/file/package.h"
#include "runtime/program/file/program_port.h"
#include "runtime/program/run/code_library.h"
#include "runtime/program/run/scheduled_executable.h"

namespace catena::program {

using Json = nlohmann::json;

/// The content of a package, read and checked.
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
    struct DeviceCode {
        std::string architecture, entry;
        std::vector<std::string> kernels;
    };
    struct OpenSize {
        std::string name;
        int input = 0, axis = 0;
    };

    explicit Contents(const std::string& path);

    bool is_for_host() const { return schedule.is_object(); }
    bool is_for_devices() const { return device_schedule.is_object(); }
    /// The schedule at these sizes, without code. FileError when it is invalid at these sizes, or
    /// not for the host.
    Schedule schedule_at(std::span<const int64_t> sizes) const;
    Schedule device_schedule_at(std::span<const int64_t> sizes) const;
    std::vector<double> numbers_at(std::span<const int64_t> sizes) const;
    Type type_at(const Json& port, std::span<const int64_t> sizes) const;
    /// The open sizes of these arguments, after checking the arguments.
    std::vector<int64_t> sizes_of(std::span<const Array> arguments, const Device& device) const;
    /// Results of a schedule: assigned states come last.
    size_t result_count() const { return result_count_; }

    std::string path, name;
    Json manifest, schedule, device_schedule;  ///< A missing schedule is null.
    Package package;
    std::vector<ProgramPort> inputs, outputs;
    std::vector<OpenSize> open_sizes;
    std::vector<Code> codes;
    std::vector<DeviceCode> device_codes;
    std::vector<State> states;
    std::vector<Array> constants;
    std::vector<Value> sources;  ///< Where the schedule's inputs come from.
    std::vector<Value> results;  ///< Where the program's outputs come from.
    std::vector<int> assigned;   ///< The states assigned from the schedule's last results.

private:
    Json schedule_entry(const std::string& entry) const;
    Schedule sized(const Json& document, std::span<const int64_t> sizes) const;

    size_t result_count_ = 0;
};

}  // namespace catena::program
