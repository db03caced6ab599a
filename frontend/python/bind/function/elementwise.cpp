#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/converted.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/function/symbol.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/custom/unused_name.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/define/symbolic.h"

// catena.elementwise(): an operation from a lambda of Python, which is called with symbols once.

namespace catena::python {
namespace {

/// The operation, as Python holds it. Operations live as long as the process.
struct ElementwiseOp {
    const OpDef* op;
};

using Names = std::vector<std::string>;

nb::object symbol_for(const std::shared_ptr<Formula>& formula, Symbol symbol) {
    return nb::cast(PythonSymbol{formula, symbol.id()});
}

/// The arguments by name of a formula's numbers.
template <class F>
nb::dict named_scalars(const Names& names, F value) {
    nb::dict keywords;
    for (size_t i = 0; i < names.size(); ++i) keywords[names[i].c_str()] = value(int(i));
    return keywords;
}

/// `lambda` called with symbols for `inputs` arguments and the numbers by name.
Formula formula_of(nb::handle lambda, int inputs, const Names& scalars) {
    const auto formula = std::make_shared<Formula>();
    formula->input_count = inputs;
    formula->scalar_count = int(scalars.size());
    nb::list arguments;
    for (int i = 0; i < inputs; ++i)
        arguments.append(symbol_for(formula, detail::input_symbol(formula.get(), i)));
    const nb::dict keywords = named_scalars(scalars, [&](int i) {
        return symbol_for(formula, detail::scalar_symbol(formula.get(), i));
    });
    const nb::object result = lambda(*arguments, **keywords);
    const Symbol output = symbol_in(formula, result.ptr(), "the result");
    Formula made = *formula;
    made.outputs = {output.id()};
    return made;
}

/// Operations live as long as the process, what they hold of Python as long as the interpreter: the
/// attribute `_kept` of the module holds it, and null stands there afterwards.
std::shared_ptr<PyObject*> kept_for_ever(nb::handle object) {
    using Kept = std::shared_ptr<PyObject*>;
    const Kept kept = std::make_shared<PyObject*>(object.ptr());
    const nb::capsule holder(new Kept(kept), [](void* place) noexcept {
        const std::unique_ptr<Kept> ended(static_cast<Kept*>(place));
        Py_CLEAR(**ended);
    });
    object.inc_ref();
    nb::module_::import_("catena._catena").attr("_kept").attr("append")(holder);
    return kept;
}

/// The gradient that a lambda gives, for double backward as the same lambda on Variables, in the
/// order inputs, scalars, y, gy.
MapGradient gradient_of(nb::handle lambda, int inputs, const Names& scalars) {
    MapGradient gradient;
    gradient.formula = formula_of(lambda, inputs + 2, scalars);
    gradient.on_variables = [kept = kept_for_ever(lambda), inputs,
                             scalars](std::span<const Variable> v) {
        const nb::gil_scoped_acquire lock;
        if (!*kept) fail<ValueError>("elementwise: the interpreter has ended");
        const auto variable = [&](size_t i) {
            // What the formula does not read is not kept; its value decides nothing.
            return nb::steal(new_variable(v[i].defined() ? v[i] : v.back()));
        };
        nb::list arguments;
        for (int i = 0; i < inputs; ++i) arguments.append(variable(size_t(i)));
        for (size_t i = v.size() - 2; i < v.size(); ++i) arguments.append(variable(i));
        const nb::dict keywords =
            named_scalars(scalars, [&](int i) { return variable(size_t(inputs + i)); });
        const nb::object result = nb::handle(*kept)(*arguments, **keywords);
        if (const auto number = to_scalar(result.ptr())) return as_result(number->value(), v);
        return to_variable(result.ptr(), "elementwise", "the gradient");
    };
    return gradient;
}

ElementwiseOp define(const std::string& name, nb::object formula, nb::list gradients, int inputs,
                     const Names& scalars) {
    OpDef op;
    op.kind = Kind::map;
    op.input_count = inputs;
    op.scalar_names = scalars;
    op.formula = formula_of(formula, inputs, scalars);
    op.gives_bool = op.formula.nodes[size_t(op.formula.outputs[0])].is_bool;
    std::vector<MapGradient> derived;
    for (nb::handle each : gradients)
        derived.push_back(each.is_none() ? MapGradient() : gradient_of(each, inputs, scalars));
    op.name = unused_op_name(name);
    return {&define_elementwise(std::move(op), std::move(derived))};
}

/// The inputs as floats of one call: integers become floats, and numbers take the dtype of arrays.
Variables float_inputs(const OpDef& op, nb::handle given) {
    Variables inputs;
    std::optional<Dtype> dtype;
    for (nb::handle each : given) {
        const bool is_number = !is_variable(each.ptr()) && to_scalar(each.ptr());
        inputs.push_back(is_number
                             ? Variable()
                             : as_floats(to_variable(each.ptr(), op.name.c_str(), "an argument")));
        if (!is_number)
            dtype = dtype ? promote(*dtype, inputs.back().dtype()) : inputs.back().dtype();
    }
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].defined())
            inputs[i] = fill({dtype.value_or(config().dtype), {}},
                             to_scalar(nb::object(given[i]).ptr())->value());
    return inputs;
}

nb::object call_elementwise(const ElementwiseOp& self, nb::tuple given, nb::tuple numbers) {
    const CallScope scope;
    const Variables inputs = float_inputs(*self.op, given);
    SmallVector<const Variable*, 4> pointers;
    for (const Variable& x : inputs) pointers.push_back(&x);
    SmallVector<Scalar, 4> scalars;
    for (nb::handle each : numbers)
        scalars.push_back(converted<double>(self.op->name, each, "a number"));
    return nb::steal(new_variable(apply(*self.op, pointers, current_location(), {}, scalars)[0]));
}

}  // namespace

void bind_elementwise(nb::module_& m) {
    nb::class_<ElementwiseOp>(m, "_ElementwiseOp")
        .def("__call__", call_elementwise, nb::arg("inputs"), nb::arg("scalars"))
        .def_prop_ro("name", [](const ElementwiseOp& self) { return self.op->name; })
        .def_prop_ro("formula",
                     [](const ElementwiseOp& self) { return self.op->formula.to_string(); });
    m.attr("_kept") = nb::list();
    m.def("_define_elementwise", define, nb::arg("name"), nb::arg("formula"), nb::arg("gradients"),
          nb::arg("inputs"), nb::arg("scalars"));
}

}  // namespace catena::python
