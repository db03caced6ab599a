#include <string>
#include <utility>
#include <vector>

#include "frontend/capture/path/pointer_table.h"
#include "frontend/link/parameter.h"
#include "frontend/python/bind/convert/types.h"
#include "frontend/python/bind/module.h"

// The members of modules of Python: every training step asks for the parameters.

namespace catena::python {
namespace {

bool is_of_type(PyTypeObject* type, PyObject* wanted) {
    return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(wanted));
}

bool is_instance(PyObject* object, PyObject* wanted) {
    if (is_of_type(Py_TYPE(object), wanted)) return true;
    const int answer = PyObject_IsInstance(object, wanted);
    if (answer < 0) throw nb::python_error();
    return answer;
}

/// What most attributes are that are no members.
bool is_plain(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    return object == Py_None || type == &PyBool_Type || type == &PyLong_Type ||
           type == &PyFloat_Type || type == &PyUnicode_Type;
}

/// "l1/W"; the text is made where something is found there.
class MemberPath {
public:
    MemberPath() = default;
    MemberPath(const MemberPath& above, PyObject* name) : above_(&above), name_(name) {}
    MemberPath(const MemberPath& above, Py_ssize_t index) : above_(&above), index_(index) {}

    const nb::object& text() const {
        if (!text_.is_valid()) text_ = nb::steal(made_text());
        if (!text_.is_valid()) throw nb::python_error();
        return text_;
    }

private:
    PyObject* made_text() const {
        if (!above_) return PyUnicode_FromString("");
        const nb::object own = nb::steal(name_ ? PyObject_Format(name_, nullptr)
                                               : PyUnicode_FromFormat("%zd", index_));
        if (!own.is_valid()) return nullptr;
        const nb::object& start = above_->text();
        if (PyUnicode_GET_LENGTH(start.ptr()) == 0) return nb::object(own).release().ptr();
        return PyUnicode_FromFormat("%U/%U", start.ptr(), own.ptr());
    }

    const MemberPath* above_ = nullptr;
    PyObject* name_ = nullptr;
    Py_ssize_t index_ = 0;
    mutable nb::object text_;
};

class RecursionScope {
public:
    RecursionScope() {
        if (Py_EnterRecursiveCall(" while looking for the members of a module"))
            throw nb::python_error();
    }
    ~RecursionScope() { Py_LeaveRecursiveCall(); }
    RecursionScope(const RecursionScope&) = delete;
};

/// What is looked for.
struct MemberQuery {
    PyObject* module_class;  ///< The class catena.nn.Module.
    PyObject* kind;  ///< The class of the members that are asked for; null: States and Modules.
    /// Whether what is in members that are modules is asked for, too, each object once.
    bool is_below;
    bool with_paths;
};

class MemberSearch {
public:
    explicit MemberSearch(const MemberQuery& query)
        : query_(query),
          own_members_(attribute(query.module_class, names_.members)),
          own_attributes_(attribute(query.module_class, names_.attributes)) {}

    void visit(PyObject* object, const MemberPath& path) {
        if (is_plain(object)) return;
        const RecursionScope scope;
        PyTypeObject* const type = Py_TYPE(object);
        if (is_of_type(type, query_.module_class)) return visit_member(object, path, true);
        if (is_of_type(type, state_class_)) return visit_member(object, path, false);
        if (PyList_CheckExact(object) || PyTuple_CheckExact(object))
            return visit_elements(object, path);
        if (PyDict_CheckExact(object)) return visit_items(object, path);
        if (PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object) ||
            tells_another_class(object))
            visit_instance(object, path);
    }
    void visit_attributes(PyObject* module, const MemberPath& path) {
        if (!attribute(type_of(module), names_.attributes).is(own_attributes_))
            return visit_pairs(nb::handle(module).attr("_attributes")(), path);
        visit_items(attribute(module, names_.dict).ptr(), path);
    }
    nb::list found() && { return std::move(found_); }

private:
    /// Texts that live as long as the process.
    struct Names {
        PyObject* const members = PyUnicode_InternFromString("named_members");
        PyObject* const attributes = PyUnicode_InternFromString("_attributes");
        PyObject* const dict = PyUnicode_InternFromString("__dict__");
        PyObject* const class_ = PyUnicode_InternFromString("__class__");
    };
    static const Names& names() {
        static const Names& names = *new Names;
        return names;
    }

    static PyObject* type_of(PyObject* object) {
        return reinterpret_cast<PyObject*>(Py_TYPE(object));
    }
    static nb::object attribute(PyObject* object, PyObject* name) {
        nb::object found = nb::steal(PyObject_GetAttr(object, name));
        if (!found.is_valid()) throw nb::python_error();
        return found;
    }

    /// A proxy says the class of what it stands for, and isinstance() believes it.
    bool tells_another_class(PyObject* object) const {
        const nb::object told = nb::steal(PyObject_GetAttr(object, names_.class_));
        if (told.is_valid()) return !told.is(type_of(object));
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
        PyErr_Clear();
        return false;
    }

    void visit_instance(PyObject* object, const MemberPath& path) {
        const bool is_module = is_instance(object, query_.module_class);
        if (is_module || is_instance(object, state_class_))
            visit_member(object, path, is_module);
        else if (is_instance(object, reinterpret_cast<PyObject*>(&PyList_Type)) ||
                 is_instance(object, reinterpret_cast<PyObject*>(&PyTuple_Type)))
            visit_elements(object, path);
        else if (is_instance(object, reinterpret_cast<PyObject*>(&PyDict_Type)))
            visit_items(object, path);
    }

    void visit_member(PyObject* object, const MemberPath& path, bool is_module) {
        if (query_.is_below) {
            const int place = int(seen_.size());
            if (seen_.insert(object, place) != place) return;
            held_.push_back(nb::borrow(object));  // Or another object may take its address.
        }
        if (!query_.kind || is_instance(object, query_.kind)) add(object, path);
        if (query_.is_below && is_module) visit_module(object, path);
    }

    void visit_module(PyObject* module, const MemberPath& path) {
        if (!attribute(type_of(module), names_.members).is(own_members_))
            visit_pairs(nb::handle(module).attr("named_members")(), path);
        else
            visit_attributes(module, path);
    }

    void visit_elements(PyObject* elements, const MemberPath& path) {
        Py_ssize_t index = 0;
        if (PyList_CheckExact(elements) || PyTuple_CheckExact(elements)) {
            for (; index < PySequence_Fast_GET_SIZE(elements); ++index) {
                // Looking at it may run code that changes the list.
                const nb::object element = nb::borrow(PySequence_Fast_GET_ITEM(elements, index));
                visit(element.ptr(), MemberPath(path, index));
            }
            return;
        }
        for (nb::handle element : nb::borrow(elements))
            visit(element.ptr(), MemberPath(path, index++));
    }

    void visit_items(PyObject* items, const MemberPath& path) {
        if (!PyDict_CheckExact(items)) return visit_pairs(nb::handle(items).attr("items")(), path);
        const Py_ssize_t size = PyDict_GET_SIZE(items);
        Py_ssize_t place = 0;
        PyObject *name = nullptr, *value = nullptr;
        while (PyDict_Next(items, &place, &name, &value)) {
            if (is_plain(value)) continue;
            const nb::object name_held = nb::borrow(name), value_held = nb::borrow(value);
            visit(value, MemberPath(path, name));
            if (PyDict_GET_SIZE(items) != size) {
                PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
                throw nb::python_error();
            }
        }
    }

    void visit_pairs(const nb::object& pairs, const MemberPath& path) {
        for (nb::handle each : pairs) {
            const nb::object pair = nb::steal(PySequence_Tuple(each.ptr()));
            if (!pair.is_valid()) throw nb::python_error();
            if (PyTuple_GET_SIZE(pair.ptr()) != 2)
                throw nb::value_error("members of a module are pairs (name, member)");
            visit(PyTuple_GET_ITEM(pair.ptr(), 1),
                  MemberPath(path, PyTuple_GET_ITEM(pair.ptr(), 0)));
        }
    }

    void add(PyObject* object, const MemberPath& path) {
        if (query_.with_paths)
            found_.append(nb::make_tuple(path.text(), nb::handle(object)));
        else
            found_.append(nb::handle(object));
    }

    const Names& names_ = names();
    const MemberQuery query_;
    PyObject* const state_class_ = nb::type<State>().ptr();
    const nb::object own_members_, own_attributes_;
    nb::list found_;
    capture::PointerTable seen_;
    std::vector<nb::object> held_;
};

/// A module's own States and Modules with their paths.
nb::list own_members(nb::handle module, nb::handle module_class) {
    MemberSearch search({module_class.ptr(), nullptr, false, true});
    search.visit_attributes(module.ptr(), MemberPath());
    return std::move(search).found();
}

/// All members of a class at or below a module, each once.
nb::list members_below(nb::handle module, nb::handle module_class, nb::handle kind,
                       bool with_paths) {
    MemberSearch search({module_class.ptr(), kind.ptr(), true, with_paths});
    search.visit(module.ptr(), MemberPath());
    return std::move(search).found();
}

}  // namespace

void bind_members(nb::module_& m) {
    m.def("_own_members", own_members, nb::arg("module"), nb::arg("module_class"));
    m.def("_members_below", members_below, nb::arg("module"), nb::arg("module_class"),
          nb::arg("kind"), nb::arg("with_paths"));
}

}  // namespace catena::python
