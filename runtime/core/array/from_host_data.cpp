#include "runtime/core/array/from_host_data.h"

#include "runtime/core/array/borrowed_storage.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {

Array from_host_data(const void* data, const Type& type, const Strides& strides, int64_t offset,
                     const std::source_location& at) {
    const LocationScope scope(at);
    if (strides.rank() != type.shape.rank())
        fail<ShapeError>("from_host_data: {} takes a stride for each of its {} axes, {} are given",
                         to_string(type), type.shape.rank(), strides.rank());
    if (!data && element_count(type.shape) > 0)
        fail<ValueError>("from_host_data: the pointer to the elements of {} is null",
                         to_string(type));
    const Array elements = Array::empty(type, cpu_device());
    if (element_count(type.shape) > 0) {
        BorrowedStorage memory(const_cast<void*>(data), 0, cpu_device());
        copy_elements(memory.array(type, strides, offset), elements);
    }
    return elements.to(current_device());
}

Array from_host_data(const void* data, const Type& type, const std::source_location& at) {
    const LocationScope scope(at);
    const Array like =
        Array::empty(type, meta_device());  // ShapeError before sizes are multiplied that overflow.
    return from_host_data(data, type, like.strides(), 0, at);
}

}  // namespace catena
