#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "frontend/python/bind/collector.h"
#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/dtype_caster.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/indexing.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/operators.h"
#include "frontend/python/bind/state_content.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/call/inspect.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena::python {

PyTypeObject* variable_type = nullptr;

void refuse_unmade_variable(PyObject* object) {
    const char* const name = Py_TYPE(object)->tp_name;
    throw nb::type_error(fmt::format("this {} was never made: {}.__init__() should call "
                                     "super().__init__() first",
                                     name, name)
                             .c_str());
}

PyObject* new_variable(Variable variable) {
    if (!variable.defined()) Py_RETURN_NONE;
    const nb::handle type(reinterpret_cast<PyObject*>(variable_type));
    nb::object made = nb::inst_alloc(type);
    new (nb::inst_ptr<Variable>(made)) Variable(std::move(variable));
    nb::inst_mark_ready(made);
    return made.release().ptr();
}

namespace {

/// An argument that may be an ndarray, a Variable, None, or what NumPy makes an array of.
Array array_or_none(nb::handle object, Dtype like) {
    if (object.is_none()) return {};
    if (is_variable(object.ptr())) return variable_in(object.ptr()).array();
    if (is_ndarray(object.ptr())) return array_of(object.ptr());
    return array_from(object.ptr(), like);
}

void construct(Variable* place, nb::object data, std::optional<std::string> name, nb::object grad,
               bool requires_grad) {
    Array array;
    if (is_variable(data.ptr()))
        array = variable_in(data.ptr()).array();
    else if (is_ndarray(data.ptr()))
        array = array_of(data.ptr());
    else if (!data.is_none())
        array = array_from(data.ptr(), std::nullopt);
    new (place) Variable(std::move(array), requires_grad);
    if (name) place->set_name(std::move(*name));
    if (!grad.is_none()) place->set_grad(array_or_none(grad, place->dtype()));
}

nb::object owned(PyObject* made) { return nb::steal(made); }

nb::tuple shape_tuple(const Shape& shape) {
    nb::object made = nb::steal(PyTuple_New(shape.rank()));
    for (int i = 0; i < shape.rank(); ++i)
        PyTuple_SET_ITEM(made.ptr(), i, PyLong_FromLongLong(shape[i]));
    return nb::borrow<nb::tuple>(made);
}

nb::object item_of(const Variable& x) {
    const CallScope scope;
    if (x.dtype() == Dtype::bool_) return nb::cast(x.item<bool>());
    if (is_float(x.dtype())) return nb::cast(x.item<double>());
    return nb::cast(x.item<int64_t>());
}

void run_backward(const Variable& self, bool retain_grad, bool enable_double_backprop,
                  std::optional<double> loss_scale) {
    const CallScope scope;
    self.backward({.retain_grad = retain_grad,
                   .enable_double_backprop = enable_double_backprop,
                   .loss_scale = loss_scale.value_or(1.0)});
}

void bind_graph_members(nb::class_<Variable>& type) {
    type.def_prop_rw(
            "grad", [](const Variable& x) { return owned(ndarray_of(x.grad())); },
            [](const Variable& x, nb::object grad) { x.set_grad(array_or_none(grad, x.dtype())); },
            nb::arg().none(),
            "The gradient as an ndarray of this Variable's shape and dtype; None where there is "
            "none.\n\nSetting another shape or dtype is a ShapeError or DtypeError.")
        .def_prop_rw(
            "grad_var", [](const Variable& x) { return owned(new_variable(x.grad_variable())); },
            [](const Variable& x, nb::object grad) {
                if (!grad.is_none() && !is_variable(grad.ptr()))
                    fail<DtypeError>("grad_var takes a Variable or None, not {}",
                                     Py_TYPE(grad.ptr())->tp_name);
                x.set_grad_variable(grad.is_none() ? Variable() : variable_in(grad.ptr()));
            },
            nb::arg().none(),
            "The gradient as a Variable, with its graph where backward() was asked for one; None "
            "where there is none.")
        .def_prop_ro("requires_grad", &Variable::requires_grad,
                     "Whether gradients flow to it: a leaf that asked for one, or computed from "
                     "such.")
        .def("backward", run_backward, nb::arg("retain_grad") = false,
             nb::arg("enable_double_backprop") = false, nb::arg("loss_scale") = nb::none(),
             "Adds the gradients of this Variable to the grad of the leaves it was computed "
             "from.\n\n"
             "A single element starts from loss_scale (1); any other needs `grad` first, or is an\n"
             "ArgumentError, as is a Variable that was computed from nothing that requires one.\n\n"
             "Args:\n"
             "    retain_grad: keep the gradients of all that lies between, too.\n"
             "    enable_double_backprop: record the graph of the gradients, which can then be\n"
             "        differentiated.\n"
             "    loss_scale: the gradient of the single element; None: 1.")
        .def(
            "cleargrad", [](const Variable& x) { x.cleargrad(); }, "Removes the gradient.")
        .def(
            "zerograd", [](const Variable& x) { x.set_grad(Array::zeros(x.type())); },
            "Sets the gradient to zeros.")
        .def("addgrad", &Variable::addgrad, nb::arg("var"),
             "Adds the gradient of another Variable of the same shape and dtype, if it has one.")
        .def("unchain", &Variable::unchain,
             "Removes the operation that made it: it becomes a leaf, also for earlier uses.")
        .def("unchain_backward", &Variable::unchain_backward,
             "Removes all operations behind it (truncated backpropagation).")
        .def(
            "detach", [](const Variable& x) { return owned(new_variable(x.detach())); },
            "The same elements, over the same memory, without the graph behind them.");
}

void bind_array_members(nb::class_<Variable>& type) {
    const auto array = [](const Variable& x) { return owned(ndarray_of(x.array())); };
    const auto set_array = [](const Variable& x, nb::object content) {
        const bool is_shared = x.body()->is_state && is_variable(content.ptr());
        x.set_array(is_shared ? content_for_state(variable_in(content.ptr()))
                              : array_or_none(content, x.dtype()));
    };
    type.def_prop_rw(
            "array", array, set_array, nb::arg().none(),
            "The elements as an ndarray over the same memory: a write into it changes the "
            "Variable.\n\nIn a static region this reads the elements, and cuts the region. "
            "None where there are\nno elements yet.")
        .def_prop_rw("data", array, set_array, nb::arg().none(), "As array.")
        .def("numpy", array, "As array.")
        .def("item", item_of,
             "The only element, as a Python number; ShapeError where there is not exactly one.")
        .def_prop_ro(
            "shape", [](const Variable& x) { return shape_tuple(x.shape()); },
            "Its sizes, a tuple.")
        .def_prop_ro(
            "ndim", [](const Variable& x) { return x.rank(); }, "How many axes it has.")
        .def_prop_ro(
            "size", [](const Variable& x) { return x.size(); }, "How many elements it has.")
        .def_prop_ro(
            "nbytes", [](const Variable& x) { return x.size() * int64_t(size_of(x.dtype())); },
            "Bytes of its elements.")
        .def_prop_ro(
            "dtype", [](const Variable& x) { return owned(numpy_dtype(x.dtype())); },
            "NumPy's dtype of its elements.")
        .def_prop_ro(
            "device", [](const Variable& x) { return x.device().name(); },
            "Where its elements are: \"cpu\", \"cuda:0\".")
        .def_prop_rw(
            "name",
            [](const Variable& x) -> std::optional<std::string> {
                return x.name().empty() ? std::nullopt : std::optional(x.name());
            },
            [](const Variable& x, std::optional<std::string> name) {
                x.set_name(name.value_or(""));
            },
            nb::arg().none(), "What messages and graphs call it; None: nothing.")
        .def(
            "astype",
            [](const Variable& x, Dtype dtype) {
                const CallScope scope;
                return owned(new_variable(cast(x, dtype)));
            },
            nb::arg("dtype"), "The elements in another dtype; gradients come back in this one.")
        .def(
            "to",
            [](const Variable& x, const std::string& device) {
                const CallScope scope;
                return owned(new_variable(x.to(get_device(device))));
            },
            nb::arg("device"),
            "On another device, \"cpu\" or \"cuda:0\"; gradients come back. DeviceError where "
            "there is "
            "no such device.");
}

}  // namespace

void bind_variable(nb::module_& m) {
    std::vector<PyType_Slot> slots = operator_slots();
    for (const PyType_Slot& slot : indexing_slots()) slots.push_back(slot);
    for (const PyType_Slot& slot : collector_slots()) slots.push_back(slot);
    slots.push_back({0, nullptr});
    nb::class_<Variable> type(
        m, "Variable", nb::type_slots(slots.data()), nb::is_weak_referenceable(), nb::pooled(),
        "An array that knows how it was computed.\n\n"
        "Variable(data, name=None, grad=None, requires_grad=True) is made from "
        "an ndarray, whose\nmemory it shares, or from a number or lists; None makes one "
        "without elements. It has those\nmethods and operators of an "
        "ndarray that are functions of catena.");
    variable_type = reinterpret_cast<PyTypeObject*>(type.ptr());
    type.def("__init__", construct, nb::arg("data") = nb::none(), nb::kw_only(),
             nb::arg("name") = nb::none(), nb::arg("grad") = nb::none(),
             nb::arg("requires_grad") = true);
    bind_array_members(type);
    bind_graph_members(type);
}

}  // namespace catena::python
