#include "runtime/core/array/shape.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/system/error.h"

namespace catena {

namespace {

void check_rank(int64_t rank) {
    if (rank > max_rank)
        fail<ShapeError>("an array of {} dimensions was asked for; at most {} are possible", rank,
                         max_rank);
}

}  // namespace

Dims::Dims(std::initializer_list<int64_t> values)
    : Dims(std::span<const int64_t>(values.begin(), values.size())) {}

Dims::Dims(std::span<const int64_t> values) : rank_(int(values.size())) {
    check_rank(int64_t(values.size()));
    std::copy(values.begin(), values.end(), values_);
}

Dims Dims::filled(int rank, int64_t value) {
    check_rank(rank);
    Dims dims;
    dims.rank_ = rank;
    std::fill_n(dims.values_, rank, value);
    return dims;
}

void Dims::push_back(int64_t value) {
    check_rank(rank_ + 1);
    values_[rank_++] = value;
}

void Dims::insert(int at, int64_t value) {
    CATENA_ASSERT(at >= 0 && at <= rank_, "Dims::insert outside of the list");
    check_rank(rank_ + 1);
    std::copy_backward(values_ + at, values_ + rank_, values_ + rank_ + 1);
    values_[at] = value;
    ++rank_;
}

void Dims::erase(int at) {
    CATENA_ASSERT(at >= 0 && at < rank_, "Dims::erase outside of the list");
    std::copy(values_ + at + 1, values_ + rank_, values_ + at);
    --rank_;
}

bool Dims::contains(int64_t value) const { return std::find(begin(), end(), value) != end(); }

std::string to_string(const Dims& dims) {
    return fmt::format("[{}]", fmt::join(dims.begin(), dims.end(), ","));
}

Strides contiguous_strides(const Shape& shape) {
    Strides strides = Dims::filled(shape.rank(), 1);
    for (int i = shape.rank() - 2; i >= 0; --i)
        strides[i] = strides[i + 1] * std::max<int64_t>(shape[i + 1], 1);
    return strides;
}

bool broadcast_shapes(const Shape& a, const Shape& b, Shape& result) {
    const Shape& longer = a.rank() >= b.rank() ? a : b;
    const Shape& shorter = a.rank() >= b.rank() ? b : a;
    Shape broadcast = longer;
    const int shift = longer.rank() - shorter.rank();
    for (int i = 0; i < shorter.rank(); ++i) {
        int64_t& size = broadcast[i + shift];
        if (size == shorter[i] || shorter[i] == 1) continue;
        if (size != 1) return false;
        size = shorter[i];
    }
    result = broadcast;
    return true;
}

int normalize_axis(const char* op, int64_t axis, int rank) {
    if (axis < -rank || axis >= rank)
        fail<ShapeError>(
            "{}: axis {} is not one of an array of {} dimensions; it must be in [{}, {})", op, axis,
            rank, -rank, rank);
    return int(axis < 0 ? axis + rank : axis);
}

Axes normalize_axes(const char* op, const Axes& axes, int rank, bool empty_is_all) {
    Axes result;
    if (axes.empty() && empty_is_all) {
        for (int i = 0; i < rank; ++i) result.push_back(i);
        return result;
    }
    for (int64_t axis : axes) {
        const int normal = normalize_axis(op, axis, rank);
        if (result.contains(normal))
            fail<ShapeError>("{}: axis {} appears twice in {}; each axis may be named once", op,
                             normal, to_string(axes));
        result.push_back(normal);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::string to_string(const Type& type) {
    return fmt::format("{}{}", name_of(type.dtype), to_string(type.shape));
}

}  // namespace catena
