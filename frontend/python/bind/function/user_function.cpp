#include "runtime/ops/custom/user_function.h"

#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/converted.h"
#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/node/owned_objects.h"

// User functions of Python: an object of the class catena.UserFunction, which has the methods
// `_run_forward` and `_run_backward`.

namespace catena::python {
namespace {

nb::list as_list(std::span<const Variable> variables) {
    nb::list list;
    for (const Variable& each : variables) list.append(nb::steal(new_variable(each)));
    return list;
}

Variables as_variables(nb::handle list, const std::string& name, const char* what) {
    Variables variables;
    for (nb::handle each : list)
        variables.push_back(each.is_none() ? Variable()
                                           : to_variable(each.ptr(), name.c_str(), what));
    return variables;
}

SmallVector<int, 4> as_indices(nb::handle list) {
    SmallVector<int, 4> indices;
    for (nb::handle each : list)
        indices.push_back(converted<int>("a number of an array", each, "an integer"));
    return indices;
}

/// One call. It owns the Python object; the Python object knows nothing of it, so there is no
/// cycle.
class PythonUserFunction final : public UserFunction {
public:
    PythonUserFunction(nb::object object, std::string name)
        : object_(object.release().ptr()), name_(std::move(name)) {}
    ~PythonUserFunction() override { release_reference(object_); }

    std::string_view name() const override { return name_; }

    Variables forward(std::span<const Variable> xs) override {
        const nb::gil_scoped_acquire lock;
        const nb::object given = nb::handle(object_).attr("_run_forward")(as_list(xs));
        kept_inputs_ = as_indices(given[1]);
        kept_outputs_ = as_indices(given[2]);
        retain_inputs(std::span<const int>(kept_inputs_.begin(), kept_inputs_.size()));
        retain_outputs(std::span<const int>(kept_outputs_.begin(), kept_outputs_.size()));
        return as_variables(given[0], name_, "a result of forward");
    }

    Variables backward(std::span<const int> wanted, std::span<const Variable> gys) override {
        const nb::gil_scoped_acquire lock;
        nb::list indices, xs, ys;
        for (const int i : wanted) indices.append(i);
        for (const int i : kept_inputs_) xs.append(nb::steal(new_variable(retained_input(i))));
        for (const int i : kept_outputs_) ys.append(nb::steal(new_variable(retained_output(i))));
        const nb::object given =
            nb::handle(object_).attr("_run_backward")(indices, as_list(gys), xs, ys);
        return as_variables(given, name_, "a gradient of backward");
    }

    void visit(OwnedVisitor& visitor) const override { visitor.object(object_); }

private:
    PyObject* object_;
    std::string name_;
    SmallVector<int, 4> kept_inputs_, kept_outputs_;
};

nb::list call_object(nb::object object, const std::string& name, nb::args inputs) {
    const CallScope scope;
    std::vector<Variable> xs;
    for (nb::handle each : inputs) xs.push_back(to_variable(each.ptr(), name.c_str(), "an input"));
    const Ref<UserFunction> function(new PythonUserFunction(std::move(object), name));
    return as_list(call_user_function(function, xs));
}

}  // namespace

void bind_user_function(nb::module_& m) {
    m.def("_call_user_function", call_object, nb::arg("object"), nb::arg("name"),
          nb::arg("inputs"));
}

}  // namespace catena::python
