#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/variable/variable.h"

namespace catena {

/// The values of an example or a mini-batch: a single value, a tuple of them, or a dict.
template <class T>
class Record {
public:
    Record() = default;
    /// One value, neither tuple nor dictionary.
    Record(T value) : values_{std::move(value)} {}
    /// A tuple of the values.
    Record(std::vector<T> tuple) : values_(std::move(tuple)), is_tuple_(true) {}
    /// A tuple of the values.
    template <class = void>  // Less fitting than the next one, where both fit: {y, array}.
    Record(std::initializer_list<T> tuple) : values_(tuple), is_tuple_(true) {}
    Record(std::initializer_list<Variable> tuple)  ///< A tuple of the Variables' elements.
        requires(!std::same_as<T, Variable>)
        : is_tuple_(true) {
        for (const Variable& value : tuple) values_.push_back(value.array());
    }
    /// A dictionary: values[i] has the name keys[i].
    Record(std::vector<std::string> keys, std::vector<T> values)
        : keys_(std::move(keys)), values_(std::move(values)), is_dict_(true) {}

    /// The number of values.
    size_t size() const { return values_.size(); }
    /// Whether it is a tuple of values: also one of a single value.
    bool is_tuple() const { return is_tuple_; }
    /// Whether the values of the record have names.
    bool is_dict() const { return is_dict_; }
    /// The keys of a dict, in its order; empty for others.
    const std::vector<std::string>& keys() const { return keys_; }
    /// The values in order.
    const std::vector<T>& values() const { return values_; }
    /// The value at this position; ValueError when there are fewer.
    const T& operator[](size_t i) const { return values_[checked(i)]; }
    /// The value of that name; ValueError, which lists the names, when there is none.
    const T& operator[](std::string_view key) const { return values_[index_of(key)]; }
    /// Whether `other` has the same number of values and the same keys.
    template <class U>
    bool is_like(const Record<U>& other) const {
        return size() == other.size() && is_tuple_ == other.is_tuple() && keys_ == other.keys();
    }

private:
    size_t checked(size_t i) const;
    size_t index_of(std::string_view key) const;
    std::vector<std::string> keys_;
    std::vector<T> values_;
    bool is_tuple_ = false, is_dict_ = false;
};

/// One example of a dataset; numbers are 0-d arrays.
using Example = Record<Array>;
/// Examples stacked along a new first axis. Its Variables do not require gradients.
using Batch = Record<Variable>;

/// The structure and types of an example: "tuple of 2: float32[784], int32[]".
std::string to_string(const Example& example);

}  // namespace catena
