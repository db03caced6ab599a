#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// The most axes that an array may have.
inline constexpr int max_rank = 8;

/// Up to max_rank integers held in place: a shape, strides (in elements) or a list of axes.
class Dims {
public:
    Dims() = default;
    /// A list of these values; ShapeError for more than max_rank.
    Dims(std::initializer_list<int64_t> values);
    /// Copies the values; ShapeError for more than max_rank.
    explicit Dims(std::span<const int64_t> values);
    /// Copies a vector of integers of any type; ShapeError for more than max_rank.
    template <std::integral T>
    Dims(const std::vector<T>& values) {
        for (const T value : values) push_back(int64_t(value));
    }
    /// `rank` values that are all the same.
    static Dims filled(int rank, int64_t value);

    /// The number of values.
    int rank() const { return rank_; }
    /// The number of values.
    int size() const { return rank_; }
    /// Whether there is no value.
    bool empty() const { return rank_ == 0; }
    /// The value at this position, which is not checked.
    int64_t& operator[](int i) { return values_[i]; }
    /// The value at this position, which is not checked; a negative one counts from the end, as in
    /// x.shape()[-1].
    int64_t operator[](int i) const { return values_[i < 0 ? i + rank_ : i]; }
    /// The last value; there must be one.
    int64_t back() const { return values_[rank_ - 1]; }
    /// A pointer to the first value.
    const int64_t* begin() const { return values_; }
    /// A pointer behind the last value.
    const int64_t* end() const { return values_ + rank_; }
    /// A pointer to the first value.
    int64_t* begin() { return values_; }
    /// A pointer behind the last value.
    int64_t* end() { return values_ + rank_; }
    /// Appends a value; ShapeError beyond max_rank.
    void push_back(int64_t value);
    /// Inserts a value before that position.
    void insert(int at, int64_t value);
    /// Removes the value at that position.
    void erase(int at);
    /// Whether one of the values is this one.
    bool contains(int64_t value) const;
    /// The values, as long as this object lives.
    operator std::span<const int64_t>() const { return {values_, size_t(rank_)}; }
    friend bool operator==(const Dims& a, const Dims& b) {
        if (a.rank_ != b.rank_) return false;
        for (int i = 0; i < a.rank_; ++i)
            if (a.values_[i] != b.values_[i]) return false;
        return true;
    }

private:
    int rank_ = 0;
    int64_t values_[max_rank];
};

using Shape = Dims;  ///< The sizes of an array's axes, outermost first.
/// The steps along an array's axes, in elements (not bytes); may be 0 or negative.
using Strides = Dims;
/// A list of axes.
using Axes = Dims;

/// The values as text: "[2,3]".
std::string to_string(const Dims& dims);

/// The product of the sizes; 1 without axes.
inline int64_t element_count(const Shape& shape) {
    uint64_t count = 1;  // Wraps around on overflow: allocations check the size again.
    for (int64_t size : shape) count *= uint64_t(size);
    return int64_t(count);
}
/// The strides of a row-major array of that shape.
Strides contiguous_strides(const Shape& shape);

/// NumPy broadcasting of two shapes; false when they are incompatible.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape& result);

/// Axis in [-rank, rank) made non-negative; ShapeError naming `op` otherwise.
int normalize_axis(const char* op, int64_t axis, int rank);
/// Sorted, non-negative, without repeats; an empty list means all axes when `empty_is_all`.
Axes normalize_axes(const char* op, const Axes& axes, int rank, bool empty_is_all);

/// Dtype and shape of an array.
struct Type {
    /// The type of the elements.
    Dtype dtype = Dtype::float32;
    /// The sizes of the axes.
    Shape shape;
    friend bool operator==(const Type&, const Type&) = default;
};
/// The type as text: "float32[2,3]".
std::string to_string(const Type& type);

}  // namespace catena
