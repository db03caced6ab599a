#pragma once

#include "runtime/core/system/assertion.h"
#include "runtime/graph/op.h"

namespace catena {

/// The types of a call's outputs: by the op's rule; of a map without one, as its inputs broadcast.
Types call_types(const TypeCall& call);
Types call_types(const OpCall& call);

/// The same of a call that none of Catena's functions has made, but a file or C: what functions see
/// to before they call an op is checked here. Every axis is one of the array, counted from the
/// first and named once. ShapeError or ValueError naming the op.
Types foreign_call_types(const TypeCall& call);

/// The attributes, with axes that are counted from the last (-1) counted from the first, as rules
/// and kernels read them. ShapeError.
Attributes axes_from_first(const TypeCall& call);

/// f() for such a call: an assertion that fails, or an attribute that is missing, is not Catena's
/// mistake but the caller's, so it becomes a ValueError naming the op.
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
