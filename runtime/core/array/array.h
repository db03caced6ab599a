#pragma once

#include <atomic>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/core/array/axis_arguments.h"
#include "runtime/core/array/shape.h"
#include "runtime/core/dtype/dtype.h"
#include "runtime/core/memory/ref.h"

namespace catena {

class Device;
class Index;
class Pending;
class Scalar;
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
    /// The size of the block.
    size_t bytes = 0;
    /// The device whose memory it is.
    Device* device = nullptr;
    uint32_t size_class = 0;  ///< The list of the device's pool it belongs to.
    /// True once somebody may hold a pointer to write through, so that changes of the elements
    /// cannot be noticed.
    std::atomic<bool> is_exposed = false;
    /// How often a form was derived from the present elements, up to a limit.
    std::atomic<uint8_t> derivations = 0;
    bool is_foreign = false;    ///< A ForeignStorage: somebody else's memory (foreign_array.h).
    bool is_read_only = false;  ///< Foreign memory that nothing may write to.
    /// Owned; changed under derived_forms_mutex() (runtime/core/array/derived_forms.h).
    std::atomic<DerivedForms*> forms = nullptr;
    /// Owner of the memory that a BorrowedStorage shows, if that is a storage, too.
    Storage* lender = nullptr;

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
    /// Drops all forms derived from the elements.
    void drop_forms();
    /// Whether `references` counts all references to this storage, so that its memory may become
    /// another array's. Never true for foreign memory.
    bool may_be_taken(uint32_t references) const {
        return use_count() == references && !is_foreign;
    }
    /// Whether somebody outside Catena sees this memory.
    bool is_held() const { return holders.load(std::memory_order_relaxed) > 0; }

    /// Memory from a list of blocks.
    static void* operator new(size_t bytes);
    /// Gives the memory back to the list.
    static void operator delete(void* storage);
    /// Frees the storage by its device.
    static void destroy(Storage* storage);
};

/// Shared description of an array; users hold an Array.
struct ArrayBody : RefCounted {
    /// The memory of the elements.
    Ref<Storage> storage;
    /// Distance of the first element from the beginning of the storage, in elements.
    int64_t offset = 0;
    /// Dtype and shape.
    Type type;
    /// The steps along the axes, in elements.
    Strides strides;
    bool contiguous = true;  ///< Row-major without gaps.
    /// The state (parameter, running statistic, optimizer moment) whose present content this is.
    /// Not owned; cleared when the state is assigned again or destroyed. The tracer reads it.
    VariableBody* owner = nullptr;
    /// The static region that will compute the elements. Null when they are there; otherwise
    /// `storage` has a device but no data, and `value` is the array's number within the region.
    Pending* pending = nullptr;
    /// The number of the array within the region that will compute it; -1: none.
    int value = -1;

    /// Memory from a list of blocks.
    static void* operator new(size_t bytes);
    /// Gives the memory back to the list.
    static void operator delete(void* body);
    /// Frees the body, and with it its reference to the storage.
    static void destroy(ArrayBody* body);
};

/// An n-dimensional array: a cheap handle. Elements are never written after an operation made
/// them, except by an in-place `assign` that no other reference can observe.
class Array {
public:
    /// The line of the user's program, for messages.
    using Caller = std::source_location;

    Array() = default;
    /// A handle of this body.
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
    /// An array of zeros on the current device.
    static Array zeros(const Type& type);
    /// An array whose elements are all `value`, on the current device.
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
    /// An array without axes, from one number.
    template <Element T>
    static Array scalar(T value) {
        return from(std::span<const T>(&value, 1), Shape{});
    }

    /// Whether there is an array behind the handle.
    bool defined() const { return bool(body_); }
    /// Whether there is an array behind the handle.
    explicit operator bool() const { return defined(); }
    /// The object behind the handle; null when undefined.
    ArrayBody* body() const { return body_.get(); }
    // ValueError at the caller's line for an undefined array.
    /// Dtype and shape.
    const Type& type(Caller at = Caller::current()) const { return there("type", at).type; }
    /// The dtype of the elements.
    Dtype dtype(Caller at = Caller::current()) const { return there("dtype", at).type.dtype; }
    /// The sizes of the axes.
    const Shape& shape(Caller at = Caller::current()) const {
        return there("shape", at).type.shape;
    }
    /// The number of axes.
    int rank(Caller at = Caller::current()) const { return there("rank", at).type.shape.rank(); }
    /// The number of axes. NumPy's name of rank().
    int ndim(Caller at = Caller::current()) const { return rank(at); }
    /// The number of axes. PyTorch's name of rank().
    int dim(Caller at = Caller::current()) const { return rank(at); }
    /// The size of an axis; negative axes count from the last. ShapeError when there is none.
    int64_t dim(int axis, Caller at = Caller::current()) const {
        const Shape& shape = there("dim", at).type.shape;
        return unsigned(axis) < unsigned(shape.rank()) ? shape[axis] : dim_from_end(axis, at);
    }
    /// The number of elements.
    int64_t size(Caller at = Caller::current()) const {
        return element_count(there("size", at).type.shape);
    }
    /// The size of an axis, as dim(axis). PyTorch's name.
    int64_t size(int axis, Caller at = Caller::current()) const { return dim(axis, at); }
    /// The number of elements. PyTorch's name of size().
    int64_t numel(Caller at = Caller::current()) const { return size(at); }
    /// The device where the elements are.
    Device& device(Caller at = Caller::current()) const {
        return *there("device", at).storage->device;
    }
    /// The steps along the axes, in elements; the array must be defined.
    const Strides& strides() const { return body_->strides; }
    /// Whether the elements are row-major without gaps; the array must be defined.
    bool contiguous() const { return body_->contiguous; }
    /// The memory of the elements, which other arrays may share; the array must be defined.
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
    /// This array if it has that dtype, else a converted copy.
    Array astype(Dtype dtype) const;
    /// astype() of a dtype's name, "float32"; DtypeError where there is none of that name.
    Array astype(std::string_view dtype) const { return astype(parse_dtype(dtype)); }
    /// This array if it is on `device`, else a copy there.
    Array to(Device& device) const;
    /// This array on the device of that name, "cpu" or "cuda:0".
    Array to(std::string_view device) const;
    /// astype(), under the name that PyTorch has for it.
    Array to(Dtype dtype) const { return astype(dtype); }

    /// The single element, converted; ShapeError unless size() == 1, DeviceError on the meta
    /// device. Inside a static region this is a host read, which cuts it (TraceError where
    /// StaticGraphOptions::breaks is false).
    template <Element T>
    T item(Caller at = Caller::current()) const;
    /// The single element as a double; errors as of item<T>(), which gives an int64 beyond 2^53
    /// exactly.
    double item(Caller at = Caller::current()) const { return item<double>(at); }
    /// The single element, `float(x)`; errors as of item<T>().
    template <Element T>
        requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>)
    explicit operator T() const {
        return item<T>(Caller());
    }
    /// All elements in row-major order, converted to T. Same errors as item().
    template <Element T>
    std::vector<T> to_vector(Caller at = Caller::current()) const;

    /// x[0], x[{slice(1, 5), ellipsis}]: views (runtime/ops/array/indexing/indexing.h, which makes
    /// an Index).
    Array operator[](std::initializer_list<Index> slices) const;
    Array operator[](const Index& index) const;

    // What functions of the same names give, with NumPy's and PyTorch's names of methods
    // (runtime/ops/names). Where the two differ, as NumPy. They are recorded and compiled as the
    // functions are, and give Arrays without a graph.

    /// The elements, row-major, in another shape; one size may be -1, and follows from the others.
    /// ShapeError where the numbers of elements differ.
    Array reshape(const Shape& shape, Caller at = Caller::current()) const;
    /// In another shape, x.reshape(2, -1).
    template <std::integral... Sizes>
    Array reshape(FirstNumber first, Sizes... sizes) const {
        return reshape(first.and_then(sizes...), first.location());
    }
    /// PyTorch's name of reshape(): the elements are copied where their strides do not suffice.
    Array view(const Shape& shape, Caller at = Caller::current()) const;
    template <std::integral... Sizes>
    Array view(FirstNumber first, Sizes... sizes) const {
        return reshape(first.and_then(sizes...), first.location());
    }
    /// The axes in another order: axis i of the result is axis axes[i]; reversed if not given.
    /// ShapeError unless each axis is named once: two axes are exchanged by swapaxes().
    Array transpose(const Axes& axes = {}, Caller at = Caller::current()) const;
    /// The axes in another order, x.transpose(1, 0). ValueError for a matrix's (0, 1), by which
    /// NumPy leaves the axes as they are and PyTorch exchanges them.
    Array transpose(int64_t first, int64_t second, Caller at = Caller::current()) const;
    /// The axes in another order, x.transpose(0, 2, 1).
    template <std::integral... Order>
        requires(sizeof...(Order) != 1)
    Array transpose(FirstNumber first, Order... order) const {
        return transpose(first.and_then(order...), first.location());
    }
    /// PyTorch's name of transpose() with all axes.
    Array permute(const Axes& axes, Caller at = Caller::current()) const;
    template <std::integral... Order>
    Array permute(FirstNumber first, Order... order) const {
        return transpose(first.and_then(order...), first.location());
    }
    /// The axes in reverse order.
    Array T(Caller at = Caller::current()) const;
    /// A matrix with its two axes exchanged, as PyTorch; what has fewer axes as it is. ShapeError
    /// for more than two.
    Array t(Caller at = Caller::current()) const;
    /// Two axes exchanged.
    Array swapaxes(int64_t axis1, int64_t axis2, Caller at = Caller::current()) const;
    /// The axes from start_axis to end_axis, both included, as one, row-major; all if not given.
    /// ShapeError where start_axis is behind end_axis.
    Array flatten(int64_t start_axis = 0, int64_t end_axis = -1,
                  Caller at = Caller::current()) const;
    /// The elements in one axis, row-major.
    Array ravel(Caller at = Caller::current()) const;
    /// Without axes of size 1, or without these. ShapeError for an axis of another size.
    Array squeeze(const Axes& axes = {}, Caller at = Caller::current()) const;
    Array squeeze(int64_t axis, Caller at = Caller::current()) const;
    /// With a new axis of size 1, as expand_dims(); -1 is after the last. PyTorch's name.
    Array unsqueeze(int64_t axis, Caller at = Caller::current()) const;
    /// Repeated along axes of size 1 and new leading axes, as broadcast_to(); -1 keeps the size of
    /// an axis. PyTorch's name.
    Array expand(const Shape& shape, Caller at = Caller::current()) const;
    template <std::integral... Sizes>
    Array expand(FirstNumber first, Sizes... sizes) const {
        return expand(first.and_then(sizes...), first.location());
    }

    /// Elements whose places along an axis are named for each place, as take_along_axis().
    /// PyTorch's name.
    Array gather(int64_t axis, const Array& indices, Caller at = Caller::current()) const;

    /// The sum along the axes, all if not given; with keepdims they stay, with size 1.
    Array sum(const ReductionAxes& axis = {}, bool keepdims = false,
              Caller at = Caller::current()) const;
    /// The product along the axes, all if not given.
    Array prod(const ReductionAxes& axis = {}, bool keepdims = false,
               Caller at = Caller::current()) const;
    /// The mean along the axes, all if not given.
    Array mean(const ReductionAxes& axis = {}, bool keepdims = false,
               Caller at = Caller::current()) const;
    /// The largest element along the axes, all if not given.
    Array max(const ReductionAxes& axis = {}, bool keepdims = false,
              Caller at = Caller::current()) const;
    /// The smallest element along the axes, all if not given.
    Array min(const ReductionAxes& axis = {}, bool keepdims = false,
              Caller at = Caller::current()) const;
    /// The standard deviation, as standard_deviation(): divided by n - ddof, NumPy's default.
    Array std(const ReductionAxes& axis = {}, bool keepdims = false, int64_t ddof = 0,
              Caller at = Caller::current()) const;
    /// The variance, as variance(): divided by n - ddof, NumPy's default.
    Array var(const ReductionAxes& axis = {}, bool keepdims = false, int64_t ddof = 0,
              Caller at = Caller::current()) const;
    /// The length of vectors along the axes, of all elements if not given; of another order than 2
    /// as norm().
    Array norm(double ord = 2, const ReductionAxes& axis = {}, bool keepdims = false,
               Caller at = Caller::current()) const;
    /// Whether no element along the axes is 0; bool.
    Array all(const ReductionAxes& axis = {}, bool keepdims = false,
              Caller at = Caller::current()) const;
    /// Whether some element along the axes is not 0; bool.
    Array any(const ReductionAxes& axis = {}, bool keepdims = false,
              Caller at = Caller::current()) const;
    /// The index of the first largest element along the axis, or in the flattened array; int32.
    Array argmax(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;
    /// The index of the first smallest element along the axis, or in the flattened array; int32.
    Array argmin(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;
    /// The indices that put the elements in ascending order along the axis; int32.
    Array argsort(int64_t axis = -1, Caller at = Caller::current()) const;
    /// Running sums along the axis, or of the flattened array.
    Array cumsum(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;
    /// Running products along the axis, or of the flattened array.
    Array cumprod(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;

    /// The product as NumPy's dot: of two vectors the sum of products, of matrices matmul.
    Array dot(const Array& other, Caller at = Caller::current()) const;
    /// The product of matrices in the last two axes; the axes before them broadcast.
    Array matmul(const Array& other, Caller at = Caller::current()) const;
    /// The product of two matrices; ShapeError for others. PyTorch's name.
    Array mm(const Array& other, Caller at = Caller::current()) const;

    /// Elements below x_min become x_min, those above x_max x_max; {} is no bound.
    Array clip(const std::optional<Scalar>& x_min, const std::optional<Scalar>& x_max,
               Caller at = Caller::current()) const;
    /// PyTorch's name of clip().
    Array clamp(const std::optional<Scalar>& min, const std::optional<Scalar>& max,
                Caller at = Caller::current()) const;
    /// Rounded to that many digits after the point; ties go to the even digit.
    Array round(int decimals = 0, Caller at = Caller::current()) const;
    /// The absolute value of each element.
    Array abs(Caller at = Caller::current()) const;
    /// Each element to that power.
    Array pow(const Scalar& exponent, Caller at = Caller::current()) const;
    /// The square root of each element.
    Array sqrt(Caller at = Caller::current()) const;
    /// e to the power of each element.
    Array exp(Caller at = Caller::current()) const;
    /// The natural logarithm of each element.
    Array log(Caller at = Caller::current()) const;
    /// The hyperbolic tangent of each element.
    Array tanh(Caller at = Caller::current()) const;
    /// 1 / (1 + exp(-x)) of each element.
    Array sigmoid(Caller at = Caller::current()) const;
    /// max(0, x) of each element.
    Array relu(Caller at = Caller::current()) const;
    /// exp(x) divided by its sum along the axis.
    Array softmax(int64_t axis, Caller at = Caller::current()) const;
    /// The logarithm of softmax.
    Array log_softmax(int64_t axis, Caller at = Caller::current()) const;

    /// Another array of the same elements.
    Array copy(Caller at = Caller::current()) const;
    /// PyTorch's name of copy().
    Array clone(Caller at = Caller::current()) const;

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
    /// Computes the elements of a pending array.
    void settle() const;
    void* address() const;
    Ref<ArrayBody> body_;
};

/// "float32[2,3] {...}" with the elements, shortened past 1,000 of them.
std::string to_string(const Array& array);

/// Element-wise copy with conversion; shapes must be equal. Any strides on either side.
void copy_elements(const Array& from, const Array& to);

}  // namespace catena
