#pragma once

#include <functional>
#include <map>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/op.h"
#include "runtime/ops/by_name/function_arguments.h"
#include "runtime/ops/by_name/literal.h"

namespace catena {

/// A parameter of a function, as its signature has it.
struct FunctionParameter {
    enum class Kind : uint8_t {
        array,
        arrays,  ///< A list of them, or a list of lists.
        value,
    };
    bool is_value() const { return kind == Kind::value; }
    std::string name;
    Kind kind = Kind::value;
    bool is_variadic = false;              ///< "*xs": the arguments that follow by position.
    bool is_keyword_only = false;          ///< Behind "*".
    std::optional<LiteralValue> fallback;  ///< What it is unless given; an array's is None.
    int slot = 0;  ///< Its place among the arrays, or among the values, of a call.
};

/// Results of a function that gives one Variable, or several where its arguments ask for them.
struct OneOrMore {
    OneOrMore(Variables results) : list(std::move(results)), is_alone(list.size() == 1) {}
    OneOrMore(Variables results, bool is_alone) : list(std::move(results)), is_alone(is_alone) {}
    Variables list;
    bool is_alone;  ///< A Variable, not a list of one.
};
/// Some results and a list: `hy, cy, [y1, y2, ...]`.
struct EndsInList {
    Variables list;
    int list_from;
};

/// What a call gave.
struct FunctionResults {
    Variables list;
    bool is_alone = false;  ///< A Variable, not a list of one.
    int list_from = -1;     ///< From here on the results are one list; -1: none of them are.
};

/// A function of the public interface that can be called by name or by position: from `catena
/// call`, from tests, and from other languages.
struct FunctionDef {
    enum class Gives : uint8_t { one, several, one_or_several };

    std::string name;
    std::string signature;                      ///< As documented: "leaky_relu(x, slope=0.2)".
    std::vector<FunctionParameter> parameters;  ///< In the order of the signature.
    /// Its arrays are one list of any length (FunctionArguments::list), the parameters' one after
    /// the other: parameters have no array of their own.
    bool takes_list = false;
    size_t array_count = 0;  ///< How many parameters are arrays.
    size_t value_count = 0;  ///< How many are none.
    Gives gives = Gives::one;
    SourceLoc source;  ///< Where it is registered.

    std::function<Variable(const FunctionArguments&)> run_one;  ///< Where it gives one.
    std::function<FunctionResults(const FunctionArguments&)> run;

    const FunctionParameter* find(std::string_view parameter) const;  ///< Null: there is none.
    /// The folder of its source, as in the documentation: "activation", "loss".
    std::string_view family() const;
};

/// What function() knows of a function without its type.
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
/// ValueError with the nearest names when there is no such function.
const FunctionDef& find_function(std::string_view name);
std::vector<const FunctionDef*> all_functions();

/// Calls it by position, without memory of its own: array k is that of the parameter whose slot is
/// k (undefined or missing: not given; of a function that takes a list, the list), value k
/// likewise (null or missing: the default). `at` is what errors and recordings show. ValueError
/// where one that has no default is not given, or there are too many.
FunctionResults call_function(const FunctionDef& def, std::span<const Variable> arrays,
                              std::span<const LiteralValue* const> values = {},
                              const SourceLoc& at = std::source_location::current());
/// The same of a function that gives one; InternalError for others.
Variable call_for_one(const FunctionDef& def, std::span<const Variable> arrays,
                      std::span<const LiteralValue* const> values = {},
                      const SourceLoc& at = std::source_location::current());

using NamedValues = std::map<std::string, LiteralValue, std::less<>>;
/// Calls it with arrays in the order of the signature and the other arguments by name. Arrays may
/// be given by name, too, as numbers or lists of them.
Variables call_function(std::string_view name, std::vector<Variable> arrays,
                        NamedValues values = {});
/// An array that is written as a number or as lists. It has the type of the first float array among
/// `beside`; where there are integers only, on both sides, theirs; else it is float32. ValueError
/// names function and parameter.
Variable array_from(const FunctionDef& def, std::string_view parameter, const LiteralValue& value,
                    std::span<const Variable> beside);

}  // namespace catena
