#include "runtime/core/array/array.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "runtime/core/array/access.h"
#include "runtime/core/array/code_device.h"
#include "runtime/core/array/derived_forms.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/foreign_storage.h"
#include "runtime/core/array/pending.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/object_pool.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena {

void* Storage::operator new(size_t) { return ObjectPool<Storage>::allocate(); }
void Storage::operator delete(void* storage) { ObjectPool<Storage>::free(storage); }
void Storage::destroy(Storage* storage) {
    if (storage->is_foreign) [[unlikely]]
        return release_foreign(storage);
    storage->device->free(storage);
}

std::mutex& derived_forms_mutex() {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);  // Storages may outlive any static.
    return mutex;
}

void Storage::drop_forms() {
    std::lock_guard lock(derived_forms_mutex());
    delete forms.exchange(nullptr);
}

void* ArrayBody::operator new(size_t) { return ObjectPool<ArrayBody>::allocate(); }
void ArrayBody::operator delete(void* body) { ObjectPool<ArrayBody>::free(body); }
void ArrayBody::destroy(ArrayBody* body) { delete body; }

namespace {

bool is_contiguous(const Shape& shape, const Strides& strides) {
    int64_t expected = 1;
    bool dense = true;
    for (int i = shape.rank() - 1; i >= 0; --i) {
        if (shape[i] == 0) return true;
        if (shape[i] != 1 && strides[i] != expected) dense = false;
        if (dense)
            expected *=
                shape[i];  // Not of a repeated dimension: sizes may multiply to more than 2^63.
    }
    return dense;
}

/// Checks a host read: elements must exist and not be traced.
void check_readable(const Array& array, const char* reader) {
    if (!array.defined()) fail<ValueError>("{}: the array is not defined", reader);
    if (AccessObserver* observer = access_observer())
        observer->host_read(*array.body());
    else if (Pending* pending = array.body()->pending)
        pending->force(*array.body());
    if (array.device().is_meta())
        fail<DeviceError>(
            "{}: an array on the meta device has a type, {}, but no elements; compute on another "
            "device, such as cpu, to read them",
            reader, to_string(array.type()));
}

/// `array` as dense elements of dtype in host memory.
Array on_host(const Array& array, Dtype dtype) {
    return array.to(cpu_device()).astype(dtype).as_contiguous();
}

}  // namespace

Array Array::empty(const Type& type, Device& device) try {
    Ref<ArrayBody> body = make_ref<ArrayBody>();
    body->type = type;
    const size_t bytes = byte_count(type, &body->strides);
    try {
        body->storage = device.allocate(bytes);
    } catch (const OutOfMemory& error) {
        throw OutOfMemory(fmt::format("{}: an array {}", device.name(), to_string(type)), bytes,
                          error.held);
    }
    return Array(std::move(body));
} catch (const std::bad_alloc&) {
    throw_out_of_memory([&] { return device.name(); }, "an array");
}

Array Array::empty(const Type& type) { return empty(type, current_device()); }

Array Array::zeros(const Type& type) { return full(type, 0); }

Array Array::full(const Type& type, double value) {
    Array result = empty(type);
    if (!result.device().is_host()) {
        if (result.device().is_meta()) return result;
        DeviceScope on_cpu(cpu_device());
        return full(type, value).to(result.device());
    }
    visit_dtype(type.dtype, [&](auto zero) {
        using T = decltype(zero);
        T* data = static_cast<T*>(result.address());
        if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
            std::fill_n(data, result.size(), T(float(value)));
        else
            std::fill_n(data, result.size(), T(value));
    });
    return result;
}

// E, not T: g++ 12 takes that for the member of this name.
template <Element E>
Array Array::from(std::span<const E> data, const Shape& shape) {
    if (element_count(shape) != int64_t(data.size()))
        fail<ShapeError>("Array::from: {} elements do not fill the shape {}, which has {}",
                         data.size(), to_string(shape), element_count(shape));
    Array result = empty({dtype_of<E>, shape});
    result.device().copy_from_host(data.data(), result);
    return result;
}

void Array::undefined(const char* asked, const Caller& at) {
    const LocationScope scope(at);
    fail<ValueError>(
        "{}: this Array is undefined: nothing was assigned to it, or it is a gradient or a "
        "parameter "
        "that is not there yet (see defined())",
        asked);
}

void Array::settle() const {
    if (Pending* pending = body_->pending) pending->force(*body_);
}

void Array::check_writable(const char* asked, const Caller& at) const {
    const LocationScope scope(at);
    fail<ValueError>(
        "{}: the elements of {} lie in memory of somebody else that may only be read; elements() "
        "reads them, copy() gives an array of one's own",
        asked, to_string(type()));
}

void* Array::raw_data(Caller at) const {
    there("raw_data", at);
    if (body_->storage->is_read_only) [[unlikely]]
        check_writable("raw_data", at);
    void* const pointer = address();
    body_->storage->expose();
    if (AccessObserver* observer = access_observer()) observer->addressed(*body_);
    return pointer;
}

void* Array::to_fill() const {
    there("to_fill", {});
    if (body_->storage->is_read_only) [[unlikely]]
        check_writable("to_fill", {});
    void* const pointer = address();
    body_->storage->will_change();
    if (AccessObserver* observer = access_observer()) observer->addressed(*body_);
    return pointer;
}

const void* Array::elements() const {
    there("elements", {});
    return address();
}

void* Array::address() const {
    settle();
    if (!device().is_host())
        fail<DeviceError>("the elements of {} on device {} cannot be addressed by the host",
                          to_string(type()), device().name());
    return static_cast<std::byte*>(body_->storage->data) +
           body_->offset * int64_t(size_of(dtype()));
}

int64_t Array::dim_from_end(int axis, const Caller& at) const {
    const LocationScope scope(at);
    const Shape& shape = body_->type.shape;
    return shape[normalize_axis("dim", axis, shape.rank())];
}

void Array::check_element_type(const char* asked, Dtype wanted, const Caller& at) const {
    if (dtype(at) == wanted) return;
    const LocationScope scope(at);
    fail<DtypeError>("{}<{}>() of an array of {}; astype(Dtype::{}) converts it", asked,
                     name_of(wanted), name_of(dtype()), name_of(wanted));
}

template <Element E>
E* Array::data(Caller at) const {
    check_element_type("data", dtype_of<E>, at);
    return static_cast<E*>(raw_data());
}

template <Element E>
const E* Array::elements(Caller at) const {
    check_element_type("elements", dtype_of<E>, at);
    return static_cast<const E*>(address());
}

template <Element E>
E* Array::to_fill(Caller at) const {
    check_element_type("to_fill", dtype_of<E>, at);
    return static_cast<E*>(to_fill());
}

Array Array::view(const Shape& shape, const Strides& strides, int64_t offset) const try {
    const ArrayBody& viewed = there("view", {});
    counted_elements(viewed.type.dtype, shape);
    if (Pending* pending = viewed.pending) {
        if (ArrayBody* look = pending->look(*body_, shape, strides, offset))
            return Array(Ref<ArrayBody>(look));
        settle();
    }
    Ref<ArrayBody> body = make_ref<ArrayBody>();
    body->storage = body_->storage;
    body->offset = offset;
    body->type = {dtype(), shape};
    body->strides = strides;
    body->contiguous = is_contiguous(shape, strides);
    return Array(std::move(body));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Array", "view");
}

Array Array::as_contiguous() const {
    if (there("as_contiguous", {}).contiguous) return *this;
    if (Pending* pending = body_->pending)
        if (Array copy = pending->row_major(*body_); copy.defined()) return copy;
    settle();
    Array result = empty(type(), device());
    if (!device().is_meta()) copy_elements(*this, result);
    return result;
}

Array Array::astype(Dtype dtype) const {
    if (dtype == there("astype", {}).type.dtype) return *this;
    settle();
    Array result = empty({dtype, shape()}, device());
    if (!device().is_meta()) copy_elements(*this, result);
    return result;
}

Array Array::to(Device& target) const {
    if (&target == there("to", {}).storage->device) return *this;
    settle();
    Array result = empty(type(), target);
    if (target.is_meta()) return result;
    if (device().is_meta())
        fail<DeviceError>("an array on the meta device ({}) has no elements to copy to {}",
                          to_string(type()), target.name());
    const Array dense = as_contiguous();
    if (device().is_host()) {
        target.copy_from_host(dense.address(), result);
        return result;
    }
    if (auto* peer = dynamic_cast<CodeDevice*>(&target);
        peer && peer->copy_from_peer(dense, result))
        return result;
    const Array staging = target.is_host() ? result : empty(type(), cpu_device());
    device().copy_to_host(dense, staging.address());
    if (!target.is_host()) target.copy_from_host(staging.address(), result);
    return result;
}

template <Element E>
E Array::item(Caller at) const try {
    there("item", at);
    check_readable(*this, "item");
    if (size() != 1) {
        const LocationScope scope(at);
        fail<ShapeError>(
            "item: the array has {} elements (shape {}); item() is for arrays of one, to_vector() "
            "gives all",
            size(), to_string(shape()));
    }
    return *static_cast<const E*>(on_host(*this, dtype_of<E>).elements());
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Array", "item");
}

template <Element E>
std::vector<E> Array::to_vector(Caller at) const try {
    there("to_vector", at);
    check_readable(*this, "to_vector");
    const Array dense = on_host(*this, dtype_of<E>);
    const E* data = static_cast<const E*>(dense.elements());
    return std::vector<E>(data, data + size());
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Array", "to_vector");
}

#define CATENA_INSTANTIATE(T)                                        \
    template Array Array::from<T>(std::span<const T>, const Shape&); \
    template T* Array::data<T>(Caller) const;                        \
    template const T* Array::elements<T>(Caller) const;              \
    template T* Array::to_fill<T>(Caller) const;                     \
    template T Array::item<T>(Caller) const;                         \
    template std::vector<T> Array::to_vector<T>(Caller) const;
CATENA_INSTANTIATE(bool)
CATENA_INSTANTIATE(int8_t)
CATENA_INSTANTIATE(int16_t)
CATENA_INSTANTIATE(int32_t)
CATENA_INSTANTIATE(int64_t)
CATENA_INSTANTIATE(uint8_t)
CATENA_INSTANTIATE(Half)
CATENA_INSTANTIATE(BFloat16)
CATENA_INSTANTIATE(float)
CATENA_INSTANTIATE(double)
#undef CATENA_INSTANTIATE

}  // namespace catena
