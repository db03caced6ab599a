#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/op.h"
#include "runtime/program/schedule/executable.h"
#include "runtime/program/schedule/kernel_geometry.h"

namespace catena::program {

/// A block of memory during one call.
struct Buffer {
    enum class Place : uint8_t { input, output, arena, part } place = Place::arena;
    int index = 0;  ///< Index of the input or output. A part: the buffer that contains it.
    size_t bytes = 0;
    size_t offset = 0;  ///< Offset in the arena, or of a part.
    /// Arena: the buffer that it overwrites in place, last read by the kernel that writes this.
    int over = -1;
    int donor = -1;             ///< Output: the input whose memory it reuses if donated.
    int first = -1, last = -1;  ///< First launch that writes it, last launch that uses it.
};

/// A view of a buffer.
struct View {
    int buffer = -1;
    int64_t offset = 0;  ///< The distance of the first element, in elements.
    Type type;
    Strides strides;
    bool contiguous() const;
};

/// Launch parameters on a device, see device_form.h. Blocks process groups: results of a reduction,
/// or vectors of a map.
struct DeviceForm {
    int threads = 0;          ///< Threads per block; 0: the code is for the host.
    int reduce_threads = 1;   ///< The number of threads for a result.
    int vector = 1;           ///< Vector width along the innermost dimension.
    bool wide_index = false;  ///< Indices have 64 bits, else 32.
    /// Whether the kernel gets the program's scalars that it reads as values, after its other
    /// numbers; if not, it gets the address of an array of them.
    bool scalars_by_value = false;
};

/// An operation of the user's program: the function that was called, and the line.
struct Operation {
    std::string function;
    SourceLoc location;
    friend bool operator==(const Operation& a, const Operation& b) {
        return a.function == b.function && a.location.line == b.location.line &&
               std::string_view(a.location.file) == b.location.file;
    }
};
/// The operation as text: "relu (model.cpp:12)".
std::string to_string(const Operation& operation);

/// What a kernel computes, or a part of: each once. Copies share the list, and programs of a loop
/// or of many sizes have thousands of them.
class OperationList {
public:
    OperationList() = default;
    OperationList(std::vector<Operation> operations)
        : list_(std::make_shared<const std::vector<Operation>>(std::move(operations))) {}
    operator const std::vector<Operation>&() const { return list(); }
    size_t size() const { return list().size(); }
    auto begin() const { return list().begin(); }
    auto end() const { return list().end(); }

private:
    const std::vector<Operation>& list() const {
        static const std::vector<Operation>& none = *new std::vector<Operation>;
        return list_ ? *list_ : none;
    }
    std::shared_ptr<const std::vector<Operation>> list_;
};

/// Where a kernel's code is on the disk: in the object file of DiskCache that has this fingerprint,
/// under this symbol.
struct KeptCode {
    std::string object, symbol;
};

/// A compiled kernel with all arguments except addresses and scalars.
struct KernelLaunch {
    struct Operand {
        int buffer = -1;
        int64_t byte_offset = 0;
    };
    KernelGeometry geometry;
    OperationList operations;
    std::vector<int> steps;  ///< Indices of the recording's steps that `operations` come from; not
                             ///< stored in files.
    std::string key;         ///< Key of the code in the process that compiled it,
    std::string symbol;      ///< and its name in a library, see symbol_at, or on a device.
    DeviceForm device;       ///< The kernel's launch parameters on a device.
    KernelFunction function = nullptr;
    std::shared_ptr<void> code;  ///< Owns the function's code.
    /// The kernel's code that is kept; null: its code is nowhere but here.
    std::shared_ptr<const KeptCode> kept;
    std::vector<Operand> operands;  ///< Inputs, then outputs.
    std::vector<int> scalars;       ///< Indices into the program's scalars.
    /// The strides the code reads, in order; others are fixed.
    std::vector<StrideRead> strides_read;
    double element_nanoseconds = 0;  ///< Estimated time per index of the domain.
    /// Rows of values that a thread keeps between stages; 0: its code keeps none.
    int row_scratch_rows = 0;

    // Derived from the sizes, see size_kernel.
    std::vector<int64_t> numbers;
    int64_t units = 0;
    double unit_nanoseconds = 0;
    int64_t row_scratch_bytes = 0;  ///< The bytes of row scratch for a thread.
};

/// The kernels of a call's element texts, for devices without a vendor library for it.
struct ElementLaunches {
    struct Pass {
        std::string symbol;
        int64_t count = 0;
        std::vector<int64_t> numbers;  ///< The numbers of ElementPass.
    };
    int threads = 256;    ///< The number of threads in a block.
    int64_t scratch = 0;  ///< Words of 8 bytes that the passes share.
    std::vector<Pass> passes;
    /// The arrays that the kernels take with their channels last. Bit i: input or output i. In
    /// files there are none.
    uint32_t inputs_last = 0, outputs_last = 0;
};

/// A call of an op's own kernel.
struct LibraryCall {
    const OpDef* op = nullptr;
    std::vector<View> inputs, outputs;
    Attributes attributes;
    std::vector<int> scalars;
    SourceLoc location;
    std::string function;    ///< What the user called there; empty: the op.
    std::vector<int> steps;  ///< The steps along the dimensions, as KernelLaunch::steps.
    std::optional<ElementLaunches> elements;  ///< The launches of a call's elements, on devices.
};

/// One step: a library call, or kernels that do not depend on each other.
struct Launch {
    int library_call = -1;
    std::vector<int> kernels;
};

/// The source of one output of the program.
struct Result {
    int input = -1;  ///< The output is this input, unchanged.
    View view;       ///< Else the output: a contiguous view of a whole buffer of Place::output.
};

/// Where a program that runs in two calls is divided (runtime/ops/declare/border.h). The first call
/// returns the first `outputs` results and the last `assigns` ones. Buffers that live across the
/// cut lie at the beginning of the arena, in `saved_bytes`.
struct Cut {
    int launch = -1;  ///< The first one of the second part; -1: the program is in one part.
    int inputs = 0, outputs = 0, assigns = 0;
    size_t saved_bytes = 0;
};

/// An executable program as plain data.
struct Schedule {
    std::vector<Buffer> buffers;
    std::vector<KernelLaunch> kernels;
    std::vector<LibraryCall> library_calls;
    std::vector<Launch> launches;
    std::vector<Result> results;
    std::vector<Type> input_types;
    size_t arena_bytes = 0;
    Cut cut;
    ExecutableInfo info;
};

/// The size from which on outputs of host kernels are written past the caches: they would be
/// evicted before they are read.
constexpr int64_t streaming_bytes = 8 << 20;

/// The symbol of a kernel's code for an instruction set.
inline std::string symbol_at(const std::string& symbol, const std::string& level) {
    return symbol + "_" + level;
}

/// A short hash of what host code assumes of a kernel, apart from sizes: rank, operands with their
/// types, which strides it reads and which are 0 or 1, numbers, scratch. The symbol in a file ends
/// with it.
std::string code_form(const KernelLaunch& kernel);

/// ValueError unless these schedules, of one program at several sizes, use the same kernels.
void check_same_kernels(std::span<const Schedule> runs);

/// Sets the members that are derived from the sizes in the kernel's geometry.
void size_kernel(KernelLaunch& kernel);

/// Approximate memory of the schedule and of what executes it, without machine code.
size_t bytes_of(const Schedule& schedule);

/// Assigns arena offsets: buffers live at the same time do not overlap, except those written in
/// place (`over`). Sets Cut::saved_bytes.
void place_buffers(Schedule& schedule);

}  // namespace catena::program
