#include "runtime/ops/array/indexing/scatter_onto.h"

#include "runtime/core/system/error.h"
#include "runtime/cpu/gather_kernel.h"
#include "runtime/ops/array/indexing/gather_elements.h"
#include "runtime/ops/declare/checked_ranges.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/onto.h"

namespace catena {
namespace {

/// The array's dtype and shape are those of what scatter_add would return.
Types onto_type(const OpDef& scatter_add, const TypeCall& c) {
    const Types scattered = scatter_add.type({scatter_add, c.inputs.subspan(1), c.attributes});
    if (!(scattered[0] == c.inputs[0]))
        fail<ShapeError>("scatter_onto: a is {}, what is added to it is {}; they should be alike",
                         to_string(c.inputs[0]), to_string(scattered[0]));
    return scattered;
}

/// The ranges that scatter_add checks, one operand further.
CheckedRanges ranges(const OpDef& scatter_add, const TypeCall& c) {
    CheckedRanges found =
        checked_ranges({scatter_add, c.inputs.subspan(1), c.attributes}).value_or(CheckedRanges());
    for (CheckedRange& range : found) ++range.operand;
    return found;
}

}  // namespace

const OpDef& define_scatter_onto(const OpDef& scatter_add) {
    return register_op({
        .name = "scatter_onto",
        .kind = Kind::scatter,
        .input_count = -1,
        .type = [&scatter_add](const TypeCall& c) { return onto_type(scatter_add, c); },
        // Errors are those of what the user called.
        .kernel =
            [&scatter_add](const KernelCall& c) {
                run_scatter_onto({scatter_add, c.inputs, c.outputs, c.attributes, c.scalars});
            },
        .checks_values = true,
        .declared = {rejects_outside(
                         [&scatter_add](const TypeCall& c) { return ranges(scatter_add, c); }),
                     adds_onto(), element_plan(scatter_onto_elements)},
    });
}

}  // namespace catena
