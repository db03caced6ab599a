#include <nanobind/stl/string.h>

#include <memory>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/node/owned_objects.h"
#include "runtime/ops/custom/forget_objects.h"

namespace catena::python {
namespace {

/// `function`, a callable of Variables, called with Variables; a list of Variables.
Variables called(PyObject* function, std::span<const Variable> xs) {
    const nb::gil_scoped_acquire lock;
    nb::list given;
    for (const Variable& x : xs) given.append(nb::steal(new_variable(x)));
    Variables ys;
    const nb::object results = nb::handle(function)(*given);
    for (nb::handle result : results) ys.push_back(variable_in(result.ptr()));
    return ys;
}

nb::list forget_in_python(nb::object function, nb::args inputs) {
    const CallScope scope;
    std::vector<Variable> xs;
    for (nb::handle each : inputs) xs.push_back(to_variable(each.ptr(), "ct.forget", "an input"));
    const std::shared_ptr<PyObject> held(function.release().ptr(), release_reference);
    const Variables ys = forget_with_objects(
        [held](std::span<const Variable> given) { return called(held.get(), given); }, xs,
        [object = held.get()](OwnedVisitor& visitor) { visitor.object(object); },
        std::source_location());
    nb::list results;
    for (const Variable& y : ys) results.append(nb::steal(new_variable(y)));
    return results;
}

}  // namespace

void bind_forget(nb::module_& m) {
    m.def("_forget", forget_in_python, nb::arg("function"), nb::arg("inputs"));
}

}  // namespace catena::python
