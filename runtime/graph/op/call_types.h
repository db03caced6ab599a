#pragma once

#include "runtime/core/system/assertion.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// The types of a call's outputs by the op's type rule; for a map without one, its inputs'
/// broadcast type.
Types call_types(const TypeCall& call);
Types call_types(const OpCall& call);

/// The types of a call's outputs, for a call that comes from a file or from C, not from one of
/// Catena's functions. Checks also what these functions would have ensured: every axis is one of
/// the array, counted from the first and named once. ShapeError or ValueError naming the op.
Types foreign_call_types(const TypeCall& call);

/// The call's attributes with negative axes (-1: the last) replaced by axes counted from the first,
/// as type rules and kernels read them. ShapeError for an axis that does not exist.
Attributes axes_from_first(const TypeCall& call);

/// Returns f() for a call from a file or from C. A failed assertion or a missing attribute is then
/// the caller's mistake, not Catena's, so it becomes a ValueError naming the op.
template <class F>
auto blaming_caller(const OpDef& op, F&& f) {
    try {
        return f();
    } catch (const AssertionFailed& error) {
        fail<ValueError>("{}: its inputs and attributes do not fit: it needs that {}", op.name,
                         error.note);
    } catch (const InternalError& error) {
        fail<ValueError>("{}: {}", op.name, error.what());
    }
}

}  // namespace catena
