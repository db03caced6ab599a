#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/core/shape.h"
#include "runtime/graph/op.h"

namespace catena::program {

/// The register type of an element between load and store.
enum class Register : uint8_t { truth, i64, f32, f64 };
const char* name_of(Register r);
/// The register type of a loaded element: bool to truth, integers to i64, 16-bit floats to f32.
Register natural_register(Dtype dtype);

/// One scalar value at every index of a kernel's domain.
struct KernelValue {
    enum class Kind : uint8_t {
        load,         ///< Element of input `operand`, converted to `type`.
        scalar,       ///< Run-time number `operand`, converted to `type`.
        constant,     ///< `number`, or `integer` for i64 and truth.
        instruction,  ///< An arith or math operation, `name` with attributes.
        convert,      ///< args[0] in another register type.
        round,        ///< args[0] as if it had been stored as `dtype` and loaded again.
        reduction,    ///< args[0] combined over the reduced dimensions, or over the others (`columns`).
    };
    Kind kind = Kind::load;
    Register type = Register::f32;
    int operand = -1;
    double number = 0;
    int64_t integer = 0;
    Dtype dtype{};
    Combine combine{};
    bool columns = false;  ///< Only before planning, which turns it into accumulated outputs.
    std::vector<int> args;
    std::string name;            ///< "arith.addf"
    std::string attribute_text;  ///< Its attributes as MLIR prints them, "{predicate = 2 : i64}"; or empty.
    friend bool operator==(const KernelValue&, const KernelValue&) = default;
};

/// An operand in memory. Strides are in elements over the domain, 0 where it is broadcast.
struct KernelOperand {
    Dtype dtype{};
    Strides strides;
};

/// A group as plain data: the values at every index of a domain, some of whose dimensions are reduced. Values
/// come before their uses.
struct KernelProgram {
    struct Output {
        int value = -1;
        KernelOperand to;
        std::optional<Combine> accumulate = {};  ///< All rows of a unit combined in memory, see `serial`.
    };
    Shape domain;
    uint32_t reduced = 0;  ///< Bit d: dimension d is reduced.
    std::vector<KernelValue> values;
    std::vector<KernelOperand> inputs;
    std::vector<Output> outputs;
    int scalar_count = 0;
    /// Dimension 0 numbers blocks of the reduced dimension `split` (its size here is the block's, the
    /// last block may be shorter); -1 when nothing is split.
    int split = -1;
    int64_t split_size = 0;  ///< Full size of the dimension that was split.
    /// Kept dimensions 1 to `serial` are loops inside a unit; dimension 0 numbers the units.
    int serial = 0;

    bool is_reduced(int dim) const { return reduced >> dim & 1; }
    bool is_serial(int dim) const { return dim >= 1 && dim <= serial; }
    /// Adds a value unless an equal one exists.
    int add(KernelValue value);
};

/// The arguments of a kernel: addresses of inputs then outputs, the user's run-time numbers, sizes and strides
/// in the order of size_kernel().
struct KernelArguments {
    void* const* pointers = nullptr;
    const double* scalars = nullptr;
    const int64_t* numbers = nullptr;
    void* row_scratch = nullptr;  ///< `row_scratch_bytes`, the thread's own.
};
/// Runs units [begin, end) of the parallel range; see `unit_count`.
using KernelFunction = void (*)(const KernelArguments*, int64_t begin, int64_t end);

/// Choices of code generation that are part of a kernel's identity.
struct KernelOptions {
    bool fast_math = false;
    bool streaming = false;  ///< Non-temporal stores.
    bool row_scratch = false;  ///< Keeps values of a row between its stages, see RowScratch.
};

/// The mapping of a collapsed program to vectors and units of parallel work.
struct KernelShape {
    bool lanes_reduced = false;  ///< The innermost dimension, that of the vector lanes, is reduced.
    int64_t block = 1;           ///< Elements of the innermost dimension per unit when it is not reduced.
    int64_t blocks = 1;          ///< Units along the innermost dimension.
    int64_t units = 1;
};
KernelShape shape_of(const KernelProgram& program);

/// What the code assumes of a stride.
enum class StrideClass : uint8_t { zero, one, general };
StrideClass stride_class(const KernelProgram& program, const KernelOperand& operand, int dim);

/// Bytes from one value's row to the next in a kernel's row scratch: elements of up to 8 bytes, whole vectors.
int64_t row_scratch_stride(const KernelProgram& program);

}  // namespace catena::program
