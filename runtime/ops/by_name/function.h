#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/graph/op.h"

namespace catena {

/// A value written as text: None/null, True/true, 3, 2.5, 'text', "text", [..] or (..).
struct LiteralValue {
    std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<LiteralValue>>
        value;
    bool is_none() const { return value.index() == 0; }
};
/// ValueError with the position when the text is not a single value.
LiteralValue parse_literal(std::string_view text);

/// The arguments of one call by name. Getters throw a ValueError naming function, argument, value
/// and the valid ones; missing arguments have the default of the signature.
class FunctionArguments {
public:
    FunctionArguments(std::string function, std::vector<Variable> arrays,
                      std::map<std::string, Variable, std::less<>> by_name,
                      std::map<std::string, LiteralValue, std::less<>> values);
    const std::vector<Variable>& list() const { return arrays_; }  ///< All arrays, in order.
    Variable array(
        std::string_view name) const;  ///< Undefined when an optional array was not given.
    bool is_none(std::string_view name) const;
    bool flag(std::string_view name) const;
    int64_t integer(std::string_view name) const;
    std::optional<int64_t> integer_unless_none(std::string_view name) const;
    double number(std::string_view name) const;
    Scalar scalar(
        std::string_view name) const;  ///< Integer kind if written as an integer (2, not 2.0).
    std::string text(std::string_view name) const;
    Dims dims(std::string_view name) const;  ///< An int is a list of one; None is empty.
    Dims pair(std::string_view name) const;  ///< An int n is the pair (n, n).
    const LiteralValue& value(std::string_view name) const;

private:
    std::string function_;
    std::vector<Variable> arrays_;
    std::map<std::string, Variable, std::less<>> by_name_;
    std::map<std::string, LiteralValue, std::less<>> values_;
};

/// A function of the public interface that can be called by name: from `catena call`, and from
/// tests.
struct FunctionDef {
    std::string name;
    std::string signature;  ///< As documented: "leaky_relu(x, slope=0.2)".
    std::vector<std::string>
        array_names;  ///< Which parameters are arrays, in order; {"*"}: any number.
    std::map<std::string, LiteralValue, std::less<>> defaults;
    std::function<Variables(const FunctionArguments&)> run;
};

/// Registers a function beside the definition of its ops:
///
///     static const FunctionDef& f_leaky_relu = function("leaky_relu(x, slope=0.2)", {"x"},
///         [](const FunctionArguments& a) { return leaky_relu(a.array("x"), a.number("slope")); });
///
/// `run` may return Variable or Variables.
const FunctionDef& register_function(std::string signature, std::vector<std::string> arrays,
                                     std::function<Variables(const FunctionArguments&)> run);
template <class F>
const FunctionDef& function(std::string signature, std::vector<std::string> arrays, F run) {
    return register_function(std::move(signature), std::move(arrays),
                             [run](const FunctionArguments& a) -> Variables {
                                 if constexpr (std::is_same_v<decltype(run(a)), Variable>)
                                     return Variables{run(a)};
                                 else
                                     return run(a);
                             });
}
/// ValueError with the nearest names when there is no such function.
const FunctionDef& find_function(std::string_view name);
std::vector<const FunctionDef*> all_functions();
/// Calls it with arrays in the order of the signature and the other arguments by name.
Variables call_function(std::string_view name, std::vector<Variable> arrays,
                        std::map<std::string, LiteralValue, std::less<>> values = {});

}  // namespace catena
