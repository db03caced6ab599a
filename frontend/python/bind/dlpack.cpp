#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/types.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"

// Arrays of other libraries by DLPack, without NumPy, which has no bfloat16.

namespace catena::python {
namespace {

// The structures of DLPack 1.0 (dlpack.h).
struct DlDevice {
    int32_t type, number;
};
struct DlDtype {
    uint8_t code, bits;
    uint16_t lanes;
};
struct DlTensor {
    void* data;
    DlDevice device;
    int32_t rank;
    DlDtype dtype;
    int64_t* shape;
    int64_t* strides;  ///< In elements; null: row-major.
    uint64_t byte_offset;
};
struct DlManaged {
    DlTensor tensor;
    void* context;
    void (*deleter)(DlManaged*);
};
struct DlVersioned {
    uint32_t major, minor;
    void* context;
    void (*deleter)(DlVersioned*);
    uint64_t flags;
    DlTensor tensor;
};
constexpr uint64_t read_only_flag = 1;
constexpr int32_t dl_cpu = 1, dl_cuda = 2, dl_cuda_host = 3;

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
    const DlTensor* tensor;
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
    if constexpr (std::is_same_v<Managed, DlVersioned>) {
        // Of another major version nothing but the deleter is known to stand where it did.
        if (managed->major > 1)
            fail<ValueError>("from_dlpack: the tensor is of DLPack {}.{}, Catena reads 1.x",
                             managed->major, managed->minor);
        is_writable = !(managed->flags & read_only_flag);
    }
    return {&managed->tensor, std::move(holder), is_writable};
}

TakenTensor tensor_in(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, versioned_name))
        return taken<DlVersioned>(capsule, versioned_name, versioned_used);
    if (PyCapsule_IsValid(capsule, plain_name))
        return taken<DlManaged>(capsule, plain_name, plain_used);
    if (PyCapsule_IsValid(capsule, versioned_used) || PyCapsule_IsValid(capsule, plain_used))
        fail<ValueError>(
            "from_dlpack: the capsule was read already, and its tensor is another array's now");
    fail<DtypeError>("from_dlpack: takes an array with __dlpack__(), or a capsule of one, not {}",
                     Py_TYPE(capsule)->tp_name);
}

/// Its capsule, of the newest version that both know.
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

void refuse_devices(const DlDevice& device) {
    if (device.type == dl_cpu || device.type == dl_cuda_host) return;
    fail<DeviceError>(
        "from_dlpack: the tensor is on {}, Catena reads those in memory of the host: bring it "
        "there first, such as by x.cpu()",
        device.type == dl_cuda
            ? fmt::format("cuda:{}", device.number)
            : fmt::format("device {} of DLPack's type {}", device.number, device.type));
}

/// Before the capsule is asked for, which may cost a copy.
void refuse_devices_of(const nb::object& array) {
    if (!nb::hasattr(array, "__dlpack_device__")) return;
    const nb::object device = array.attr("__dlpack_device__")();
    refuse_devices({nb::cast<int32_t>(nb::int_(device[0])), nb::cast<int32_t>(device[1])});
}

Dtype dtype_in(const DlDtype& dtype) {
    struct Known {
        uint8_t code, bits;
        Dtype dtype;
    };
    static constexpr std::array known = {
        Known{0, 8, Dtype::int8},     Known{0, 16, Dtype::int16},   Known{0, 32, Dtype::int32},
        Known{0, 64, Dtype::int64},   Known{1, 8, Dtype::uint8},    Known{2, 16, Dtype::float16},
        Known{2, 32, Dtype::float32}, Known{2, 64, Dtype::float64}, Known{4, 16, Dtype::bfloat16},
        Known{6, 8, Dtype::bool_}};
    for (const Known& each : known)
        if (each.code == dtype.code && each.bits == dtype.bits && dtype.lanes == 1)
            return each.dtype;
    fail<DtypeError>(
        "from_dlpack: Catena has no dtype of {} bits of DLPack's code {} in {} lanes: it has bool, "
        "int8, int16, int32, int64, uint8, float16, bfloat16, float32 and float64",
        dtype.bits, dtype.code, dtype.lanes);
}

Array array_in(const TakenTensor& taken) {
    const DlTensor& tensor = *taken.tensor;
    refuse_devices(tensor.device);
    if (tensor.rank > max_rank)
        fail<ShapeError>("from_dlpack: an array of {} axes: Catena's have up to {}", tensor.rank,
                         max_rank);
    Type type{dtype_in(tensor.dtype), {}};
    for (int i = 0; i < tensor.rank; ++i) type.shape.push_back(tensor.shape[i]);
    if (element_count(type.shape) == 0) return Array::empty(type);
    Strides strides = contiguous_strides(type.shape);
    if (tensor.strides)
        for (int i = 0; i < tensor.rank; ++i) strides[i] = tensor.strides[i];
    return array_over(taken.holder.ptr(), static_cast<std::byte*>(tensor.data) + tensor.byte_offset,
                      type, strides, taken.is_writable, [](PyObject*) { return true; });
}

nb::object from_dlpack(nb::object array) {
    if (Recorder* recorder = current_recorder(); recorder && recorder->defers())
        recorder->needs_code("it reads an array of another library");
    refuse_devices_of(array);
    Array read = array_in(tensor_in(capsule_of(array).ptr()));
    if (!current_device().is_host()) read = read.to(current_device());
    return nb::steal(new_variable(Variable(std::move(read), false)));
}

}  // namespace

void bind_dlpack(nb::module_& m) {
    m.def("from_dlpack", from_dlpack, nb::arg("x").none(),
          "A Variable without gradient over the memory of another library's array: of an object "
          "with\n`__dlpack__()`, or of its capsule, which can be read once.\n\nDeviceError for "
          "one that is not in memory of the host, DtypeError for a dtype that Catena lacks.\nIt "
          "can only be read where the other library says so, or says nothing of it.");
}

}  // namespace catena::python
