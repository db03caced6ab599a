#include "frontend/python/bind/convert/python_identity.h"

#include <unordered_set>
#include <vector>

namespace catena::python {
namespace {

/// The weak references that stand for objects: while one is kept, no other object gets one at the
/// same place. Never destroyed, and guarded by the interpreter's lock.
struct Identities {
    std::unordered_set<PyObject*> weak, strong;
    size_t next_sweep = 1024;
};
Identities& identities() {
    static Identities& known = *new Identities;
    return known;
}

bool is_dead(PyObject* reference) {
    const nb::object object = nb::steal(PyObject_CallNoArgs(reference));
    if (!object.is_valid()) throw nb::python_error();
    return object.is_none();
}

/// Forgets what nobody can ask for again.
void sweep(Identities& known) {
    std::vector<nb::object> forgotten;  // Dropped last: that may run code.
    for (auto it = known.weak.begin(); it != known.weak.end();) {
        PyObject* const reference = *it;
        if (is_dead(reference)) {
            it = known.weak.erase(it);
            forgotten.push_back(nb::steal(reference));
        } else {
            ++it;
        }
    }
    for (auto it = known.strong.begin(); it != known.strong.end();) {
        PyObject* const object = *it;
        if (Py_REFCNT(object) == 1) {
            it = known.strong.erase(it);
            forgotten.push_back(nb::steal(object));
        } else {
            ++it;
        }
    }
    known.next_sweep = 2 * (known.weak.size() + known.strong.size()) + 1024;
}

}  // namespace

uint64_t identity_number(PyObject* object) {
    Identities& known = identities();
    if (known.weak.size() + known.strong.size() >= known.next_sweep) sweep(known);
    if (PyObject* const reference = PyWeakref_NewRef(object, nullptr)) {
        if (!known.weak.insert(reference).second) Py_DECREF(reference);
        return uint64_t(uintptr_t(reference));
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    if (known.strong.insert(object).second) Py_INCREF(object);
    return uint64_t(uintptr_t(object));
}

}  // namespace catena::python
