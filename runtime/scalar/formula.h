#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

/// The functions that formulas are made of (runtime/scalar/intrinsics.def).
enum class Intrinsic : uint8_t {
#define CATENA_INTRINSIC(name, ...) name,
#include "runtime/scalar/intrinsics.def"
#undef CATENA_INTRINSIC
};

/// Properties of an intrinsic.
struct IntrinsicInfo {
    /// The intrinsic's name.
    std::string_view name;
    /// The number of its arguments, 1 to 3.
    int arity;
    /// Whether its result is a truth value.
    bool gives_bool;
    std::string_view float_op;  ///< The MLIR operation on floats, "" when there is none.
    std::string_view int_op;    ///< The MLIR operation on integers.
    std::string_view onnx;      ///< The ONNX expression.
};
/// The properties of an intrinsic.
const IntrinsicInfo& info_of(Intrinsic intrinsic);
/// The number of intrinsics.
inline constexpr int intrinsic_count =
#define CATENA_INTRINSIC(...) +1
#include "runtime/scalar/intrinsics.def"
#undef CATENA_INTRINSIC
    ;

/// A scalar function as a shared graph: every value occurs once, arguments before uses. All values
/// are truth values or of the one type that the map computes in (see compute_dtype). This is the
/// single definition of an elementwise operation: the eager kernel runs it in blocks, the compiler
/// turns it into arith/math operations.
struct Formula {
    /// What a node is, if it is no operation.
    enum class Leaf : uint8_t { none, input, scalar, literal };
    /// One value of the graph.
    struct Node {
        /// What it is, if it is no operation.
        Leaf leaf = Leaf::none;
        Intrinsic op{};  ///< The operation of a node that is no leaf.
        /// Node indices of the arguments; for a leaf args[0] is the number of the input or scalar.
        std::array<int32_t, 3> args{};
        /// The number, of a literal.
        double literal = 0;
        /// Whether it is a truth value.
        bool is_bool = false;
        friend bool operator==(const Node&, const Node&) = default;
    };
    /// The number of inputs.
    int input_count = 0;
    /// The number of scalars.
    int scalar_count = 0;
    /// The values, arguments before uses.
    std::vector<Node> nodes;
    /// The indices of the results among the values.
    std::vector<int32_t> outputs;

    /// Whether some output depends on that input.
    bool reads_input(int input) const;
    /// The formula as text, for messages and tests: "select(gt(x0, 0), x0, 0)".
    std::string to_string() const;
};

class Symbol;
/// Adds a node unless an equal one exists.
Symbol emit(Formula* formula, const Formula::Node& node);
/// A number as a value.
Symbol literal(Formula* formula, double value);
/// The result of an intrinsic.
Symbol emit(Intrinsic op, Symbol a);
Symbol emit(Intrinsic op, Symbol a, Symbol b);
Symbol emit(Intrinsic op, Symbol a, Symbol b, Symbol c);

/// A value inside a formula under construction. Ops write their formula as a generic lambda;
/// called with Symbols it builds the Formula, called with Variables it computes (and
/// differentiates).
///
/// Its functions are found where an argument is a Symbol, and nowhere else: a user's `ct::tanh`
/// names one function, that of Variables, which can be passed on.
class Symbol {
public:
    /// The value of this index of a formula.
    Symbol(Formula* formula, int32_t id) : formula_(formula), id_(id) {}
    /// The formula that it is in.
    Formula* formula() const { return formula_; }
    /// The node's index in the formula.
    int32_t id() const { return id_; }
    /// Whether it is a truth value.
    bool is_bool() const { return formula_->nodes[id_].is_bool; }

#define CATENA_SYMBOL_BINARY(function, intrinsic)                                           \
    friend Symbol function(Symbol a, Symbol b) { return emit(Intrinsic::intrinsic, a, b); } \
    friend Symbol function(Symbol a, double b) {                                            \
        return emit(Intrinsic::intrinsic, a, literal(a.formula(), b));                      \
    }                                                                                       \
    friend Symbol function(double a, Symbol b) {                                            \
        return emit(Intrinsic::intrinsic, literal(b.formula(), a), b);                      \
    }
    /// The sum.
    CATENA_SYMBOL_BINARY(operator+, add)
    /// The difference.
    CATENA_SYMBOL_BINARY(operator-, sub)
    /// The product.
    CATENA_SYMBOL_BINARY(operator*, mul)
    /// The quotient.
    CATENA_SYMBOL_BINARY(operator/, div)
    /// Whether they are equal.
    CATENA_SYMBOL_BINARY(operator==, eq)
    /// Whether they differ.
    CATENA_SYMBOL_BINARY(operator!=, ne)
    /// Whether a is less than b.
    CATENA_SYMBOL_BINARY(operator<, lt)
    /// Whether a is less than b, or equal.
    CATENA_SYMBOL_BINARY(operator<=, le)
    /// Whether a is greater than b.
    CATENA_SYMBOL_BINARY(operator>, gt)
    /// Whether a is greater than b, or equal.
    CATENA_SYMBOL_BINARY(operator>=, ge)
    /// Whether both are true.
    CATENA_SYMBOL_BINARY(operator&&, logical_and)
    /// Whether either is true.
    CATENA_SYMBOL_BINARY(operator||, logical_or)
    /// The smaller one; NaN if either is.
    CATENA_SYMBOL_BINARY(minimum, min)
    /// The larger one; NaN if either is.
    CATENA_SYMBOL_BINARY(maximum, max)
    /// a to the power of b.
    CATENA_SYMBOL_BINARY(pow, pow)
    /// The rest of a divided by b, with the sign of a.
    CATENA_SYMBOL_BINARY(fmod, fmod)
#undef CATENA_SYMBOL_BINARY

#define CATENA_SYMBOL_UNARY(function, intrinsic) \
    friend Symbol function(Symbol a) { return emit(Intrinsic::intrinsic, a); }
    /// The symbol with the opposite sign.
    CATENA_SYMBOL_UNARY(operator-, neg)
    /// Whether it is false.
    CATENA_SYMBOL_UNARY(operator!, logical_not)
    /// The absolute value.
    CATENA_SYMBOL_UNARY(absolute, abs)
    /// The largest integer that is not greater.
    CATENA_SYMBOL_UNARY(floor, floor)
    /// The smallest integer that is not less.
    CATENA_SYMBOL_UNARY(ceil, ceil)
    /// The symbol without the digits after the point.
    CATENA_SYMBOL_UNARY(trunc, trunc)
    /// The square root.
    CATENA_SYMBOL_UNARY(sqrt, sqrt)
    /// The reciprocal of the square root, 1 / sqrt(a).
    CATENA_SYMBOL_UNARY(rsqrt, rsqrt)
    /// The exponential function.
    CATENA_SYMBOL_UNARY(exp, exp)
    /// exp(a) - 1, exact near 0.
    CATENA_SYMBOL_UNARY(expm1, expm1)
    /// The natural logarithm.
    CATENA_SYMBOL_UNARY(log, log)
    /// log(1 + a), exact near 0.
    CATENA_SYMBOL_UNARY(log1p, log1p)
    /// The sine.
    CATENA_SYMBOL_UNARY(sin, sin)
    /// The cosine.
    CATENA_SYMBOL_UNARY(cos, cos)
    /// The hyperbolic tangent.
    CATENA_SYMBOL_UNARY(tanh, tanh)
    /// The error function.
    CATENA_SYMBOL_UNARY(erf, erf)
    /// 1 - erf(a), exact for large a.
    CATENA_SYMBOL_UNARY(erfc, erfc)
#undef CATENA_SYMBOL_UNARY

private:
    Formula* formula_;
    int32_t id_;
};

/// The number 1 or 0 from a truth value; a number is returned as it is.
Symbol as_number(Symbol truth);

/// condition ? a : b for each element; a number as condition means "not 0".
Symbol select(Symbol condition, Symbol a, Symbol b);
inline Symbol select(Symbol c, Symbol a, double b) { return select(c, a, literal(c.formula(), b)); }
inline Symbol select(Symbol c, double a, Symbol b) { return select(c, literal(c.formula(), a), b); }
inline Symbol select(Symbol c, double a, double b) {
    return select(c, literal(c.formula(), a), literal(c.formula(), b));
}

}  // namespace catena
