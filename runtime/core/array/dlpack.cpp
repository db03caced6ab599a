#include "runtime/core/array/dlpack.h"

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "runtime/core/array/device.h"
#include "runtime/core/array/dlpack_tensor.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/core/system/error.h"

namespace catena::dlpack {
namespace {

/// A tensor and what it points to, until its deleter is called.
template <class Kind>
struct Exported {
    Kind managed{};
    HeldMemory memory;
    Array array;
    std::array<int64_t, max_rank> shape{}, strides{};
};

template <class Managed>
Managed* exported(const Array& array, const char* function) {
    if (!array.defined()) fail<ValueError>("{}: the array is undefined", function);
    if (!array.device().is_host())
        fail<DeviceError>(
            "{}: the array is on {}; bring it to memory of the host first: "
            "x.to(ct::cpu_device())",
            function, array.device().name());
    auto made = std::make_unique<Exported<Managed>>();
    made->memory = HeldMemory(array);
    const bool is_read_only = array.storage()->is_read_only;
    Managed& managed = made->managed;
    if constexpr (std::is_same_v<Managed, Versioned>) {
        managed.major = major_version;
        managed.minor = minor_version;
        managed.flags = is_read_only ? read_only_flag : 0;
    } else if (is_read_only) {
        fail<ValueError>(
            "{}: the array's memory may only be read, which this tensor cannot say: "
            "call to_dlpack_versioned(), or copy the array",
            function);
    }
    Tensor& tensor = managed.tensor;
    tensor.data = const_cast<void*>(array.elements());
    tensor.device = {1, 0};
    tensor.rank = array.rank();
    tensor.dtype = dtype_of_tensor(array.dtype());
    for (int i = 0; i < array.rank(); ++i) {
        made->shape[size_t(i)] = array.shape()[i];
        made->strides[size_t(i)] = array.strides()[i];
    }
    tensor.shape = made->shape.data();
    tensor.strides = made->strides.data();
    made->array = array;
    managed.context = made.get();
    managed.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->context); };
    return &made.release()->managed;
}

/// Gives a tensor back to whom it came from.
template <class Managed>
struct Deleted {
    Managed* managed;
    void operator()() const {
        if (managed->deleter) managed->deleter(managed);
    }
};

template <class Managed>
Array imported(Managed* managed) {
    if (!managed) fail<ValueError>("from_dlpack: the tensor is null");
    const Deleted<Managed> release{managed};
    ForeignMemory memory;
    try {
        bool is_read_only = true;  // Nobody says so without flags.
        if constexpr (std::is_same_v<Managed, Versioned>) {
            refuse_versions(*managed);
            is_read_only = managed->flags & read_only_flag;
        }
        memory = memory_of(managed->tensor, is_read_only);
        memory.release = release;
    } catch (...) {
        release();
        throw;
    }
    return foreign_array(std::move(memory));  // Which releases it if it throws.
}

}  // namespace
}  // namespace catena::dlpack

namespace catena {

DLManagedTensor* to_dlpack(const Array& array) {
    return reinterpret_cast<DLManagedTensor*>(
        dlpack::exported<dlpack::Managed>(array, "to_dlpack"));
}

DLManagedTensorVersioned* to_dlpack_versioned(const Array& array) {
    return reinterpret_cast<DLManagedTensorVersioned*>(
        dlpack::exported<dlpack::Versioned>(array, "to_dlpack_versioned"));
}

Array from_dlpack(DLManagedTensor* tensor) {
    return dlpack::imported(reinterpret_cast<dlpack::Managed*>(tensor));
}

Array from_dlpack(DLManagedTensorVersioned* tensor) {
    return dlpack::imported(reinterpret_cast<dlpack::Versioned*>(tensor));
}

}  // namespace catena
