#pragma once

#include <concepts>

#include "runtime/core/memory/ref.h"

namespace catena {

/// A shared number: a hyperparameter that compiled programs read at every call.
/// `optimizer.alpha = 1e-4` writes through it. Copies of a Cell share the number.
class Cell {
public:
    /// The shared number and its name.
    struct Body : RefCounted {
        /// The number.
        double value;
        /// The name, for messages and files; a literal.
        const char* name;
        int* reads = nullptr;  ///< A counter of reads of the number on the host; may be null.
        /// A number with this value and name.
        Body(double v, const char* n) : value(v), name(n) {}
        /// Frees it.
        static void destroy(Body* body) { delete body; }
    };
    /// A number of its own.
    explicit Cell(double value = 0, const char* name = "");
    /// Makes another handle of the same number.
    Cell(const Cell&);
    ~Cell();
    /// Copies the value alone: after `b.lr = a.lr` there are still two numbers.
    Cell& operator=(const Cell& other) { return *this = other.body_->value; }
    /// Sets the number; compiled programs read it at their next call.
    Cell& operator=(double value) {
        body_->value = value;
        return *this;
    }
    /// The number.
    operator double() const { return body_->value; }
    /// The number.
    double value() const { return body_->value; }
    /// The number's name; "" when it has none.
    const char* name() const { return body_->name; }
    /// The shared number.
    const Ref<Body>& body() const { return body_; }

private:
    Ref<Body> body_;
};

/// A scalar operand of an op: a plain number or a cell. In a compiled program both are
/// run-time arguments, never constants.
class Scalar {
public:
    /// Kind of the C++ type; arrays of a lower kind are promoted to it (lifted() in
    /// runtime/ops/define/scalar_type.h).
    enum class Kind : unsigned char { boolean, integer, floating };

    /// A plain number.
    template <class T>
        requires std::is_arithmetic_v<T>
    Scalar(T value) : value_(double(value)), kind_(kind_of<T>) {}
    /// The number that a cell has when the operation runs.
    Scalar(const Cell& cell) : cell_(cell.body()) {}
    /// The number now.
    double value() const {
        if (!cell_) return value_;
        if (cell_->reads) ++*cell_->reads;
        return cell_->value;
    }
    /// The value, as value(), but not counted as a read on the host.
    double present() const { return cell_ ? cell_->value : value_; }
    /// The cell; null for a plain number.
    const Ref<Cell::Body>& cell() const { return cell_; }
    /// The kind of the number; a cell is a floating one.
    Kind kind() const { return kind_; }

private:
    template <class T>
    static constexpr Kind kind_of = std::same_as<T, bool> ? Kind::boolean
                                    : std::integral<T>    ? Kind::integer
                                                          : Kind::floating;
    double value_ = 0;
    Kind kind_ = Kind::floating;
    Ref<Cell::Body> cell_;
};

}  // namespace catena
