#pragma once

#include <functional>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/op/op.h"
#include "runtime/ops/by_name/function_arguments.h"
#include "runtime/ops/by_name/function_def.h"
#include "runtime/ops/by_name/literal.h"

namespace catena {

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
