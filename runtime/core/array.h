#pragma once

#include <span>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/core/ref.h"
#include "runtime/core/shape.h"

namespace catena {

class Device;
class Pending;
struct VariableBody;

/// A block of device memory; several arrays may look at it. Freed into its device's pool.
struct Storage : RefCounted {
    void* data = nullptr;  ///< Null on the meta device and for zero bytes.
    size_t bytes = 0;
    Device* device = nullptr;
    uint32_t size_class = 0;  ///< Where the device's pool wants the block back.

    static void* operator new(size_t bytes);
    static void operator delete(void* storage);
    static void destroy(Storage* storage);
};

/// Shared description of an array; users hold an Array.
struct ArrayBody : RefCounted {
    Ref<Storage> storage;
    int64_t offset = 0;  ///< In elements.
    Type type;
    Strides strides;
    bool contiguous = true;  ///< Row-major without gaps.
    /// The state (parameter, running statistic, optimizer moment) whose present content this is.
    /// Not owned; cleared when the state is assigned anew or dies. The tracer reads it.
    VariableBody* owner = nullptr;
    /// Not null while the elements are still to be computed: `storage` then has a device and no data. `value` is the
    /// array's number there.
    Pending* pending = nullptr;
    int value = -1;

    static void* operator new(size_t bytes);
    static void operator delete(void* body);
    static void destroy(ArrayBody* body);
};

/// An n-dimensional array: a cheap handle. Elements are never written after an operation made
/// them, except through an in-place `assign` that nobody else can observe.
class Array {
public:
    Array() = default;
    explicit Array(Ref<ArrayBody> body) : body_(std::move(body)) {}

    static Array empty(const Type& type, Device& device);  ///< Uninitialised, contiguous.
    static Array empty(const Type& type);                  ///< On the current device.
    static Array zeros(const Type& type);
    static Array full(const Type& type, double value);
    /// Copies host elements of C++ type T; `shape` must hold data.size() elements.
    template <class T>
    static Array from(std::span<const T> data, const Shape& shape);
    template <class T>
    static Array from(const std::vector<T>& data, const Shape& shape) {
        return from(std::span<const T>(data), shape);
    }
    template <class T>
    static Array from(std::initializer_list<T> data) {
        return from(std::span<const T>(data.begin(), data.size()), Shape{int64_t(data.size())});
    }
    template <class T>
    static Array scalar(T value) {
        return from(std::span<const T>(&value, 1), Shape{});
    }

    bool defined() const { return bool(body_); }
    explicit operator bool() const { return defined(); }
    ArrayBody* body() const { return body_.get(); }
    const Type& type() const { return body_->type; }
    Dtype dtype() const { return body_->type.dtype; }
    const Shape& shape() const { return body_->type.shape; }
    const Strides& strides() const { return body_->strides; }
    int rank() const { return body_->type.shape.rank(); }
    int64_t dim(int axis) const { return body_->type.shape[axis]; }
    int64_t size() const { return element_count(body_->type.shape); }
    bool contiguous() const { return body_->contiguous; }
    Device& device() const { return *body_->storage->device; }
    const Ref<Storage>& storage() const { return body_->storage; }

    /// Address of element [0,...,0]; DeviceError unless host memory. Inside a static region this is a host read and may
    /// be a write: what was computed from the array until now is computed first.
    void* raw_data() const;
    const void* elements() const;  ///< As raw_data(), to read only.
    template <class T>
    T* data() const;  ///< As raw_data; DtypeError when T is not the element type.

    /// Another look at the same elements; the caller vouches for bounds.
    Array view(const Shape& shape, const Strides& strides, int64_t offset) const;
    Array as_contiguous() const;       ///< Itself, or a row-major copy.
    Array astype(Dtype dtype) const;   ///< Itself, or a converted copy.
    Array to(Device& device) const;    ///< Itself, or a copy there.

    /// The single element, converted; ShapeError unless size() == 1, TraceError inside a static
    /// region, DeviceError on the meta device.
    template <class T>
    T item() const;
    /// All elements in row-major order, converted to T. Same errors as item().
    template <class T>
    std::vector<T> to_vector() const;

    friend bool operator==(const Array& a, const Array& b) { return a.body_ == b.body_; }

private:
    void settle() const;  ///< Gives a pending array its elements.
    void* address() const;
    Ref<ArrayBody> body_;
};

/// "float32[2,3] {...}" with the elements, shortened past 1,000 of them.
std::string to_string(const Array& array);

/// Element-wise copy with conversion; shapes must be equal. Any strides on either side.
void copy_elements(const Array& from, const Array& to);

}  // namespace catena
