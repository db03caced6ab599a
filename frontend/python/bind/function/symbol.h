#pragma once

#include <memory>

#include "frontend/python/bind/convert/types.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/scalar/formula.h"

namespace catena::python {

/// A Symbol that keeps its formula alive, since Python may keep it for ever.
struct PythonSymbol {
    std::shared_ptr<Formula> formula;
    int32_t id;

    Symbol symbol() const { return {formula.get(), id}; }
    PythonSymbol with(Symbol made) const { return {formula, made.id()}; }
};

bool is_symbol(PyObject* object);
/// A symbol of the formula from a symbol or a number; TypeError naming `where` for anything else,
/// and ValueError for a symbol of another formula.
Symbol symbol_in(const std::shared_ptr<Formula>& formula, PyObject* object, const char* where);

/// Whether a function of the registry was called with a symbol.
bool has_symbol(PyObject* const* arguments, size_t count);
/// The function's formula with these arguments for its inputs. `given` has one for each parameter
/// of the signature; null: none. TypeError for a function that is more than a formula of one
/// element.
PyObject* call_on_symbols(const FunctionDef& def, PyObject* const* given);

}  // namespace catena::python
