#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/graph/variable/variable.h"
#include "runtime/ops/by_name/literal.h"

namespace catena {

struct FunctionDef;
struct FunctionParameter;

/// The arguments of one call of a function, each in the slot of its parameter; refers to the
/// caller's data. Getters throw a ValueError naming function, argument, value and the valid ones;
/// missing arguments have the default of the signature. InternalError for a name that is no
/// parameter.
class FunctionArguments {
public:
    FunctionArguments(const FunctionDef& def, std::span<const Variable> arrays,
                      std::span<const LiteralValue* const> values)
        : def_(def), arrays_(arrays), values_(values) {}

    /// All arrays of the call, in order.
    std::span<const Variable> list() const { return arrays_; }
    /// An array argument; undefined when an optional one was not given.
    const Variable& array(std::string_view name) const;
    bool is_none(std::string_view name) const;
    bool flag(std::string_view name) const;
    int64_t integer(std::string_view name) const;
    std::optional<int64_t> integer_unless_none(std::string_view name) const;
    double number(std::string_view name) const;
    /// A number argument; of integer kind if it is written as an integer (2, not 2.0).
    Scalar scalar(std::string_view name) const;
    std::string text(std::string_view name) const;
    /// A list of integers; an int is a list of one, None an empty list.
    Dims dims(std::string_view name) const;
    Dims pair(std::string_view name) const;  ///< A pair of integers; an int n is the pair (n, n).
    const LiteralValue& value(std::string_view name) const;

private:
    const FunctionParameter& parameter(std::string_view name, bool is_value) const;
    const FunctionDef& def_;
    std::span<const Variable> arrays_;
    std::span<const LiteralValue* const> values_;
    Variable none_;
};

}  // namespace catena
