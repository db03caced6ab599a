#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

// array({1, 2, 3}), array({{1.0, 2.0}, {3.0, 4.0}}), array(vector): an array of numbers of the
// host, on the current device. The dtype is that of the C++ type (int is int32, double is float64)
// unless another is given. Lists of one level must be equally long (ShapeError).

namespace detail {

/// Throws the ShapeError for lists of one level that differ in length.
[[noreturn]] void fail_of_length(size_t length, int level, int64_t first);

/// The elements of lists of lists, one after the other, and their shape.
template <class T>
struct Flattened {
    Shape shape;
    std::vector<T> values;

    void add(std::initializer_list<T> list, int level = 0) {
        enter(list.size(), level);
        values.insert(values.end(), list.begin(), list.end());
    }
    template <class Inner>
    void add(std::initializer_list<std::initializer_list<Inner>> lists, int level = 0) {
        enter(lists.size(), level);
        for (const auto& list : lists) add(list, level + 1);
    }

    void add(const std::vector<std::vector<T>>& rows) {
        enter(rows.size(), 0);
        if (rows.empty()) enter(0, 1);
        for (const std::vector<T>& row : rows) {
            enter(row.size(), 1);
            values.insert(values.end(), row.begin(), row.end());
        }
    }

private:
    void enter(size_t length, int level) {
        if (level == shape.rank()) return shape.push_back(int64_t(length));
        if (int64_t(length) != shape[level]) fail_of_length(length, level, shape[level]);
    }
};

template <class T>
Array of_elements(const std::vector<T>& values, const Shape& shape, std::optional<Dtype> dtype) {
    const Array made = Array::from(values, shape);
    return dtype ? made.astype(*dtype) : made;
}
Array of_elements(const std::vector<bool>& values, const Shape& shape, std::optional<Dtype> dtype);

template <class T>
Array of_rows(const std::vector<std::vector<T>>& rows, std::optional<Dtype> dtype) {
    Flattened<T> all;
    all.add(rows);
    return of_elements(all.values, all.shape, dtype);
}
template <class T, class List>
Array of_lists(const List& lists, std::optional<Dtype> dtype) {
    Flattened<T> all;
    all.add(lists);
    return of_elements(all.values, all.shape, dtype);
}

}  // namespace detail

/// An array with one axis from a list of numbers: `array({1, 2, 3})`.
template <Element T>
Array array(std::initializer_list<T> list, std::optional<Dtype> dtype = {}) {
    return detail::of_lists<T>(list, dtype);
}
/// An array with two axes from lists of numbers. ShapeError unless they are of one length.
template <Element T>
Array array(std::initializer_list<std::initializer_list<T>> lists,
            std::optional<Dtype> dtype = {}) {
    return detail::of_lists<T>(lists, dtype);
}
/// An array with three axes from lists of lists. ShapeError unless they are of one length.
template <Element T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> lists,
            std::optional<Dtype> dtype = {}) {
    return detail::of_lists<T>(lists, dtype);
}
/// An array with one axis from a vector of numbers.
template <Element T>
Array array(const std::vector<T>& values, std::optional<Dtype> dtype = {}) {
    return detail::of_elements(values, Shape{int64_t(values.size())}, dtype);
}
/// An array with two axes from vectors of numbers. ShapeError unless they are of one length.
template <Element T>
Array array(const std::vector<std::vector<T>>& rows, std::optional<Dtype> dtype = {}) {
    return detail::of_rows(rows, dtype);
}
/// A copy of an array, in its dtype unless another is given.
Array array(const Array& x, std::optional<Dtype> dtype = {});
/// An array without axes from a number, as NumPy's.
template <Element T>
Array array(T number, std::optional<Dtype> dtype = {}) {
    const Array made = Array::scalar(number);
    return dtype ? made.astype(*dtype) : made;
}

/// An array as it is, or of numbers as array(): NumPy's asarray. Another dtype is a converted copy.
Array asarray(const Array& x, std::optional<Dtype> dtype = {});
template <Element T>
Array asarray(std::initializer_list<T> list, std::optional<Dtype> dtype = {}) {
    return array(list, dtype);
}
template <Element T>
Array asarray(std::initializer_list<std::initializer_list<T>> lists,
              std::optional<Dtype> dtype = {}) {
    return array(lists, dtype);
}
template <Element T>
Array asarray(const std::vector<T>& values, std::optional<Dtype> dtype = {}) {
    return array(values, dtype);
}
template <Element T>
Array asarray(const std::vector<std::vector<T>>& rows, std::optional<Dtype> dtype = {}) {
    return array(rows, dtype);
}
template <Element T>
Array asarray(T number, std::optional<Dtype> dtype = {}) {
    return array(number, dtype);
}

}  // namespace catena
