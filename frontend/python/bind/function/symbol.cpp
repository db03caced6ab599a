#include "frontend/python/bind/function/symbol.h"

#include <cmath>
#include <vector>

#include "frontend/python/bind/convert/literal.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/op.h"

// Values of a formula under construction, as Python's operators and the functions of the registry
// take them.

namespace catena::python {
namespace {

PyTypeObject* symbol_type = nullptr;

const PythonSymbol& symbol_of(PyObject* object) {
    if (!nb::inst_ready(nb::handle(object)))
        throw nb::type_error("a symbol that no formula has made");
    return *nb::inst_ptr<PythonSymbol>(nb::handle(object));
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

bool is_operand(nb::handle object) {
    return is_symbol(object.ptr()) || to_scalar(object.ptr()).has_value();
}

/// The method __name__ of two operands, and __rname__ with them exchanged.
template <class F>
void binary_operator(nb::class_<PythonSymbol>& type, const char* name, const char* reflected, F f) {
    type.def(name, [=](const PythonSymbol& a, nb::object b) -> nb::object {
        if (!is_operand(b)) return not_implemented();
        return nb::cast(a.with(f(a.symbol(), symbol_in(a.formula, b.ptr(), name))));
    });
    if (reflected)
        type.def(reflected, [=](const PythonSymbol& b, nb::object a) -> nb::object {
            if (!is_operand(a)) return not_implemented();
            return nb::cast(b.with(f(symbol_in(b.formula, a.ptr(), name), b.symbol())));
        });
}

template <class F>
void unary_operator(nb::class_<PythonSymbol>& type, const char* name, F f) {
    type.def(name, [=](const PythonSymbol& a) { return a.with(f(a.symbol())); });
}

void bind_operators(nb::class_<PythonSymbol>& type) {
    binary_operator(type, "__add__", "__radd__", [](Symbol a, Symbol b) { return a + b; });
    binary_operator(type, "__sub__", "__rsub__", [](Symbol a, Symbol b) { return a - b; });
    binary_operator(type, "__mul__", "__rmul__", [](Symbol a, Symbol b) { return a * b; });
    binary_operator(type, "__truediv__", "__rtruediv__", [](Symbol a, Symbol b) { return a / b; });
    binary_operator(type, "__floordiv__", "__rfloordiv__",
                    [](Symbol a, Symbol b) { return floor(a / b); });
    binary_operator(type, "__mod__", "__rmod__",
                    [](Symbol a, Symbol b) { return a - floor(a / b) * b; });
    binary_operator(type, "__pow__", "__rpow__", [](Symbol a, Symbol b) { return pow(a, b); });
    binary_operator(type, "__lt__", nullptr, [](Symbol a, Symbol b) { return a < b; });
    binary_operator(type, "__le__", nullptr, [](Symbol a, Symbol b) { return a <= b; });
    binary_operator(type, "__gt__", nullptr, [](Symbol a, Symbol b) { return a > b; });
    binary_operator(type, "__ge__", nullptr, [](Symbol a, Symbol b) { return a >= b; });
    binary_operator(type, "__eq__", nullptr, [](Symbol a, Symbol b) { return a == b; });
    binary_operator(type, "__ne__", nullptr, [](Symbol a, Symbol b) { return a != b; });
    binary_operator(type, "__and__", "__rand__", [](Symbol a, Symbol b) { return a && b; });
    binary_operator(type, "__or__", "__ror__", [](Symbol a, Symbol b) { return a || b; });
    unary_operator(type, "__neg__", [](Symbol a) { return -a; });
    unary_operator(type, "__pos__", [](Symbol a) { return a; });
    unary_operator(type, "__abs__", [](Symbol a) { return absolute(a); });
    unary_operator(type, "__invert__", [](Symbol a) { return !a; });
}

[[noreturn]] void refuse_number(const char* what) {
    throw nb::type_error(
        fmt::format("{} of a symbol is not known while a formula is written: write "
                    "ct.where(condition, a, b) instead of `if`, and functions of catena",
                    what)
            .c_str());
}

/// What the parameters of a function are in its formula.
struct FormulaArguments {
    const OpDef& op;
    Formula& formula;
    std::vector<Symbol> inputs, scalars;

    Symbol leaf(const Formula::Node& node) const {
        switch (node.leaf) {
            case Formula::Leaf::input:
                return inputs[size_t(node.args[0])];
            case Formula::Leaf::scalar:
                return scalars[size_t(node.args[0])];
            default:
                return literal(&formula, node.literal);
        }
    }
};

/// The formula of an op, node by node, over other symbols.
Symbol inlined(const FormulaArguments& arguments) {
    std::vector<Symbol> made;
    for (const Formula::Node& node : arguments.op.formula.nodes) {
        const auto argument = [&](int i) { return made[size_t(node.args[size_t(i)])]; };
        if (node.leaf != Formula::Leaf::none)
            made.push_back(arguments.leaf(node));
        else if (info_of(node.op).arity == 1)
            made.push_back(emit(node.op, argument(0)));
        else if (info_of(node.op).arity == 2)
            made.push_back(emit(node.op, argument(0), argument(1)));
        else
            made.push_back(emit(node.op, argument(0), argument(1), argument(2)));
    }
    return made[size_t(arguments.op.formula.outputs[0])];
}

/// The op that the function calls with its arguments as they are; null if it does more.
const OpDef* formula_op(const FunctionDef& def) {
    const OpDef* const op = find_op(def.name);
    if (!op || op->kind != Kind::map || op->output_count != 1 || op->formula.outputs.empty() ||
        size_t(op->input_count) != def.array_count)
        return nullptr;
    for (const std::string& scalar : op->scalar_names)
        if (!def.find(scalar)) return nullptr;
    return op;
}

/// A number of the call, or its default.
Symbol scalar_argument(const FunctionDef& def, const std::string& name,
                       const std::shared_ptr<Formula>& formula, PyObject* const* given) {
    const FunctionParameter* const parameter = def.find(name);
    PyObject* const object = given[parameter - def.parameters.data()];
    const std::string where = def.name + "(" + name + ")";
    if (object) return symbol_in(formula, object, where.c_str());
    return symbol_in(formula, from_literal(*parameter->fallback).ptr(), where.c_str());
}

}  // namespace

bool is_symbol(PyObject* object) { return symbol_type && Py_TYPE(object) == symbol_type; }

bool has_symbol(PyObject* const* arguments, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (Py_TYPE(arguments[i]) == symbol_type) return true;
    return false;
}

Symbol symbol_in(const std::shared_ptr<Formula>& formula, PyObject* object, const char* where) {
    if (is_symbol(object)) {
        const PythonSymbol& symbol = symbol_of(object);
        if (symbol.formula != formula)
            fail<ValueError>("{}: a symbol of another formula: it ended with its function", where);
        return symbol.symbol();
    }
    if (const auto number = to_scalar(object)) return literal(formula.get(), number->value());
    fail<DtypeError>("{}: a formula takes symbols and numbers, not {}", where,
                     Py_TYPE(object)->tp_name);
}

PyObject* call_on_symbols(const FunctionDef& def, PyObject* const* given) {
    std::shared_ptr<Formula> formula;
    for (size_t i = 0; i < def.parameters.size(); ++i)
        if (given[i] && is_symbol(given[i])) formula = symbol_of(given[i]).formula;
    const OpDef* const op = formula_op(def);
    if (!op || !formula)
        fail<DtypeError>(
            "{}() has no formula for single elements: a formula is written with operators and "
            "elementwise functions",
            def.name);
    FormulaArguments arguments{*op, *formula, {}, {}};
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        if (def.parameters[i].is_value()) continue;
        const std::string where = def.name + "(" + def.parameters[i].name + ")";
        if (!given[i]) fail<DtypeError>("{} misses an argument", where);
        arguments.inputs.push_back(symbol_in(formula, given[i], where.c_str()));
    }
    for (const std::string& name : op->scalar_names)
        arguments.scalars.push_back(scalar_argument(def, name, formula, given));
    return nb::cast(PythonSymbol{formula, inlined(arguments).id()}).release().ptr();
}

void bind_symbol(nb::module_& m) {
    nb::class_<PythonSymbol> type(m, "Symbol",
                                  "A value of one element in the formula of catena.elementwise().");
    symbol_type = reinterpret_cast<PyTypeObject*>(type.ptr());
    bind_operators(type);
    type.attr("__array_ufunc__") = nb::none();  // NumPy's numbers leave the operation to us.
    type.def("__bool__", [](const PythonSymbol&) -> bool { refuse_number("the truth"); })
        .def("__float__", [](const PythonSymbol&) -> double { refuse_number("the number"); })
        .def("__repr__", [](const PythonSymbol& self) {
            Formula shown = *self.formula;
            shown.outputs = {self.id};
            return nb::str(("<symbol " + shown.to_string() + ">").c_str());
        });
}

}  // namespace catena::python
