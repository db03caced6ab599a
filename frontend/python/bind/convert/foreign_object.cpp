#include "frontend/python/bind/convert/foreign_object.h"

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/array/foreign_array.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/core/system/fork.h"

namespace catena::python {
namespace {

std::mutex& waiting_mutex() {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    return mutex;
}
std::vector<PyObject*>& waiting_references() {
    static std::vector<PyObject*>& references = *new std::vector<PyObject*>;
    return references;
}

int release_pending(void*) {
    release_waiting_references();
    return 0;
}

constexpr const char* keeper_name = "catena.HeldMemory";

}  // namespace

void release_reference(PyObject* object) noexcept {
    if (!Py_IsInitialized()) return;  // The interpreter has ended, and its objects with it.
    if (PyGILState_Check()) return Py_DECREF(object);
    {
        const std::lock_guard lock(waiting_mutex());
        waiting_references().push_back(object);
    }
    Py_AddPendingCall(release_pending, nullptr);
}

void release_waiting_references() {
    std::vector<PyObject*> references;
    {
        const std::lock_guard lock(waiting_mutex());
        references.swap(waiting_references());
    }
    for (PyObject* object : references) Py_DECREF(object);
}

namespace {

/// What foreign memory calls when its last array is gone.
struct GiveBack {
    PyObject* object;
    void operator()() const { release_reference(object); }
};

}  // namespace

Array array_over(PyObject* object, void* data, const Type& type, const Strides& strides,
                 bool writable, bool (*others_may_write)(PyObject* object)) {
    return foreign_array(
        {.data = data,
         .type = type,
         .strides = strides,
         .is_read_only = !writable,
         .release = GiveBack{Py_NewRef(object)},
         .others_may_write = [=] { return !PyGILState_Check() || others_may_write(object); }});
}

PyObject* object_behind(const Array& array) {
    const std::function<void()>* const release = release_of(array);
    const auto* const found = release ? release->target<GiveBack>() : nullptr;
    return found ? found->object : nullptr;
}

PyObject* keeper_of(const Array& array) {
    auto held = std::make_unique<HeldMemory>(array);
    PyObject* const capsule = PyCapsule_New(held.get(), keeper_name, [](PyObject* self) {
        delete static_cast<HeldMemory*>(PyCapsule_GetPointer(self, keeper_name));
    });
    if (!capsule) throw nb::python_error();
    held.release();
    return capsule;
}

}  // namespace catena::python
