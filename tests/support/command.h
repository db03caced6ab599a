#pragma once

#include <string>

namespace catena::testing {

/// What became of a shell command.
struct CommandResult {
    int status = 0;          ///< 0: it succeeded.
    std::string output;      ///< Of both streams.
    double cpu_seconds = 0;  ///< Processor time of it and its children.
};
CommandResult run(const std::string& command);

/// A program of this build: program("catena") + " info".
std::string program(const std::string& name);

}  // namespace catena::testing
