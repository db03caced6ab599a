#pragma once

#include <optional>
#include <vector>

#include "codegen/kernel/instruction.h"
#include "codegen/kernel/register.h"
#include "runtime/graph/op/op.h"
#include "runtime/program/schedule/kernel_geometry.h"

namespace catena::codegen {

// Geometries and schedules are declared in the runtime.
using namespace program;

/// One scalar value at every index of a kernel's domain.
struct KernelValue {
    enum class Kind : uint8_t {
        load,         ///< Element of input `operand`, converted to `type`.
        scalar,       ///< Run-time number `operand`, converted to `type`.
        constant,     ///< `number`, or `integer` for i64 and truth.
        instruction,  ///< `instruction` of the args.
        convert,      ///< args[0] in another register type.
        round,        ///< args[0] as if it had been stored as `dtype` and loaded again.
        reduction,    ///< args[0] combined over the reduced dimensions, or over the others
                      ///< (`columns`).
    };
    Kind kind = Kind::load;
    Register type = Register::f32;
    int operand = -1;
    double number = 0;
    int64_t integer = 0;
    Dtype dtype{};
    Combine combine{};
    /// For a reduction: whether it combines the dimensions that are not reduced. Only before
    /// planning, which turns it into accumulated outputs.
    bool columns = false;
    std::vector<int> args;
    Instruction instruction{};
    /// The predicate of a comparison, numbered as in MLIR's arith dialect; else -1.
    int predicate = -1;
    friend bool operator==(const KernelValue&, const KernelValue&) = default;
};

/// The value that is stored in an output.
struct KernelStore {
    int value = -1;
    /// The operation that combines all rows of a unit in memory, see KernelGeometry::serial; none:
    /// a plain store.
    std::optional<Combine> accumulate = {};
};

/// A kernel while it is compiled: its geometry, the values at every index of the domain, which come
/// before their uses, and those that are stored.
struct Kernel : KernelGeometry {
    std::vector<KernelValue> values;
    std::vector<KernelStore> stores;  ///< The stored values, one for each output.

    /// Adds a value unless an equal one exists.
    int add(KernelValue value);
    /// Adds the load of an input.
    int load(int input, Register type);
    void add_output(int value, KernelOperand to, std::optional<Combine> accumulate = {});
    const KernelValue& stored(int output) const {
        return values[size_t(stores[size_t(output)].value)];
    }
};

/// Makes a reduction that element itself where it reduces a single one.
void become_element(KernelValue& reduction);

/// The kernel that stores its only input into its only output.
Kernel copying_kernel(KernelGeometry geometry);

}  // namespace catena::codegen
