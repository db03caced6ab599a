#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array.h"
#include "runtime/core/error.h"
#include "runtime/executable.h"
#include "runtime/ops/op.h"
#include "runtime/program/kernel_program.h"

namespace catena::program {

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

/// How code for a device is launched, see device_form.h. Blocks share out groups: results, or steps of a map.
struct DeviceForm {
    int threads = 0;          ///< Of a block; 0: the code is for the host.
    int reduce_threads = 1;   ///< That share one result.
    int vector = 1;           ///< Elements of the innermost dimension in one step.
    bool wide_index = false;  ///< Indices have 64 bits, else 32.
    /// The program's scalars that the kernel reads stand behind its other numbers; else its code has their address.
    bool scalars_by_value = false;
};

/// A compiled kernel with everything bound but addresses and scalars.
struct KernelLaunch {
    struct Operand {
        int buffer = -1;
        int64_t byte_offset = 0;
    };
    KernelProgram program;
    KernelOptions options;
    std::string key;     ///< Of the code, while the process that made it runs,
    std::string symbol;  ///< and its name in a library, see symbol_at, or on a device.
    DeviceForm device;   ///< How it is launched there.
    KernelFunction function = nullptr;
    std::shared_ptr<void> code;     ///< Keeps the function there.
    std::vector<Operand> operands;  ///< Inputs, then outputs.
    std::vector<int> scalars;       ///< Indices into the program's scalars.
    struct StrideRead {
        int operand = 0, dim = 0;
    };
    std::vector<StrideRead> strides_read;  ///< By the code, in its order; others it knows.
    double element_nanoseconds = 0;        ///< Rough time for one index of the domain.
    int row_scratch_rows = 0;              ///< Rows of values that a thread keeps between stages.

    // What follows from the sizes, see size_kernel.
    std::vector<int64_t> numbers;
    int64_t units = 0;
    double unit_nanoseconds = 0;
    int64_t row_scratch_bytes = 0;  ///< Of each thread.
};

/// What computes a call on a device where no library of the device's does: the op's element texts as kernels.
struct ElementLaunches {
    struct Pass {
        std::string symbol;
        int64_t count = 0;
        std::vector<int64_t> numbers;  ///< Those of ElementPass.
    };
    int threads = 256;    ///< Of a block.
    int64_t scratch = 0;  ///< Words of 8 bytes that the passes share.
    std::vector<Pass> passes;
};

/// A call of an op's own kernel.
struct LibraryCall {
    const OpDef* op = nullptr;
    std::vector<View> inputs, outputs;
    Attributes attributes;
    std::vector<int> scalars;
    SourceLoc location;
    std::optional<ElementLaunches> elements;  ///< On devices.
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

/// A program as it will run.
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

/// The name of a kernel's code for a kind of processors.
inline std::string symbol_at(const std::string& symbol, const std::string& level) { return symbol + "_" + level; }

/// What code for the host takes for granted of a kernel, beside its sizes, as a short hash: rank, operands with their types,
/// which strides it reads and which are 0 or 1, numbers, scratch. It is the end of the symbol in a file.
std::string code_form(const KernelLaunch& kernel);

/// Inputs, then outputs.
const KernelOperand& operand_of(const KernelProgram& program, int o);

/// The strides that code for `program` reads at run time; it was made for the others being 0 or 1.
std::vector<KernelLaunch::StrideRead> strides_read(const KernelProgram& program);

/// ValueError unless these, one program at several sizes, take the same kernels: code is made for one of them.
void check_same_kernels(std::span<const Schedule> runs);

/// Sets what follows from the sizes in the kernel's program.
void size_kernel(KernelLaunch& kernel);

/// Gives every arena buffer an offset, those over each other the same; buffers that live at the same time do not overlap.
void place_buffers(Schedule& schedule);

}  // namespace catena::program
