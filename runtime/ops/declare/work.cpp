#include "runtime/ops/declare/work.h"

#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

double count(const Type& type) { return double(element_count(type.shape)); }

/// The inner size of a matrix product whose left operand is `a`.
double inner_size(const Type& a, bool transposed) {
    const int rank = a.shape.rank();
    if (rank == 0) return 1;
    return double(a.shape[transposed && rank > 1 ? rank - 2 : rank - 1]);
}

/// The products that one result needs: the elements of a kernel [O, ...] without its first axis.
double window_size(const Type& W) { return W.shape[0] > 0 ? count(W) / double(W.shape[0]) : 0; }

}  // namespace

double product_operations(const TypeCall& call, std::span<const Type> outputs) {
    switch (library_role_of(call.op)) {
        case LibraryRole::matmul:
            return 2 * count(outputs[0]) *
                   inner_size(call.inputs[0], call.attributes.flag("transa"));
        case LibraryRole::linear:
        case LibraryRole::convolution:
            return 2 * count(outputs[0]) * window_size(call.inputs[1]);
        case LibraryRole::convolution_data:
            return 2 * count(call.inputs[0]) * window_size(call.inputs[1]);
        case LibraryRole::convolution_weights:
            return 2 * count(call.inputs[1]) * window_size(outputs[0]);
        default:
            return OpRules<double>::instance().of(call).value_or(0);
    }
}

bool set_product_operations(const OpDef& op, std::function<double(const TypeCall&)> rule) {
    return OpRules<double>::instance().add(op, std::move(rule));
}

}  // namespace catena
