#include "frontend/python/bind/region/region_object.h"

#include <structmember.h>

#include <memory>
#include <set>
#include <string>

#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/path.h"
#include "frontend/python/bind/region/region_call.h"
#include "frontend/python/bind/region/region_options.h"

namespace catena::python {
namespace {

/// A region, its function, and what functools.wraps() writes.
struct RegionObject {
    PyObject_HEAD vectorcallfunc call;
    PyObject* function;  ///< The function of the region; null after the collector's clear.
    PyObject* attributes;
    PyObject* weak_references;
    PythonRegion* region;
};

RegionObject& region_in(PyObject* self) { return *reinterpret_cast<RegionObject*>(self); }

RegionObject& alive(PyObject* self) {
    RegionObject& object = region_in(self);
    if (!object.function) fail<ValueError>("this static region was already taken apart");
    return object;
}

PyObject* call_region(PyObject* self, PyObject* const* arguments, size_t count,
                      PyObject* keywords) {
    return guarded([&] {
        const RegionObject& object = alive(self);
        // The code may drop the last reference to the region, or to its function.
        const nb::object kept = nb::borrow(self), function = nb::borrow(object.function);
        return object.region
            ->call(function.ptr(), arguments, size_t(PyVectorcall_NARGS(count)), keywords)
            .release()
            .ptr();
    });
}

/// File, function and line of a region live as long as the process.
const char* kept_text(std::string text) {
    static std::set<std::string>& texts = *new std::set<std::string>;
    return texts.insert(std::move(text)).first->c_str();
}

/// Where the function's code begins; nothing for callables without code of Python's.
SourceLoc place_of(nb::handle function) {
    const nb::object unwrap = nb::module_::import_("inspect").attr("unwrap");
    nb::object inner = unwrap(function);
    if (nb::hasattr(inner, "__func__")) inner = inner.attr("__func__");
    if (!nb::hasattr(inner, "__code__") && nb::hasattr(inner, "__call__"))
        inner = nb::getattr(inner.attr("__call__"), "__func__", inner);
    const nb::object code = nb::getattr(inner, "__code__", nb::none());
    SourceLoc at;
    if (code.is_none()) return at;
    const nb::object file = code.attr("co_filename"), name = code.attr("co_name"),
                     line = code.attr("co_firstlineno");
    at.file = kept_text(nb::cast<std::string>(file));
    at.function = kept_text(nb::cast<std::string>(name));
    at.line = nb::cast<uint32_t>(line);
    return at;
}

/// Python's StaticGraph(function, **options).
PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        if (PyTuple_GET_SIZE(arguments) != 1)
            throw nb::type_error("StaticGraph() takes one argument by position: the function");
        PyObject* const function = PyTuple_GET_ITEM(arguments, 0);
        if (!PyCallable_Check(function))
            throw nb::type_error("StaticGraph() takes a function, or an object that can be called");
        auto region = std::make_unique<PythonRegion>(region_options(keywords), place_of(function));
        nb::object made = nb::steal(type->tp_alloc(type, 0));
        if (!made.is_valid()) throw nb::python_error();
        RegionObject& object = region_in(made.ptr());
        object.call = call_region;
        object.function = Py_NewRef(function);
        object.region = region.release();
        return made.release().ptr();
    });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    const RegionObject& object = region_in(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object.function);
    Py_VISIT(object.attributes);
    return object.region ? object.region->traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
    RegionObject& object = region_in(self);
    Py_CLEAR(object.function);
    Py_CLEAR(object.attributes);
    if (object.region) object.region->drop_kept();
    return 0;
}

void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (region_in(self).weak_references) PyObject_ClearWeakRefs(self);
    clear(self);
    delete region_in(self).region;
    type->tp_free(self);
    Py_DECREF(type);
}

/// A region that is an attribute of a class is a method, as Python's functions are.
PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) {
    if (!object || object == Py_None) return Py_NewRef(self);
    return PyMethod_New(self, object);
}

PyObject* representation(PyObject* self) {
    return guarded([&] {
        PyObject* const function = region_in(self).function;
        return PyUnicode_FromFormat("<catena static graph of %R>", function ? function : Py_None);
    });
}

/// Pickled by name, as functions are, and itself in copies.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyObject* explain(PyObject* self, PyObject*) {
    return guarded([&] {
        const nb::object text = nb::cast(alive(self).region->explain());
        return nb::module_::import_("catena._jit").attr("Report")(text).release().ptr();
    });
}
PyObject* profile(PyObject* self, PyObject*) {
    return guarded([&] { return nb::cast(alive(self).region->profile()).release().ptr(); });
}
PyObject* statistics(PyObject* self, PyObject*) {
    return guarded([&] { return nb::cast(alive(self).region->statistics()).release().ptr(); });
}
PyObject* clear_programs(PyObject* self, PyObject*) {
    return guarded([&] {
        alive(self).region->clear();
        return Py_NewRef(Py_None);
    });
}

PyObject* save_html(PyObject* self, PyObject* path) {
    return guarded([&] {
        alive(self).region->save_html(path_of(path));
        return Py_NewRef(Py_None);
    });
}

PyObject* save(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return guarded([&] {
        if (PyTuple_GET_SIZE(arguments) != 1)
            throw nb::type_error("save() takes one argument by position: the path");
        const RegionObject& object = alive(self);
        const nb::object function = nb::borrow(object.function);
        object.region->save(path_of(PyTuple_GET_ITEM(arguments, 0)), package_options(keywords),
                            function.ptr());
        return Py_NewRef(Py_None);
    });
}

PyMethodDef methods[] = {
    {"explain", explain, METH_NOARGS,
     "explain() -> str\n\nWhat was recorded and fused, what was not and why, and every program "
     "with how often it ran and its times."},
    {"profile", profile, METH_NOARGS,
     "profile() -> RegionProfile\n\nThe launches of its compiled programs, with their times as far "
     "as calls ran in a profile_scope() or with CATENA_PROFILE."},
    {"statistics", statistics, METH_NOARGS,
     "statistics() -> StaticGraphStatistics\n\nCounters of its calls and programs."},
    {"clear", clear_programs, METH_NOARGS,
     "clear()\n\nRemoves all programs; the next call records again."},
    {"save", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(save)),
     METH_VARARGS | METH_KEYWORDS,
     "save(path, *, input_names=[], output_names=[], open_sizes=[], code_levels=[], "
     "cuda_architectures=[], stages=True)\n\nWrites the program of the last call to a file that "
     "Program(path) runs without a compiler.\n\nopen_sizes: [(0, 0, 'batch')] leaves the first "
     "axis of the first input open. ArgumentError naming the operation and its line where the "
     "program cannot be saved."},
    {"save_html", save_html, METH_O,
     "save_html(path)\n\nWrites a page for a browser: the programs as launches and stages."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(RegionObject, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(RegionObject, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(RegionObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
char documentation[] = "A static region: what catena.jit() makes of a function.";
PyType_Slot slots[] = {{Py_tp_doc, documentation},
                       {Py_tp_new, reinterpret_cast<void*>(make)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(bind_method)},
                       {Py_tp_repr, reinterpret_cast<void*>(representation)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, properties},
                       {0, nullptr}};
PyType_Spec spec = {"catena._catena.StaticGraph", sizeof(RegionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

}  // namespace

PyObject* make_region_type() {
    PyObject* const type = PyType_FromSpec(&spec);
    if (!type) throw nb::python_error();
    return type;
}

}  // namespace catena::python
