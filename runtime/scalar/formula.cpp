#include "runtime/scalar/formula.h"

#include <bit>

#include <fmt/format.h>

#include "runtime/core/system/error.h"

namespace catena {

namespace {

constexpr bool is_bool_result(char kind) { return kind == 'B'; }

constexpr IntrinsicInfo infos[] = {
#define CATENA_INTRINSIC(name, arity, result, float_op, int_op, onnx) \
    {#name, arity, is_bool_result(#result[0]), float_op, int_op, onnx},
#include "runtime/scalar/intrinsics.def"
#undef CATENA_INTRINSIC
};

/// Whether two nodes are the same: as ==, but 0 and -0 differ and a NaN equals itself.
bool same(const Formula::Node& a, const Formula::Node& b) {
    return a.leaf == b.leaf && a.op == b.op && a.args == b.args && a.is_bool == b.is_bool &&
           std::bit_cast<uint64_t>(a.literal) == std::bit_cast<uint64_t>(b.literal);
}

bool takes_bool(Intrinsic op, int argument) {
    switch (op) {
        case Intrinsic::logical_and:
        case Intrinsic::logical_or:
        case Intrinsic::logical_not:
        case Intrinsic::as_number:
            return true;
        case Intrinsic::select:
            return argument == 0;
        default:
            return false;
    }
}

/// `value` as what argument `argument` of `op` must be.
Symbol converted(Symbol value, Intrinsic op, int argument) {
    const bool wanted = takes_bool(op, argument);
    if (value.is_bool() == wanted) return value;
    return wanted ? value != 0 : emit(Intrinsic::as_number, value);
}

Symbol emit_call(Intrinsic op, std::initializer_list<Symbol> arguments) {
    Formula* formula = arguments.begin()->formula();
    CATENA_ASSERT(int(arguments.size()) == info_of(op).arity,
                  fmt::format("{} takes {} arguments", info_of(op).name, info_of(op).arity));
    Formula::Node node{.op = op, .is_bool = info_of(op).gives_bool};
    int i = 0;
    for (Symbol argument : arguments) {
        CATENA_ASSERT(argument.formula() == formula, "symbols of two formulas are mixed");
        node.args[i] = converted(argument, op, i).id();
        ++i;
    }
    return emit(formula, node);
}

void print(const Formula& formula, int32_t id, std::string& out) {
    const Formula::Node& node = formula.nodes[id];
    switch (node.leaf) {
        case Formula::Leaf::input:
            out += fmt::format("x{}", node.args[0]);
            return;
        case Formula::Leaf::scalar:
            out += fmt::format("s{}", node.args[0]);
            return;
        case Formula::Leaf::literal:
            out += fmt::format("{}", node.literal);
            return;
        case Formula::Leaf::none:
            break;
    }
    const IntrinsicInfo& info = info_of(node.op);
    out += info.name;
    for (int i = 0; i < info.arity; ++i) {
        out += i == 0 ? "(" : ", ";
        print(formula, node.args[i], out);
    }
    out += ')';
}

}  // namespace

const IntrinsicInfo& info_of(Intrinsic intrinsic) { return infos[size_t(intrinsic)]; }

bool Formula::reads_input(int input) const {
    std::vector<bool> wanted(nodes.size());
    for (int32_t output : outputs) wanted[size_t(output)] = true;
    for (size_t i = nodes.size(); i-- > 0;) {
        if (!wanted[i]) continue;
        const Node& node = nodes[i];
        if (node.leaf == Leaf::input && node.args[0] == input) return true;
        if (node.leaf != Leaf::none) continue;
        for (int k = 0; k < info_of(node.op).arity; ++k) wanted[size_t(node.args[k])] = true;
    }
    return false;
}

std::string Formula::to_string() const {
    std::string out;
    for (int32_t output : outputs) {
        if (!out.empty()) out += "; ";
        print(*this, output, out);
    }
    return out;
}

Symbol emit(Formula* formula, const Formula::Node& node) {
    for (size_t i = formula->nodes.size(); i-- > 0;)
        if (same(formula->nodes[i], node)) return Symbol(formula, int32_t(i));
    formula->nodes.push_back(node);
    return Symbol(formula, int32_t(formula->nodes.size() - 1));
}

Symbol literal(Formula* formula, double value) {
    return emit(formula, {.leaf = Formula::Leaf::literal, .literal = value});
}

Symbol emit(Intrinsic op, Symbol a) {
    // A number needs no conversion.
    if (op == Intrinsic::as_number && !a.is_bool()) return a;
    return emit_call(op, {a});
}
Symbol emit(Intrinsic op, Symbol a, Symbol b) { return emit_call(op, {a, b}); }
Symbol emit(Intrinsic op, Symbol a, Symbol b, Symbol c) { return emit_call(op, {a, b, c}); }

Symbol as_number(Symbol truth) { return emit(Intrinsic::as_number, truth); }

Symbol select(Symbol condition, Symbol a, Symbol b) {
    return emit(Intrinsic::select, condition, a, b);
}

}  // namespace catena
