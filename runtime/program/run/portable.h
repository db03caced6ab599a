#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/program/run/device_code.h"
#include "runtime/program/schedule/schedule.h"

namespace catena {

/// Options for compiling a program for other processes.
struct PortableOptions {
    bool fast_math = false;
    /// Outer sizes may differ from the trace's: the plan must be valid for other sizes.
    bool any_size = false;
    /// Instruction sets to generate code for; none: only the schedule. See
    /// program::known_code_levels.
    std::vector<std::string> levels;
    bool stages = false;  ///< Texts of the program's forms are wanted.
};

/// A program for other processes.
struct PortableProgram {
    struct Code {
        std::string level;
        std::string object;   ///< An object file to link.
        std::string library;  ///< A shared library to load.
    };
    program::Schedule schedule;  ///< Kernels have symbols but no functions.
    std::vector<Code> code;
    /// The stages of compilation by name: "import.mlir", ...
    std::vector<std::pair<std::string, std::string>> stages;
};

/// Options for compiling a program for devices of other processes.
struct DevicePortableOptions {
    bool fast_math = false;
    /// "sm_90" for code, "compute_90" for PTX that later devices take, "text" for the source.
    std::vector<std::string> architectures;
    /// The newest version of code for the device that it is made for, see CodeDevice; 0: code of
    /// any version.
    int newest_code = 0;
    bool stages = false;  ///< Texts of the program's forms are wanted.
};

/// A program for devices of other processes.
struct DevicePortableProgram {
    /// One for each set of sizes. Kernels have symbols and forms, the same at all sizes.
    std::vector<program::Schedule> schedules;
    std::vector<program::DeviceImage> images;
    std::vector<std::pair<std::string, std::string>> stages;
};

}  // namespace catena
