#include "frontend/python/bind/convert/nested_values.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/convert/python_identity.h"
#include "frontend/python/bind/convert/region_arrays.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"

namespace catena::python {
namespace {

enum class Kind : uint64_t {
    variable,
    ndarray,
    none,
    boolean,
    integer,
    real,
    text,
    bytes,
    complex,
    numpy_scalar,
    tuple,
    named_tuple,
    list,
    dictionary,
    dataclass,
    other
};

nb::object checked(PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

/// Whether the class has an attribute, without making an error where it has none.
bool class_has(PyTypeObject* type, const char* name) {
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
        auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
        if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) && PyDict_GetItemString(base->tp_dict, name))
            return true;
    }
    return false;
}

Kind kind_of_number(PyObject* object) {
    if (PyBool_Check(object)) return Kind::boolean;
    if (PyFloat_CheckExact(object)) return Kind::real;
    if (PyLong_CheckExact(object)) return Kind::integer;
    if (PyComplex_CheckExact(object)) return Kind::complex;
    return is_numpy_scalar(object) ? Kind::numpy_scalar : Kind::other;
}

/// Classes derived from lists and tuples are objects: nobody knows what else they have.
Kind kind_of(PyObject* object) {
    if (is_variable(object)) return Kind::variable;
    if (object == Py_None) return Kind::none;
    if (PyUnicode_CheckExact(object)) return Kind::text;
    if (PyTuple_CheckExact(object)) return Kind::tuple;
    if (PyList_CheckExact(object)) return Kind::list;
    if (PyDict_Check(object)) return Kind::dictionary;
    if (is_ndarray(object)) return Kind::ndarray;
    if (PyBytes_CheckExact(object)) return Kind::bytes;
    if (PyTuple_Check(object))
        return class_has(Py_TYPE(object), "_fields") ? Kind::named_tuple : Kind::other;
    if (const Kind number = kind_of_number(object); number != Kind::other) return number;
    return !PyType_Check(object) && class_has(Py_TYPE(object), "__dataclass_fields__")
               ? Kind::dataclass
               : Kind::other;
}

/// Functions of the standard library, made at their first use and kept.
const nb::object& fields_function() {
    static const nb::object& function =
        *new nb::object(nb::module_::import_("dataclasses").attr("fields"));
    return function;
}
const nb::object& copy_function() {
    static const nb::object& function =
        *new nb::object(nb::module_::import_("catena._copying").attr("shallow_copy"));
    return function;
}

nb::object field_names(PyObject* dataclass) {
    nb::list names;
    for (nb::handle field : fields_function()(nb::handle(dataclass)))
        names.append(field.attr("name"));
    return names;
}

/// The nestings that a walk is in: one that contains itself is an object where it comes again.
class Inside {
public:
    bool has(PyObject* object) const { return std::ranges::find(open_, object) != open_.end(); }

    class Scope {
    public:
        Scope(Inside& inside, PyObject* object) : inside_(inside) {
            if (Py_EnterRecursiveCall(" in the values of a static region"))
                throw nb::python_error();
            inside_.open_.push_back(object);
        }
        ~Scope() {
            inside_.open_.pop_back();
            Py_LeaveRecursiveCall();
        }
        Scope(const Scope&) = delete;

    private:
        Inside& inside_;
    };

private:
    std::vector<PyObject*> open_;
};

/// Lists what is in a value: one of the two ways in which a nesting is walked.
class Lister {
public:
    Lister(Flat& flat, bool is_result, bool signs)
        : flat_(flat), is_result_(is_result), signs_(signs) {}

    void visit(PyObject* object) {
        const Kind kind = kind_of(object);
        if (kind >= Kind::tuple && kind < Kind::other && !inside_.has(object)) {
            const Inside::Scope scope(inside_, object);
            sign(uint64_t(kind));
            return parts(kind, object);
        }
        if (signs_) sign(uint64_t(kind));
        switch (kind) {
            case Kind::variable:
                return flat_.variable(variable_in(object));
            case Kind::ndarray:
                return is_result_ ? needs_code("it returns an ndarray")
                                  : flat_.array(argument_array(object));
            default:
                if (signs_) return value(kind, object);
                if (is_result_ && kind == Kind::other) return other_result(object);
        }
    }

private:
    void sign(uint64_t part) {
        if (signs_) flat_.constant(part);
    }
    void sign_identity(PyObject* object) {
        if (signs_) flat_.constant(identity_number(object));
    }

    void parts(Kind kind, PyObject* object) {
        if (kind == Kind::dictionary) return dictionary(object);
        if (kind == Kind::dataclass) return dataclass(object);
        if (kind == Kind::named_tuple) sign_identity(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        if (kind == Kind::list) {  // It may change under the walk: a dataclass has properties.
            sign(uint64_t(PyList_GET_SIZE(object)));
            for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i)
                visit(nb::borrow(PyList_GET_ITEM(object, i)).ptr());
            return;
        }
        sign(uint64_t(PyTuple_GET_SIZE(object)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
            visit(PyTuple_GET_ITEM(object, i));
    }

    void dictionary(PyObject* object) {
        sign(uint64_t(PyDict_GET_SIZE(object)));
        if (!PyDict_CheckExact(object)) sign_identity(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        Py_ssize_t place = 0;
        for (PyObject *key, *part; PyDict_Next(object, &place, &key, &part);) {
            const nb::object kept_key = nb::borrow(key), kept_part = nb::borrow(part);
            if (signs_) visit_key(key);
            visit(part);
        }
    }
    /// A key is no place for a Variable: one that is, is the same object in every nesting.
    void visit_key(PyObject* key) {
        const Kind kind = kind_of(key);
        sign(uint64_t(kind));
        if (kind != Kind::tuple) return value(kind, key);
        sign(uint64_t(PyTuple_GET_SIZE(key)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) visit_key(PyTuple_GET_ITEM(key, i));
    }

    void dataclass(PyObject* object) {
        sign_identity(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        for (nb::handle name : field_names(object))
            if (const nb::object part = nb::getattr(nb::handle(object), name, nb::handle());
                part.is_valid())
                visit(part.ptr());
    }

    void number(double part) { flat_.number(part); }
    /// Adds an integer, not by its hash: those of -1 and -2 are equal.
    void integer(PyObject* object) {
        int overflow = 0;
        const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
        if (!overflow) return sign(uint64_t(small));
        flat_.text(nb::cast<std::string>(nb::repr(nb::handle(object))));
    }
    void value(Kind kind, PyObject* object) {
        switch (kind) {
            case Kind::none:
                return;
            case Kind::boolean:
                return sign(object == Py_True);
            case Kind::integer:
                return integer(object);
            case Kind::real:
                return number(PyFloat_AS_DOUBLE(object));
            case Kind::complex:
                number(PyComplex_RealAsDouble(object));
                return number(PyComplex_ImagAsDouble(object));
            case Kind::text: {
                Py_ssize_t size = 0;
                const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
                if (text) return flat_.text(std::string_view(text, size_t(size)));
                PyErr_Clear();  // Half of a pair of surrogates.
                return sign(uint64_t(PyObject_Hash(object)));
            }
            case Kind::bytes:
                return flat_.text(
                    std::string_view(PyBytes_AS_STRING(object), size_t(PyBytes_GET_SIZE(object))));
            case Kind::numpy_scalar:
                if (const auto scalar = to_scalar(object)) {
                    sign_identity(reinterpret_cast<PyObject*>(Py_TYPE(object)));
                    return number(scalar->present());
                }
                return sign_identity(object);
            default:
                return sign_identity(object);
        }
    }

    static void needs_code(const char* why) {
        if (Recorder* recorder = current_recorder()) recorder->needs_code(why);
    }
    /// Constants of the program may be returned again; what the code may have made may not.
    static void other_result(PyObject* object) {
        if (PyType_Check(object) || PyFunction_Check(object) || object == Py_Ellipsis) return;
        needs_code("it returns an object that is no value");
    }

    Flat& flat_;
    const bool is_result_, signs_;
    Inside inside_;
};

constexpr const char* weak_name = "catena.weak";

/// Stands for an object without keeping it alive; the object itself where that cannot be.
nb::object weakly(PyObject* object) {
    if (PyType_Check(object) || PyModule_Check(object)) return nb::borrow(object);
    PyObject* const reference = PyWeakref_NewRef(object, nullptr);
    if (!reference) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();
        return nb::borrow(object);
    }
    return checked(PyCapsule_New(reference, weak_name, [](PyObject* self) {
        Py_DECREF(static_cast<PyObject*>(PyCapsule_GetPointer(self, weak_name)));
    }));
}

nb::object object_of(PyObject* stands_for_it) {
    if (!PyCapsule_IsValid(stands_for_it, weak_name)) return nb::borrow(stands_for_it);
    auto* const reference = static_cast<PyObject*>(PyCapsule_GetPointer(stands_for_it, weak_name));
    nb::object object = checked(PyObject_CallNoArgs(reference));
    if (object.is_none())
        fail<ValueError>(
            "the region's code cannot be called again: an object that its first call was given "
            "exists no longer. Keep it, or save with the sizes of the last call");
    return object;
}

/// Makes the same nesting again, with other Variables: the other way.
class Maker {
public:
    enum class Task { empty_argument, empty_result, fill };
    Maker(Task task, FillVariables* variables) : task_(task), variables_(variables) {}

    nb::object make(PyObject* object) {
        const Kind kind = kind_of(object);
        if (kind == Kind::variable || (kind == Kind::ndarray && task_ == Task::empty_argument))
            return place();
        if (kind == Kind::other || inside_.has(object)) return other(object);
        if (kind < Kind::tuple) return nb::borrow(object);
        const Inside::Scope scope(inside_, object);
        switch (kind) {
            case Kind::list:
                return list(object);
            case Kind::dictionary:
                return dictionary(object);
            case Kind::dataclass:
                return dataclass(object);
            default:
                return tuple(kind, object);
        }
    }

private:
    nb::object other(PyObject* object) {
        if (task_ == Task::empty_argument) return weakly(object);
        return object_of(object);
    }

    nb::object place() {
        if (task_ == Task::fill) {
            Variable variable;
            variables_->variable(variable);
            return nb::steal(new_variable(std::move(variable)));
        }
        // An undefined Variable of Python's is where one belongs.
        nb::object empty = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(variable_type)));
        new (nb::inst_ptr<Variable>(empty)) Variable();
        nb::inst_mark_ready(empty);
        return empty;
    }

    nb::object tuple(Kind kind, PyObject* object) {
        const Py_ssize_t size = PyTuple_GET_SIZE(object);
        nb::object made = checked(PyTuple_New(size));
        for (Py_ssize_t i = 0; i < size; ++i)
            PyTuple_SET_ITEM(made.ptr(), i, make(PyTuple_GET_ITEM(object, i)).release().ptr());
        if (kind == Kind::tuple) return made;
        return nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("_make")(made);
    }

    nb::object list(PyObject* object) {
        nb::object made = checked(PyList_New(0));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i)
            if (PyList_Append(made.ptr(), make(PyList_GET_ITEM(object, i)).ptr()) < 0)
                throw nb::python_error();
        return made;
    }

    nb::object dictionary(PyObject* object) {
        nb::object made =
            PyDict_CheckExact(object) ? checked(PyDict_New()) : copy_function()(nb::handle(object));
        Py_ssize_t next = 0;
        for (PyObject *key, *part; PyDict_Next(object, &next, &key, &part);) {
            const nb::object kept_key = nb::borrow(key), kept_part = nb::borrow(part);
            if (PyObject_SetItem(made.ptr(), key, make(part).ptr()) < 0) throw nb::python_error();
        }
        return made;
    }

    /// Makes a dataclass without its methods: a frozen one can be filled, too.
    nb::object dataclass(PyObject* object) {
        nb::object made = copy_function()(nb::handle(object));
        for (nb::handle name : field_names(object)) {
            const nb::object part = nb::getattr(nb::handle(object), name, nb::handle());
            if (part.is_valid() &&
                PyObject_GenericSetAttr(made.ptr(), name.ptr(), make(part.ptr()).ptr()) < 0)
                throw nb::python_error();
        }
        return made;
    }

    const Task task_;
    FillVariables* const variables_;
    Inside inside_;
};

}  // namespace

void list_argument(PyObject* argument, bool signs, Flat& flat) {
    Lister(flat, false, signs).visit(argument);
}

void list_result(PyObject* result, Flat& flat) { Lister(flat, true, false).visit(result); }

PyObject* empty_argument(PyObject* argument) {
    return Maker(Maker::Task::empty_argument, nullptr).make(argument).release().ptr();
}
PyObject* empty_result(PyObject* result) {
    return Maker(Maker::Task::empty_result, nullptr).make(result).release().ptr();
}
PyObject* filled(PyObject* nesting, FillVariables& variables) {
    return Maker(Maker::Task::fill, &variables).make(nesting).release().ptr();
}

}  // namespace catena::python
