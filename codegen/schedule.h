#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/kernel.h"
#include "runtime/core/array.h"
#include "runtime/core/error.h"
#include "runtime/executable.h"
#include "runtime/ops/op.h"

namespace catena::codegen {

/// A block of memory during one call.
struct Buffer {
    enum class Place : uint8_t { input, output, arena } place = Place::arena;
    int index = 0;       ///< Of the input or output.
    size_t bytes = 0;
    size_t offset = 0;   ///< In the arena.
    int over = -1;       ///< Arena: the buffer whose memory it takes, read for the last time by the kernel that writes this.
    int donor = -1;      ///< Output: the input whose memory it takes over when that was donated.
    int first = -1, last = -1;  ///< Launches that write it first and use it last.
};

/// A look at a buffer.
struct View {
    int buffer = -1;
    int64_t offset = 0;  ///< In elements.
    Type type;
    Strides strides;
    bool contiguous() const;
};

/// A compiled kernel with everything bound but addresses and scalars.
struct KernelLaunch {
    struct Operand {
        int buffer = -1;
        int64_t byte_offset = 0;
    };
    KernelProgram program;
    KernelOptions options;
    std::string key;
    KernelFunction function = nullptr;
    std::shared_ptr<void> code;     ///< Keeps the function there.
    std::vector<Operand> operands;  ///< Inputs, then outputs.
    std::vector<int> scalars;       ///< Indices into the program's scalars.
    std::vector<int64_t> numbers;
    int64_t units = 0;
    double unit_nanoseconds = 0;
    int64_t row_scratch_bytes = 0;  ///< Of each thread.
};

/// A call of an op's own kernel.
struct LibraryCall {
    const OpDef* op = nullptr;
    std::vector<View> inputs, outputs;
    Attributes attributes;
    std::vector<int> scalars;
    SourceLoc location;
};

/// What runs at once: one library call, or kernels that do not depend on each other.
struct Launch {
    int library_call = -1;
    std::vector<int> kernels;
};

/// Where one output of the program comes from.
struct Result {
    int input = -1;  ///< It is an input, unchanged.
    View view;       ///< Otherwise: a contiguous look at a whole buffer of Place::output.
};

/// A program as it will run, without MLIR in it.
struct Schedule {
    std::vector<Buffer> buffers;
    std::vector<KernelLaunch> kernels;
    std::vector<LibraryCall> library_calls;
    std::vector<Launch> launches;
    std::vector<Result> results;
    std::vector<Type> input_types;
    size_t arena_bytes = 0;
    ExecutableInfo info;
};

/// Orders kernels and calls (which stand in program order) into launches; kernels whose results nobody waits for run
/// last, together.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order);

/// Gives every arena buffer an offset; those that live at the same time do not overlap. Outputs of kernels take the memory
/// of inputs that nobody reads afterwards where the kernel allows it.
void plan_memory(Schedule& schedule);

/// Lets the new content of a state take over the memory of the old where nobody reads the old any more.
void plan_donations(Schedule& schedule, const std::vector<std::pair<int, int>>& output_and_state);

/// About what the schedule itself takes, without machine code.
size_t bytes_of(const Schedule& schedule);

/// Launches in order with what they read and write, and where each buffer is.
std::string to_string(const Schedule& schedule);

}  // namespace catena::codegen
