#include "runtime/ops/declare/work.h"

#include "runtime/ops/declare/library_role.h"

namespace catena {
namespace {

constexpr DeclarationKind<OperationsRule> operations_kind("counts_operations");

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

Declaration counts_operations(OperationsRule rule) { return operations_kind(std::move(rule)); }

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
        default: {
            const OperationsRule* const rule = operations_kind.in(call.op.declared);
            return rule ? (*rule)(call) : 0;
        }
    }
}

}  // namespace catena
