#include <new>
#include <stdexcept>

#include "frontend/python/bind/convert/types.h"
#include "frontend/python/bind/module.h"
#include "runtime/comm/collectives/communication_error.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena::python {
namespace {

/// The exceptions of the module, in the order of a search: derived ones first.
struct Exceptions {
    PyObject *error, *shape, *dtype, *value, *device, *memory, *compile, *file, *trace,
        *communication;
};
Exceptions exceptions;

/// A class of exceptions that is both Catena's and what Python code expects at such an error.
PyObject* exception(nb::module_& m, const char* name, const char* documentation, PyObject* base,
                    PyObject* also) {
    const nb::object bases = also ? nb::steal(PyTuple_Pack(2, base, also)) : nb::borrow(base);
    const std::string full = std::string("catena.") + name;
    PyObject* const made =
        PyErr_NewExceptionWithDoc(full.c_str(), documentation, bases.ptr(), nullptr);
    if (!made) throw nb::python_error();
    m.attr(name) = nb::borrow(made);
    return made;  // Kept for ever.
}

void raise(PyObject* type, const std::exception& error) {
    const std::string_view text = error.what();
    // It may have a path in it that is no UTF-8.
    PyObject* const message =
        PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "backslashreplace");
    if (!message) return;
    PyErr_SetObject(type, message);
    Py_DECREF(message);
}

}  // namespace

void bind_errors(nb::module_& m) {
    Exceptions& e = exceptions;
    e.error = exception(m, "Error", "Base of Catena's exceptions.", PyExc_Exception, nullptr);
    e.shape = exception(m, "ShapeError", "Shapes that do not fit.", e.error, PyExc_ValueError);
    e.dtype = exception(m, "DtypeError", "Dtypes that do not fit.", e.error, PyExc_TypeError);
    e.value = exception(m, "ArgumentError", "A value that an operation does not take.", e.error,
                        PyExc_ValueError);
    e.device = exception(m, "DeviceError", "A device that is missing, or arrays on several.",
                         e.error, PyExc_RuntimeError);
    e.memory = exception(m, "OutOfMemoryError", "No memory left.", e.device, PyExc_MemoryError);
    e.compile = exception(m, "CompileError", "A region that cannot be compiled.", e.error,
                          PyExc_RuntimeError);
    e.file = exception(m, "FileError", "A file that is missing, damaged or of another kind.",
                       e.error, PyExc_OSError);
    e.trace =
        exception(m, "TraceError", "What a static region cannot do.", e.error, PyExc_RuntimeError);
    e.communication = exception(
        m, "CommunicationError",
        "A call between ranks that cannot be completed: one is gone, late, or made another "
        "call.",
        e.error, PyExc_RuntimeError);
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (...) {
            set_python_error();
        }
    });
}

std::string to_string(PyObject* text) {
    Py_ssize_t size = 0;
    const char* const characters = PyUnicode_AsUTF8AndSize(text, &size);
    if (!characters) throw nb::python_error();
    return std::string(characters, size_t(size));
}

void set_python_error() noexcept {
    const Exceptions& e = exceptions;
    try {
        throw;
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const nb::builtin_exception& error) {
        raise(error.type() == nb::exception_type::type_error    ? PyExc_TypeError
              : error.type() == nb::exception_type::index_error ? PyExc_IndexError
                                                                : PyExc_ValueError,
              error);
    } catch (const ShapeError& error) {
        raise(e.shape, error);
    } catch (const DtypeError& error) {
        raise(e.dtype, error);
    } catch (const ValueError& error) {
        raise(e.value, error);
    } catch (const OutOfMemory& error) {
        raise(e.memory, error);
    } catch (const DeviceError& error) {
        raise(e.device, error);
    } catch (const CompileError& error) {
        raise(e.compile, error);
    } catch (const FileError& error) {
        raise(e.file, error);
    } catch (const TraceError& error) {
        raise(e.trace, error);
    } catch (const CommunicationError& error) {
        raise(e.communication, error);
    } catch (const Error& error) {
        raise(e.error, error);
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "there is no memory left for what was to be computed");
    } catch (const std::exception& error) {
        raise(PyExc_RuntimeError, error);
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "an exception that is none of C++'s own");
    }
}

}  // namespace catena::python
