#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

enum class Intrinsic : uint8_t {
#define CATENA_INTRINSIC(name, ...) name,
#include "runtime/scalar/intrinsics.def"
#undef CATENA_INTRINSIC
};

struct IntrinsicInfo {
    std::string_view name;
    int arity;
    bool gives_bool;
    std::string_view float_op;  ///< The MLIR operation on floats, "" when there is none.
    std::string_view int_op;    ///< The MLIR operation on integers.
    std::string_view onnx;      ///< The ONNX expression.
};
const IntrinsicInfo& info_of(Intrinsic intrinsic);
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
    enum class Leaf : uint8_t { none, input, scalar, literal };
    struct Node {
        Leaf leaf = Leaf::none;
        Intrinsic op{};  ///< The operation of a node that is no leaf.
        /// Node indices of the arguments; for a leaf args[0] is the number of the input or scalar.
        std::array<int32_t, 3> args{};
        double literal = 0;
        bool is_bool = false;
        friend bool operator==(const Node&, const Node&) = default;
    };
    int input_count = 0;
    int scalar_count = 0;
    std::vector<Node> nodes;
    std::vector<int32_t> outputs;

    bool reads_input(int input) const;  ///< Whether some output depends on that input.
    /// The formula as text, for messages and tests: "select(gt(x0, 0), x0, 0)".
    std::string to_string() const;
};

/// A value inside a formula under construction. Ops write their formula as a generic lambda;
/// called with Symbols it builds the Formula, called with Variables it computes (and
/// differentiates).
class Symbol {
public:
    Symbol(Formula* formula, int32_t id) : formula_(formula), id_(id) {}
    Formula* formula() const { return formula_; }
    int32_t id() const { return id_; }
    bool is_bool() const { return formula_->nodes[id_].is_bool; }

private:
    Formula* formula_;
    int32_t id_;
};

/// Adds a node unless an equal one exists.
Symbol emit(Formula* formula, const Formula::Node& node);
Symbol literal(Formula* formula, double value);
Symbol emit(Intrinsic op, Symbol a);
Symbol emit(Intrinsic op, Symbol a, Symbol b);
Symbol emit(Intrinsic op, Symbol a, Symbol b, Symbol c);

#define CATENA_SYMBOL_BINARY(function, intrinsic)                                               \
    inline Symbol function(Symbol a, Symbol b) { return emit(Intrinsic::intrinsic, a, b); }     \
    inline Symbol function(Symbol a, double b) { return function(a, literal(a.formula(), b)); } \
    inline Symbol function(double a, Symbol b) { return function(literal(b.formula(), a), b); }
CATENA_SYMBOL_BINARY(operator+, add)
CATENA_SYMBOL_BINARY(operator-, sub)
CATENA_SYMBOL_BINARY(operator*, mul)
CATENA_SYMBOL_BINARY(operator/, div)
CATENA_SYMBOL_BINARY(operator==, eq)
CATENA_SYMBOL_BINARY(operator!=, ne)
CATENA_SYMBOL_BINARY(operator<, lt)
CATENA_SYMBOL_BINARY(operator<=, le)
CATENA_SYMBOL_BINARY(operator>, gt)
CATENA_SYMBOL_BINARY(operator>=, ge)
CATENA_SYMBOL_BINARY(operator&&, logical_and)
CATENA_SYMBOL_BINARY(operator||, logical_or)
CATENA_SYMBOL_BINARY(minimum, min)
CATENA_SYMBOL_BINARY(maximum, max)
CATENA_SYMBOL_BINARY(pow, pow)
CATENA_SYMBOL_BINARY(fmod, fmod)
#undef CATENA_SYMBOL_BINARY

#define CATENA_SYMBOL_UNARY(function, intrinsic) \
    inline Symbol function(Symbol a) { return emit(Intrinsic::intrinsic, a); }
CATENA_SYMBOL_UNARY(operator-, neg)
CATENA_SYMBOL_UNARY(operator!, logical_not)
CATENA_SYMBOL_UNARY(absolute, abs)
CATENA_SYMBOL_UNARY(floor, floor)
CATENA_SYMBOL_UNARY(ceil, ceil)
CATENA_SYMBOL_UNARY(trunc, trunc)
CATENA_SYMBOL_UNARY(sqrt, sqrt)
CATENA_SYMBOL_UNARY(rsqrt, rsqrt)
CATENA_SYMBOL_UNARY(exp, exp)
CATENA_SYMBOL_UNARY(expm1, expm1)
CATENA_SYMBOL_UNARY(log, log)
CATENA_SYMBOL_UNARY(log1p, log1p)
CATENA_SYMBOL_UNARY(sin, sin)
CATENA_SYMBOL_UNARY(cos, cos)
CATENA_SYMBOL_UNARY(tanh, tanh)
CATENA_SYMBOL_UNARY(erf, erf)
CATENA_SYMBOL_UNARY(erfc, erfc)
#undef CATENA_SYMBOL_UNARY

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
