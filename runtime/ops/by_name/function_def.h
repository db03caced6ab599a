#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/op/op.h"
#include "runtime/ops/by_name/literal.h"

namespace catena {

class FunctionArguments;

/// A parameter of a function, as its signature has it.
struct FunctionParameter {
    enum class Kind : uint8_t {
        array,
        arrays,  ///< A list of arrays, or a list of lists.
        value,
    };
    bool is_value() const { return kind == Kind::value; }
    std::string name;
    Kind kind = Kind::value;
    bool is_variadic = false;      ///< True for "*xs": the arguments that follow by position.
    bool is_keyword_only = false;  ///< True for a parameter behind "*".
    std::optional<LiteralValue> fallback;  ///< The default value; None for an array.
    int slot = 0;  ///< The index among the arrays, or among the values, of a call.
};

/// Results of a function that gives one Variable, or several where its arguments ask for them.
struct OneOrMore {
    OneOrMore(Variables results) : list(std::move(results)), is_alone(list.size() == 1) {}
    OneOrMore(Variables results, bool is_alone) : list(std::move(results)), is_alone(is_alone) {}
    Variables list;
    bool is_alone;  ///< Whether the result is a Variable, not a list of one.
};
/// Results of a function that gives some Variables and a list: `hy, cy, [y1, y2, ...]`.
struct EndsInList {
    Variables list;
    int list_from;
};

/// The results of a call.
struct FunctionResults {
    Variables list;
    bool is_alone = false;  ///< Whether the result is a Variable, not a list of one.
    /// Index of the first result that belongs to a list; -1: there is no list.
    int list_from = -1;
};

/// A function of the public interface that can be called by name or by position: from `catena
/// call`, from tests, and from other languages.
struct FunctionDef {
    enum class Gives : uint8_t { one, several, one_or_several };

    std::string name;
    std::string signature;  ///< The signature as documented: "leaky_relu(x, slope=0.2)".
    std::vector<FunctionParameter> parameters;  ///< The parameters in the order of the signature.
    /// Whether all arrays form one list of any length (FunctionArguments::list): the arrays of all
    /// parameters one after the other, so that parameters have no slot of their own.
    bool takes_list = false;
    size_t array_count = 0;  ///< The number of parameters that are arrays.
    size_t value_count = 0;  ///< The number of parameters that are no arrays.
    Gives gives = Gives::one;
    SourceLoc source;  ///< The line at which it is registered.

    /// The code of a function that gives one Variable; else empty.
    std::function<Variable(const FunctionArguments&)> run_one;
    std::function<FunctionResults(const FunctionArguments&)> run;

    /// The parameter of that name; null: there is none.
    const FunctionParameter* find(std::string_view parameter) const;
    /// The folder below runtime/ops that its source lies in, as in the documentation: "activation",
    /// "loss".
    std::string_view family() const;
};

}  // namespace catena
