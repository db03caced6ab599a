#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/program/device_code.h"
#include "runtime/program/schedule.h"

namespace catena {

/// What a program for other processes is compiled with.
struct PortableOptions {
    bool fast_math = false;
    /// Outer sizes may differ from the trace's: nothing is planned that would hold for these sizes only.
    bool any_size = false;
    /// Kinds of processors that code is made for; none: only the schedule. See program::known_code_levels.
    std::vector<std::string> levels;
    bool stages = false;  ///< Texts of the program's forms are wanted.
};

/// A program for other processes.
struct PortableProgram {
    struct Code {
        std::string level;
        std::string object;   ///< To link.
        std::string library;  ///< To load.
    };
    program::Schedule schedule;  ///< Kernels have symbols and no functions.
    std::vector<Code> code;
    std::vector<std::pair<std::string, std::string>> stages;  ///< "import.mlir", ...
};

/// What a program for devices of other processes is compiled with.
struct DevicePortableOptions {
    bool fast_math = false;
    /// "sm_90" for code, "compute_90" for PTX that later devices take, "text" for the source.
    std::vector<std::string> architectures;
    int newest_code = 0;  ///< Of the device that it is made for, see CodeDevice; 0: code of any version.
    bool stages = false;  ///< Texts of the program's forms are wanted.
};

/// A program for devices of other processes.
struct DevicePortableProgram {
    /// One for each size that it was given at. Kernels have symbols and forms, the same at all sizes.
    std::vector<program::Schedule> schedules;
    std::vector<program::DeviceImage> images;
    std::vector<std::pair<std::string, std::string>> stages;
};

}  // namespace catena
