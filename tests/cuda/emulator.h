#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace catena::testing {

/// A kernel compiled for the host.
struct EmulatedKernel {
    using Entry = void (*)(const void* arguments);
    std::string name;
    Entry entry = nullptr;
    void* library = nullptr;    ///< It came from; holds the variables of emulation.h.
    bool communicates = false;  ///< Its threads wait for each other.
    size_t argument_bytes = 0;  ///< Of its only parameter.
};

/// Runs all blocks of a launch, one after another. Throws std::logic_error that names the kernel
/// when its threads break a rule of the CUDA model: a barrier that some threads of the block never
/// reach, a shuffle whose lanes do not all take part or that reads a lane outside of its mask.
void run_blocks(const EmulatedKernel& kernel, uint32_t blocks, uint32_t threads,
                const void* arguments);

}  // namespace catena::testing
