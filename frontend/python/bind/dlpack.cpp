#include <cstdint>
#include <type_traits>
#include <utility>

#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/types.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/dlpack.h"
#include "runtime/core/array/dlpack_tensor.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"

// Arrays of other libraries by DLPack, without NumPy, which has no bfloat16.

namespace catena::python {
namespace {

using namespace dlpack;

/// The two kinds of capsules, and what each is called when somebody has taken its tensor.
constexpr const char *plain_name = "dltensor", *plain_used = "used_dltensor",
                     *versioned_name = "dltensor_versioned",
                     *versioned_used = "used_dltensor_versioned", *taken_name = "catena.dltensor";

template <class Managed>
void delete_tensor(PyObject* holder) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(holder, taken_name));
    if (managed && managed->deleter) managed->deleter(managed);
}

/// A tensor and the object that gives it back when it goes.
struct TakenTensor {
    const Tensor* tensor;
    nb::object holder;
    bool is_writable;
};

template <class Managed>
TakenTensor taken(PyObject* capsule, const char* name, const char* used) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    if (!managed) throw nb::python_error();
    nb::object holder = nb::steal(PyCapsule_New(managed, taken_name, delete_tensor<Managed>));
    if (!holder.is_valid()) throw nb::python_error();
    if (PyCapsule_SetName(capsule, used) < 0) throw nb::python_error();
    bool is_writable = false;  // Nobody says so of a plain capsule.
    if constexpr (std::is_same_v<Managed, Versioned>) {
        // Of another major version nothing but the deleter is known to stand where it did.
        refuse_versions(*managed);
        is_writable = !(managed->flags & read_only_flag);
    }
    return {&managed->tensor, std::move(holder), is_writable};
}

TakenTensor tensor_in(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, versioned_name))
        return taken<Versioned>(capsule, versioned_name, versioned_used);
    if (PyCapsule_IsValid(capsule, plain_name))
        return taken<Managed>(capsule, plain_name, plain_used);
    if (PyCapsule_IsValid(capsule, versioned_used) || PyCapsule_IsValid(capsule, plain_used))
        fail<ValueError>(
            "from_dlpack: the capsule was read already, and its tensor is another array's now");
    fail<DtypeError>("from_dlpack: takes an array with __dlpack__(), or a capsule of one, not {}",
                     Py_TYPE(capsule)->tp_name);
}

/// The DLPack capsule of an object, of the newest version that both sides know.
nb::object capsule_of(const nb::object& array) {
    if (PyCapsule_CheckExact(array.ptr())) return array;
    if (!nb::hasattr(array, "__dlpack__"))
        fail<DtypeError>(
            "from_dlpack: takes an array with __dlpack__(), or a capsule of one, not {}",
            Py_TYPE(array.ptr())->tp_name);
    const nb::object ask = array.attr("__dlpack__");
    try {
        return ask(nb::arg("max_version") = nb::make_tuple(1, 0));
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) throw;
    }
    return ask();  // From before there were versions.
}

/// Refuses objects of devices before the capsule is asked for, which may cost a copy.
void refuse_devices_of(const nb::object& array) {
    if (!nb::hasattr(array, "__dlpack_device__")) return;
    const nb::object device = array.attr("__dlpack_device__")();
    refuse_devices({nb::cast<int32_t>(nb::int_(device[0])), nb::cast<int32_t>(device[1])});
}

Array array_in(const TakenTensor& taken) {
    const ForeignMemory memory = memory_of(*taken.tensor, !taken.is_writable);
    if (element_count(memory.type.shape) == 0) return Array::empty(memory.type);
    return array_over(taken.holder.ptr(), memory.data, memory.type, memory.strides,
                      taken.is_writable, [](PyObject*) { return true; });
}

nb::object from_dlpack(nb::object array) {
    if (Recorder* recorder = current_recorder(); recorder && recorder->defers())
        recorder->needs_code("it reads an array of another library");
    refuse_devices_of(array);
    Array read = array_in(tensor_in(capsule_of(array).ptr()));
    if (!current_device().is_host()) read = read.to(current_device());
    return nb::steal(new_variable(Variable(std::move(read), false)));
}

/// What becomes of a capsule that nobody has read.
template <class Managed>
void delete_untaken(PyObject* capsule, const char* name) {
    if (!PyCapsule_IsValid(capsule, name)) return;
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    managed->deleter(managed);
}

template <class Managed>
nb::object new_capsule(Managed* managed, const char* name, PyCapsule_Destructor destructor) {
    PyObject* const capsule = PyCapsule_New(managed, name, destructor);
    if (!capsule) {
        managed->deleter(managed);
        throw nb::python_error();
    }
    return nb::steal(capsule);
}

nb::object capsule_over(const Array& array, bool versioned) {
    if (versioned)
        return new_capsule(reinterpret_cast<Versioned*>(to_dlpack_versioned(array)), versioned_name,
                           [](PyObject* self) { delete_untaken<Versioned>(self, versioned_name); });
    return new_capsule(reinterpret_cast<Managed*>(to_dlpack(array)), plain_name,
                       [](PyObject* self) { delete_untaken<Managed>(self, plain_name); });
}

/// The capsule for Variable.__dlpack__; a BufferError where the memory cannot be shown, as its
/// protocol has it.
nb::object to_dlpack_capsule(nb::handle x, bool versioned, bool copy) {
    Array array = variable_in(x.ptr()).array();
    if (!array.defined()) fail<ValueError>("x.__dlpack__: the variable has no elements yet");
    array = array.to(cpu_device());
    if (copy) {
        array.elements();  // Inside a region they are computed now.
        const RecorderScope paused(nullptr);
        const Array copied = Array::empty(array.type(), cpu_device());
        copy_elements(array, copied);
        array = copied;
    }
    if (array.storage()->is_read_only && !versioned)
        throw nb::buffer_error(
            "x.__dlpack__: the memory may only be read, which needs max_version=(1, 0), or "
            "copy=True");
    return capsule_over(array, versioned);
}

}  // namespace

void bind_dlpack(nb::module_& m) {
    m.def("from_dlpack", from_dlpack, nb::arg("x").none(),
          "A Variable without gradient over the memory of another library's array: of an object "
          "with\n`__dlpack__()`, or of its capsule, which can be read once.\n\nDeviceError for "
          "one that is not in memory of the host, DtypeError for a dtype that Catena lacks.\nIt "
          "can only be read where the other library says so, or says nothing of it.");
    m.def("_to_dlpack", to_dlpack_capsule, nb::arg("x"), nb::arg("versioned"),
          nb::arg("is_copied"));
}

}  // namespace catena::python
