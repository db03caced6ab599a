#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/core/shape.h"
#include "runtime/ops/op.h"

namespace catena::codegen {

/// What an element is held in between load and store.
enum class Register : uint8_t { truth, i64, f32, f64 };
const char* name_of(Register r);
/// Where a loaded element of `dtype` goes: bool to truth, integers to i64, 16-bit floats to f32.
Register natural_register(Dtype dtype);

/// One scalar value at every index of a kernel's domain.
struct KernelValue {
    enum class Kind : uint8_t {
        load,         ///< Element of input `operand`, converted to `type`.
        scalar,       ///< Run-time number `operand`, converted to `type`.
        constant,     ///< `number`, or `integer` for i64 and truth.
        instruction,  ///< An arith or math operation, `name` with `attributes`.
        convert,      ///< args[0] in another register.
        round,        ///< args[0] as if it had been stored as `dtype` and loaded again.
        reduction,    ///< args[0] combined over all reduced dimensions, or over all others (`columns`).
    };
    Kind kind = Kind::load;
    Register type = Register::f32;
    int operand = -1;
    double number = 0;
    int64_t integer = 0;
    Dtype dtype{};
    Combine combine{};
    bool columns = false;  ///< Only in programs as read: plan_launches turns it into accumulated outputs.
    std::vector<int> args;
    std::string name;                  ///< "arith.addf"
    const void* attributes = nullptr;  ///< An mlir::DictionaryAttr, opaque here.
    std::string attribute_text;        ///< The same as text, for keys.
    friend bool operator==(const KernelValue&, const KernelValue&) = default;
};

/// How a kernel meets memory. Strides are in elements over the domain, 0 where the operand repeats.
struct KernelOperand {
    Dtype dtype{};
    Strides strides;
};

/// A group in plain data: what is computed at every index of a domain, some of whose dimensions are
/// reduced. Values stand before their uses.
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
    /// Dimensions 1 to `serial`, which are kept, are walked inside a unit, and dimension 0 numbers the units.
    int serial = 0;

    bool is_reduced(int dim) const { return reduced >> dim & 1; }
    bool is_serial(int dim) const { return dim >= 1 && dim <= serial; }
    /// Adds a value unless an equal one is there.
    int add(KernelValue value);
};

/// The same program with dimensions of size 1 dropped and neighbours merged wherever every operand allows. At
/// least one dimension remains.
KernelProgram collapse(const KernelProgram& program);

/// A program cut into launches that each have enough parallel work. Values that pass from one to the next
/// live in temporaries.
struct KernelPlan {
    struct Operand {
        enum class Kind : uint8_t { input, output, temporary } kind = Kind::input;
        int index = 0;
    };
    struct Launch {
        KernelProgram program;  ///< Collapsed.
        std::vector<Operand> inputs;
        std::vector<Operand> outputs;
    };
    struct Temporary {
        Dtype dtype{};
        int64_t elements = 0;
    };
    std::vector<Launch> launches;
    std::vector<Temporary> temporaries;
};
/// When a target wants a reduction cut.
struct SplitRule {
    int64_t smallest = 0;            ///< Elements of the domain below which one launch is best.
    int64_t enough_units = 0;        ///< Units of parallel work from which on nothing is cut.
    int64_t elements_per_block = 0;  ///< What one unit of a cut reduction takes, at least.
    int64_t most_blocks = 0;
    int64_t (*units)(const KernelProgram&) = nullptr;  ///< Parallel work in one launch of a collapsed program.
    /// Plans a collapsed program with reductions of columns beside work on rows.
    KernelPlan (*columns)(const KernelProgram&) = nullptr;
};
/// Large reductions with few results are split into blocks of a fixed size and a serial combination of the
/// blocks, so that they run in parallel and their result does not depend on the thread count. Reductions of columns
/// beside work on rows become accumulations in blocks of rows, and the combination of the blocks.
KernelPlan plan_launches(const KernelProgram& program, const SplitRule& rule);

}  // namespace catena::codegen
