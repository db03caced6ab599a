#include "frontend/python/bind/foreign_object.h"

#include <mutex>
#include <vector>

#include "runtime/core/from_host_data.h"

namespace catena::python {
namespace {

struct Waiting {
    std::mutex mutex;
    std::vector<PyObject*> references;
};
Waiting& waiting() {
    static Waiting& list = *new Waiting;
    return list;
}

int release_pending(void*) {
    release_waiting_references();
    return 0;
}

constexpr const char* keeper_name = "catena.Array";

}  // namespace

void release_reference(PyObject* object) noexcept {
    if (!Py_IsInitialized()) return;  // The interpreter has ended, and its objects with it.
    if (PyGILState_Check()) return Py_DECREF(object);
    {
        const std::lock_guard lock(waiting().mutex);
        waiting().references.push_back(object);
    }
    Py_AddPendingCall(release_pending, nullptr);
}

void release_waiting_references() {
    std::vector<PyObject*> references;
    {
        const std::lock_guard lock(waiting().mutex);
        references.swap(waiting().references);
    }
    for (PyObject* object : references) Py_DECREF(object);
}

Array array_over(PyObject* object, void* data, const Type& type, const Strides& strides,
                 bool writable) {
    return from_host_data(data, type, strides);
}

PyObject* object_behind(const Array&) { return nullptr; }

PyObject* keeper_of(const Array& array) {
    PyObject* const capsule = PyCapsule_New(new Array(array), keeper_name, [](PyObject* self) {
        delete static_cast<Array*>(PyCapsule_GetPointer(self, keeper_name));
    });
    if (!capsule) throw nb::python_error();
    return capsule;
}

}  // namespace catena::python
