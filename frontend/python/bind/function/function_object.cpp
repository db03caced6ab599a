#include "frontend/python/bind/function/function_object.h"

#include <structmember.h>

#include <string>

#include "frontend/descriptions/description.h"
#include "frontend/python/bind/convert/literal.h"
#include "frontend/python/bind/module.h"

namespace catena::python {
namespace {

PyTypeObject* function_type = nullptr;

const FunctionDef& def_of(PyObject* self) { return *reinterpret_cast<FunctionObject*>(self)->def; }

PyObject* text(const std::string& s) {
    return PyUnicode_FromStringAndSize(s.data(), Py_ssize_t(s.size()));
}

PyObject* name(PyObject* self, void*) { return text(def_of(self).name); }
PyObject* family(PyObject* self, void*) { return text(std::string(def_of(self).family())); }
PyObject* signature_text(PyObject* self, void*) { return text(def_of(self).signature); }

const char* parameter_kind(const FunctionParameter& parameter) {
    switch (parameter.kind) {
        case FunctionParameter::Kind::array:
            return "array";
        case FunctionParameter::Kind::arrays:
            return "arrays";
        default:
            return "value";
    }
}

/// [(name, "array" | "arrays" | "value", is_variadic, is_keyword_only, has_default, default), ...]:
/// what the Python side makes signatures and documentation of.
PyObject* parameters(PyObject* self, void*) {
    return guarded([&] {
        nb::list list;
        for (const FunctionParameter& p : def_of(self).parameters)
            list.append(nb::make_tuple(p.name.c_str(), parameter_kind(p), p.is_variadic,
                                       p.is_keyword_only, p.fallback.has_value(),
                                       p.fallback ? from_literal(*p.fallback) : nb::none()));
        return list.release().ptr();
    });
}

PyObject* gives(PyObject* self, void*) {
    switch (def_of(self).gives) {
        case FunctionDef::Gives::one:
            return PyUnicode_FromString("one");
        case FunctionDef::Gives::several:
            return PyUnicode_FromString("several");
        default:
            return PyUnicode_FromString("one or several");
    }
}

/// {"": what it does, "x": what the argument x is, ..., "returns": ...}, of what is described.
PyObject* told(PyObject* self, void*) {
    return guarded([&] {
        const FunctionDef& def = def_of(self);
        nb::dict words;
        const auto add = [&](const std::string& name) {
            const auto text = description(name.empty() ? def.name : def.name + "." + name);
            if (!text.empty()) words[name.c_str()] = nb::str(text.data(), text.size());
        };
        add("");
        for (const FunctionParameter& p : def.parameters) add(p.name);
        add("returns");
        return words.release().ptr();
    });
}

/// Signature and documentation are made by the Python side when somebody asks.
PyObject* from_python(PyObject* self, void* maker) {
    return guarded([&] {
        const nb::object describe = nb::module_::import_("catena._describe");
        return nb::object(describe.attr(static_cast<const char*>(maker))(nb::handle(self)))
            .release()
            .ptr();
    });
}

PyObject* function_representation(PyObject* self) {
    return PyUnicode_FromFormat("<catena function %s>", def_of(self).signature.c_str());
}
/// Functions are pickled by name.
PyObject* reduce_function(PyObject* self, PyObject*) { return name(self, nullptr); }
/// A function that is an attribute of a class is a method, as Python's functions are.
PyObject* bind_function(PyObject* self, PyObject* object, PyObject*) {
    if (!object || object == Py_None) return Py_NewRef(self);
    return PyMethod_New(self, object);
}
void destroy_function(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    Py_DECREF(reinterpret_cast<FunctionObject*>(self)->names);
    type->tp_free(self);
    Py_DECREF(type);
}

PyGetSetDef function_properties[] = {
    {"__name__", name, nullptr, nullptr, nullptr},
    {"__qualname__", name, nullptr, nullptr, nullptr},
    {"__doc__", from_python, nullptr, nullptr, const_cast<char*>("documentation")},
    {"__signature__", from_python, nullptr, nullptr, const_cast<char*>("signature")},
    {"family", family, nullptr, "The family it belongs to: \"activation\", \"loss\".", nullptr},
    {"signature", signature_text, nullptr, "As documented, a text.", nullptr},
    {"parameters", parameters, nullptr, "What is known of each parameter.", nullptr},
    {"descriptions", told, nullptr,
     "What its declaration says: \"\" of the function, \"x\" of the argument x, \"returns\".",
     nullptr},
    {"gives", gives, nullptr, "\"one\" Variable, \"several\", or \"one or several\".", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef function_methods[] = {{"__reduce__", reduce_function, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot function_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_getset, function_properties},
                                {Py_tp_methods, function_methods},
                                {Py_tp_members, function_members},
                                {Py_tp_repr, reinterpret_cast<void*>(function_representation)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(bind_function)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy_function)},
                                {0, nullptr}};
PyType_Spec function_spec = {"catena.Function", sizeof(FunctionObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             function_slots};

}  // namespace

PyObject* make_function_type() {
    PyObject* const type = PyType_FromSpec(&function_spec);
    if (!type) throw nb::python_error();
    function_type = reinterpret_cast<PyTypeObject*>(type);
    return type;
}

PyObject* new_function(const FunctionDef& def) {
    auto* const made = PyObject_New(FunctionObject, function_type);
    if (!made) throw nb::python_error();
    made->call = call_function_object;
    made->def = &def;
    made->names = PyTuple_New(Py_ssize_t(def.parameters.size()));
    for (size_t i = 0; i < def.parameters.size(); ++i)
        PyTuple_SET_ITEM(made->names, Py_ssize_t(i),
                         PyUnicode_InternFromString(def.parameters[i].name.c_str()));
    return reinterpret_cast<PyObject*>(made);
}

void bind_functions(nb::module_& m) {
    m.attr("Function") = nb::steal(make_function_type());
    nb::module_ functions = m.def_submodule("functions", "The functions of the registry, by name.");
    for (const FunctionDef* def : all_functions())
        functions.attr(def->name.c_str()) = nb::steal(new_function(*def));
}

}  // namespace catena::python
