#pragma once

#include <functional>
#include <map>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/op/op.h"
#include "runtime/ops/by_name/function_arguments.h"
#include "runtime/ops/by_name/literal.h"

namespace catena {

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
    /// The folder of its source, as in the documentation: "activation", "loss".
    std::string_view family() const;
};

/// The data that function() has about a callable, without its type.
struct FunctionCode {
    FunctionDef::Gives gives;
    std::function<Variable(const FunctionArguments&)> run_one;
    std::function<FunctionResults(const FunctionArguments&)> run;
};
const FunctionDef& register_function(std::string signature, std::vector<std::string> arrays,
                                     FunctionCode code, const SourceLoc& at);

/// Registers a function beside the definition of its ops:
///
///     static const FunctionDef& f_leaky_relu = function("leaky_relu(x, slope=0.2)", {"x"},
///         [](const FunctionArguments& a) { return leaky_relu(a.array("x"), a.number("slope")); });
///
/// `arrays` are the parameters that are arrays; "*xs" is a list of them, and then `run` finds all
/// in a.list(). It may return Variable, Variables, OneOrMore or EndsInList.
template <class F>
const FunctionDef& function(std::string signature, std::vector<std::string> arrays, F run,
                            const std::source_location& at = std::source_location::current()) {
    using Result = std::invoke_result_t<F&, const FunctionArguments&>;
    FunctionCode code{FunctionDef::Gives::several, {}, {}};
    if constexpr (std::is_same_v<Result, Variable>) {
        code.gives = FunctionDef::Gives::one;
        code.run_one = std::move(run);
    } else if constexpr (std::is_same_v<Result, OneOrMore>) {
        code.gives = FunctionDef::Gives::one_or_several;
        code.run = [run = std::move(run)](const FunctionArguments& a) {
            OneOrMore results = run(a);
            return FunctionResults{std::move(results.list), results.is_alone};
        };
    } else if constexpr (std::is_same_v<Result, EndsInList>) {
        code.run = [run = std::move(run)](const FunctionArguments& a) {
            EndsInList results = run(a);
            return FunctionResults{std::move(results.list), false, results.list_from};
        };
    } else {
        code.run = [run = std::move(run)](const FunctionArguments& a) {
            return FunctionResults{run(a)};
        };
    }
    return register_function(std::move(signature), std::move(arrays), std::move(code), at);
}
/// The function of that name; ValueError with the nearest names when there is none.
const FunctionDef& find_function(std::string_view name);
std::vector<const FunctionDef*> all_functions();

/// Calls a function by position, without memory of its own. Array k is that of the parameter whose
/// slot is k (undefined or missing: not given; for a function that takes a list, the whole list),
/// value k likewise (null or missing: the default). `at` is the line that errors and recordings
/// show. ValueError where one that has no default is not given, or there are too many.
FunctionResults call_function(const FunctionDef& def, std::span<const Variable> arrays,
                              std::span<const LiteralValue* const> values = {},
                              const SourceLoc& at = std::source_location::current());
/// Calls a function that gives one Variable, otherwise as call_function(); InternalError for other
/// functions.
Variable call_for_one(const FunctionDef& def, std::span<const Variable> arrays,
                      std::span<const LiteralValue* const> values = {},
                      const SourceLoc& at = std::source_location::current());

using NamedValues = std::map<std::string, LiteralValue, std::less<>>;
/// Calls the function of that name with arrays in the order of the signature and the other
/// arguments by name. Arrays may be given by name, too, as numbers or lists of them.
Variables call_function(std::string_view name, std::vector<Variable> arrays,
                        NamedValues values = {});
/// An array from a number or from lists. It has the type of the first float array among `beside`;
/// if all are integers, on both sides, the type of these; else it is float32. ValueError names
/// function and parameter.
Variable array_from(const FunctionDef& def, std::string_view parameter, const LiteralValue& value,
                    std::span<const Variable> beside);

}  // namespace catena
