#include "runtime/core/array/print_array.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "runtime/core/array/device.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {

/// Digits after the point in the shortest text that reads as this number: of 1.25 it is 2, of 3e-07
/// it is 7.
int decimals_of(const std::string& shortest) {
    const size_t point = shortest.find('.'), exponent = shortest.find('e');
    const int digits =
        point == std::string::npos ? 0 : int(std::min(exponent, shortest.size()) - point) - 1;
    const int shift = exponent == std::string::npos ? 0 : std::stoi(shortest.substr(exponent + 1));
    return std::max(0, digits - shift);
}

/// Digits after the point where one that is not 0 stands before it.
int mantissa_digits_of(const std::string& shortest) {
    std::string digits;
    for (char c : shortest.substr(0, shortest.find('e')))
        if (c >= '0' && c <= '9') digits += c;
    const size_t first = digits.find_first_not_of('0'), last = digits.find_last_not_of('0');
    return first == std::string::npos ? 0 : int(last - first);
}

template <class T>
std::string shortest(T value) {
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_integral_v<T>)
        return fmt::format("{}", int64_t(value));
    else if constexpr (std::is_floating_point_v<T>)
        return fmt::format("{}", value);
    else
        return fmt::format("{:.5g}", float(value));
}

/// Writes all numbers with equally many digits after the point; in powers of ten where some are
/// very large or very small.
template <class T>
std::vector<std::string> float_texts(const std::vector<T>& values, const PrintOptions& options) {
    double largest = 0, smallest = INFINITY;
    int decimals = 1, mantissa = 1;
    for (const T each : values) {
        const double value = double(each);
        if (!std::isfinite(value) || value == 0) continue;
        largest = std::max(largest, std::abs(value));
        smallest = std::min(smallest, std::abs(value));
        decimals = std::max(decimals, decimals_of(shortest(each)));
        mantissa = std::max(mantissa, mantissa_digits_of(shortest(each)));
    }
    const bool is_scientific = largest >= 1e8 || smallest < 1e-4;
    std::vector<std::string> texts;
    for (const T each : values)
        texts.push_back(
            is_scientific
                ? fmt::format("{:.{}e}", double(each), std::min(mantissa, options.precision))
                : fmt::format("{:.{}f}", double(each), std::min(decimals, options.precision)));
    return texts;
}

/// Writes each number as short as it can be.
template <class T>
std::vector<std::string> shortest_texts(const std::vector<T>& values) {
    std::vector<std::string> texts;
    for (const T value : values) texts.push_back(shortest(value));
    return texts;
}

template <class T>
std::vector<std::string> texts_of(const std::vector<T>& values, const PrintOptions& options) {
    if constexpr (std::is_integral_v<T>)
        return shortest_texts(values);
    else
        return float_texts(values, options);
}

/// Walks over the elements that are shown, in order.
struct Shown {
    const Shape& shape;
    int64_t edge;  ///< How many elements are shown at each end of an axis; 0: all are shown.

    Shown(const Array& array, const PrintOptions& options)
        : shape(array.shape()),
          edge(array.size() > options.threshold ? std::max<int64_t>(1, options.edge_items) : 0) {}

    bool is_gap(int axis, int64_t i) const {
        return edge > 0 && shape[axis] > 2 * edge && i == edge;
    }
    template <class F>
    void each(int axis, int64_t at, F&& f) const {
        if (axis == shape.rank() || axis == max_rank) return f(at);
        for (int64_t i = 0; i < shape[axis]; ++i) {
            if (is_gap(axis, i)) i = shape[axis] - edge;
            each(axis + 1, at * shape[axis] + i, f);
        }
    }
};

template <class T>
std::vector<T> values_of(const Array& array, const Shown& shown) {
    const auto all = array.to_vector<T>();
    std::vector<T> values;
    if (all.empty()) return values;  // Other sizes may be huge.
    shown.each(0, 0, [&](int64_t at) { values.push_back(all[size_t(at)]); });
    return values;
}

/// The brackets around texts that are taken one after another.
class Writer {
public:
    enum class Style { columns, line };  ///< [1 2], rows below each other; {1, 2}, all in one line.

    Writer(const Shown& shown, const std::vector<std::string>& texts, Style style)
        : shown_(shown), texts_(texts), in_columns_(style == Style::columns) {
        if (in_columns_)
            for (const std::string& text : texts) width_ = std::max(width_, text.size());
    }
    std::string write() {
        write(0);
        return out_;
    }

private:
    void write(int axis) {
        const int rank = shown_.shape.rank();
        if (axis == rank) {
            out_ += fmt::format("{:>{}}", texts_[next_++], width_);
            return;
        }
        out_ += in_columns_ ? '[' : '{';
        for (int64_t i = 0; i < shown_.shape[axis]; ++i) {
            if (i > 0) separate(axis);
            if (shown_.is_gap(axis, i)) {
                out_ += "...";
                separate(axis);
                i = shown_.shape[axis] - shown_.edge;
            }
            write(axis + 1);
        }
        out_ += in_columns_ ? ']' : '}';
    }
    /// Writes what stands between elements: a blank between numbers, a line between rows, an empty
    /// line between matrices.
    void separate(int axis) {
        if (!in_columns_) {
            out_ += ", ";
            return;
        }
        const int inner = shown_.shape.rank() - 1 - axis;
        out_ += inner == 0 ? " "
                           : std::string(size_t(inner), '\n') + std::string(size_t(axis + 1), ' ');
    }

    const Shown& shown_;
    const std::vector<std::string>& texts_;
    const bool in_columns_;
    size_t width_ = 0, next_ = 0;
    std::string out_;
};

}  // namespace

PrintOptions& print_options() {
    static constinit PerThread<PrintOptions> options;
    return options.get();
}

std::string to_text(const Array& array, const PrintOptions& options) {
    if (!array.defined() || array.device().is_meta()) return to_string(array);
    if (array.shape().contains(0)) return to_string(array);
    const Shown shown(array, options);
    std::vector<std::string> texts;
    visit_dtype(array.dtype(), [&](auto zero) {
        texts = texts_of(values_of<decltype(zero)>(array, shown), options);
    });
    return Writer(shown, texts, Writer::Style::columns).write();
}

std::string to_string(const Array& array) {
    if (!array.defined()) return "undefined";
    const std::string type = to_string(array.type());
    if (array.device().is_meta()) return type + " on meta";
    const Shown shown(array, {});
    std::vector<std::string> texts;
    visit_dtype(array.dtype(), [&](auto zero) {
        texts = shortest_texts(values_of<decltype(zero)>(array, shown));
    });
    return type + ' ' +
           (array.shape().contains(0) ? "{}" : Writer(shown, texts, Writer::Style::line).write());
}

std::ostream& operator<<(std::ostream& out, const Array& array) { return out << to_text(array); }
std::ostream& operator<<(std::ostream& out, const Dims& shape) { return out << to_string(shape); }
std::ostream& operator<<(std::ostream& out, const Type& type) { return out << to_string(type); }
std::ostream& operator<<(std::ostream& out, Dtype dtype) { return out << name_of(dtype); }

}  // namespace catena
