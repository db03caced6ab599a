#pragma once

#include <atomic>
#include <concepts>
#include <initializer_list>
#include <source_location>
#include <span>
#include <vector>

#include "runtime/core/array/shape.h"
#include "runtime/core/dtype/dtype.h"
#include "runtime/core/memory/ref.h"

namespace catena {

class Device;
class Index;
class Pending;
struct VariableBody;

/// A form that a library derived from a storage's elements and caches beside them, such as packed
/// weights (runtime/cpu/onednn/packed.h).
struct DerivedForms {
    virtual ~DerivedForms() = default;
};

/// A block of device memory, shared by any number of arrays. Freed into its device's pool.
struct Storage : RefCounted {
    /// The number of HeldMemory objects (held_memory.h) by which somebody outside Catena, such as a
    /// NumPy view, sees and may change this memory.
    std::atomic<uint32_t> holders = 0;
    void* data = nullptr;  ///< Null on the meta device and for zero bytes.
    size_t bytes = 0;
    Device* device = nullptr;
    uint32_t size_class = 0;  ///< The list of the device's pool it belongs to.
    /// True once somebody may hold a pointer to write through, so that changes of the elements
    /// cannot be noticed.
    std::atomic<bool> is_exposed = false;
    std::atomic<uint8_t> derivations =
        0;  ///< How often a form was derived from the present elements, up to a limit.
    bool is_foreign = false;    ///< A ForeignStorage: somebody else's memory (foreign_array.h).
    bool is_read_only = false;  ///< Foreign memory that nothing may write to.
    std::atomic<DerivedForms*> forms = nullptr;  ///< Owned; changed under derived_forms_mutex()
                                                 ///< (runtime/core/array/derived_forms.h).
    Storage* lender =
        nullptr;  ///< Owner of the memory that a BorrowedStorage shows, if that is a storage, too.

    ~Storage() { delete forms.load(std::memory_order_relaxed); }
    /// Drops all forms derived from the old elements. Called before every write.
    void will_change() {
        derivations.store(0, std::memory_order_relaxed);
        if (forms.load(std::memory_order_relaxed)) [[unlikely]]
            drop_forms();
    }
    /// Marks the storage as exposed. Called before a pointer to write through is given away.
    void expose() {
        is_exposed.store(true, std::memory_order_relaxed);
        will_change();
    }
    void drop_forms();
    /// Whether `references` counts all references to this storage, so that its memory may become
    /// another array's. Never true for foreign memory.
    bool may_be_taken(uint32_t references) const {
        return use_count() == references && !is_foreign;
    }
    bool is_held() const { return holders.load(std::memory_order_relaxed) > 0; }

    static void* operator new(size_t bytes);
    static void operator delete(void* storage);
    static void destroy(Storage* storage);
};

/// Shared description of an array; users hold an Array.
struct ArrayBody : RefCounted {
    Ref<Storage> storage;
    /// Distance of the first element from the beginning of the storage, in elements.
    int64_t offset = 0;
    Type type;
    Strides strides;
    bool contiguous = true;  ///< Row-major without gaps.
    /// The state (parameter, running statistic, optimizer moment) whose present content this is.
    /// Not owned; cleared when the state is assigned again or destroyed. The tracer reads it.
    VariableBody* owner = nullptr;
    /// The static region that will compute the elements. Null when they are there; otherwise
    /// `storage` has a device but no data, and `value` is the array's number within the region.
    Pending* pending = nullptr;
    int value = -1;

    static void* operator new(size_t bytes);
    static void operator delete(void* body);
    static void destroy(ArrayBody* body);
};

/// An n-dimensional array: a cheap handle. Elements are never written after an operation made
/// them, except by an in-place `assign` that no other reference can observe.
class Array {
public:
    using Caller = std::source_location;

    Array() = default;
    explicit Array(Ref<ArrayBody> body) : body_(std::move(body)) {}
    Array(const Array&) = default;
    Array(Array&&) = default;
    // Not to what an expression gives: `at(x, {0}) = y` would change nothing.
    Array& operator=(const Array&) & = default;
    Array& operator=(Array&&) & = default;

    /// An uninitialised, contiguous array on `device`.
    static Array empty(const Type& type, Device& device);
    /// An uninitialised, contiguous array on the current device.
    static Array empty(const Type& type);
    static Array zeros(const Type& type);
    static Array full(const Type& type, double value);
    /// Copies host elements of C++ type T; `shape` must hold data.size() elements.
    template <Element T>
    static Array from(std::span<const T> data, const Shape& shape);
    template <Element T>
    static Array from(const std::vector<T>& data, const Shape& shape) {
        return from(std::span<const T>(data), shape);
    }
    template <Element T>
    static Array from(std::initializer_list<T> data) {
        return from(std::span<const T>(data.begin(), data.size()), Shape{int64_t(data.size())});
    }
    template <Element T>
    static Array scalar(T value) {
        return from(std::span<const T>(&value, 1), Shape{});
    }

    bool defined() const { return bool(body_); }
    explicit operator bool() const { return defined(); }
    ArrayBody* body() const { return body_.get(); }
    // ValueError at the caller's line for an undefined array.
    const Type& type(Caller at = Caller::current()) const { return there("type", at).type; }
    Dtype dtype(Caller at = Caller::current()) const { return there("dtype", at).type.dtype; }
    const Shape& shape(Caller at = Caller::current()) const {
        return there("shape", at).type.shape;
    }
    int rank(Caller at = Caller::current()) const { return there("rank", at).type.shape.rank(); }
    /// The size of an axis; negative axes count from the last. ShapeError when there is none.
    int64_t dim(int axis, Caller at = Caller::current()) const {
        const Shape& shape = there("dim", at).type.shape;
        return unsigned(axis) < unsigned(shape.rank()) ? shape[axis] : dim_from_end(axis, at);
    }
    int64_t size(Caller at = Caller::current()) const {
        return element_count(there("size", at).type.shape);
    }
    Device& device(Caller at = Caller::current()) const {
        return *there("device", at).storage->device;
    }
    const Strides& strides() const { return body_->strides; }
    bool contiguous() const { return body_->contiguous; }
    const Ref<Storage>& storage() const { return body_->storage; }

    /// Address of element [0,...,0]; DeviceError unless host memory. Inside a static region this is
    /// a host read and may be a write: all recorded uses of the array are computed first. The
    /// pointer may be kept and written through at any time, so forms derived from the elements,
    /// such as packed weights, are no longer cached. To read only, call elements().
    void* raw_data(Caller at = Caller::current()) const;
    /// Address of the first element, as raw_data(); DtypeError when T is not the element type.
    template <Element T>
    T* data(Caller at = Caller::current()) const;
    /// Address of the first element for reading only; otherwise as raw_data().
    const void* elements() const;
    /// Address of the first element for reading only; DtypeError when T is not the element type.
    template <Element T>
    const T* elements(Caller at = Caller::current()) const;
    /// Address of the first element, for filling the array at once: the pointer must not be used
    /// after the next operation with the array.
    void* to_fill() const;
    /// to_fill() as a pointer to T; DtypeError when T is not the element type.
    template <Element T>
    T* to_fill(Caller at = Caller::current()) const;

    /// A view that shares this array's elements; bounds are not checked.
    Array view(const Shape& shape, const Strides& strides, int64_t offset) const;
    /// This array if it is row-major without gaps, else a row-major copy.
    Array as_contiguous() const;
    Array astype(Dtype dtype) const;  ///< This array if it has that dtype, else a converted copy.
    Array to(Device& device) const;   ///< This array if it is on `device`, else a copy there.

    /// The single element, converted; ShapeError unless size() == 1, DeviceError on the meta
    /// device. Inside a static region this is a host read, which cuts it (TraceError where
    /// StaticGraphOptions::breaks is false).
    template <Element T>
    T item(Caller at = Caller::current()) const;
    /// All elements in row-major order, converted to T. Same errors as item().
    template <Element T>
    std::vector<T> to_vector(Caller at = Caller::current()) const;

    /// x[0], x[{slice(1, 5), ellipsis}]: views (runtime/ops/array/indexing/indexing.h, which makes
    /// an Index).
    Array operator[](std::initializer_list<Index> slices) const;
    Array operator[](const Index& index) const;

    // Not of what becomes an Array: a Variable is compared by elements.
    template <std::same_as<Array> A, std::same_as<Array> B>
    friend bool operator==(const A& a, const B& b) {
        return a.body() == b.body();
    }

private:
    const ArrayBody& there(const char* asked, const Caller& at) const {
        if (!body_) [[unlikely]]
            undefined(asked, at);
        return *body_;
    }
    [[noreturn]] static void undefined(const char* asked, const Caller& at);
    int64_t dim_from_end(int axis, const Caller& at) const;
    void check_element_type(const char* asked, Dtype wanted, const Caller& at) const;
    void check_writable(const char* asked, const Caller& at) const;
    void settle() const;  ///< Computes the elements of a pending array.
    void* address() const;
    Ref<ArrayBody> body_;
};

/// "float32[2,3] {...}" with the elements, shortened past 1,000 of them.
std::string to_string(const Array& array);

/// Element-wise copy with conversion; shapes must be equal. Any strides on either side.
void copy_elements(const Array& from, const Array& to);

}  // namespace catena
