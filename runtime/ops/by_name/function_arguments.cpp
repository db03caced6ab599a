#include "runtime/ops/by_name/function_arguments.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/by_name/function_def.h"

namespace catena {
namespace {

bool is_empty_list(const LiteralValue& v) {
    if (const Dims* dims = std::get_if<Dims>(&v.value)) return dims->empty();
    const auto* list = std::get_if<LiteralValue::List>(&v.value);
    return list && list->empty();
}

}  // namespace

const FunctionParameter& FunctionArguments::parameter(std::string_view name, bool is_value) const {
    const FunctionParameter* found = def_.find(name);
    if (!found || found->is_value() != is_value) [[unlikely]]
        throw InternalError(fmt::format("{}: {} is no {} of {}", def_.name, name,
                                        is_value ? "argument" : "array", def_.signature));
    return *found;
}

const Variable& FunctionArguments::array(std::string_view name) const {
    const auto slot = size_t(parameter(name, false).slot);
    return slot < arrays_.size() ? arrays_[slot] : none_;
}

const LiteralValue& FunctionArguments::value(std::string_view name) const {
    const FunctionParameter& p = parameter(name, true);
    if (const auto slot = size_t(p.slot); slot < values_.size() && values_[slot])
        return *values_[slot];
    if (!p.fallback)
        fail<ValueError>("{}: argument {} is missing and has no default", def_.name, name);
    return *p.fallback;
}

bool FunctionArguments::is_none(std::string_view name) const { return value(name).is_none(); }

bool FunctionArguments::flag(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const bool* b = std::get_if<bool>(&v.value)) return *b;
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return *i != 0;
    fail<ValueError>("{}: {} takes True or False, not {}", def_.name, name, to_string(v));
}

int64_t FunctionArguments::integer(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return *i;
    fail<ValueError>("{}: {} takes an integer, not {}", def_.name, name, to_string(v));
}

std::optional<int64_t> FunctionArguments::integer_unless_none(std::string_view name) const {
    return is_none(name) ? std::optional<int64_t>() : integer(name);
}

double FunctionArguments::number(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const double* d = std::get_if<double>(&v.value)) return *d;
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return double(*i);
    fail<ValueError>("{}: {} takes a number, not {}", def_.name, name, to_string(v));
}

Scalar FunctionArguments::scalar(std::string_view name) const {
    if (const int64_t* i = std::get_if<int64_t>(&value(name).value)) return *i;
    return number(name);
}

std::string FunctionArguments::text(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const std::string* s = std::get_if<std::string>(&v.value)) return *s;
    fail<ValueError>("{}: {} takes a text, not {}", def_.name, name, to_string(v));
}

Dims FunctionArguments::dims(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (v.is_none()) return {};
    // Where None stands for all or for the usual, an empty list would, too; NumPy's has another
    // sense.
    const FunctionParameter& p = parameter(name, true);
    if (p.fallback && p.fallback->is_none() && is_empty_list(v))
        fail<ValueError>("{}: {} is an empty list; None is the default", def_.name, name);
    if (const Dims* dims = std::get_if<Dims>(&v.value)) return *dims;
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return {*i};
    const auto* list = std::get_if<LiteralValue::List>(&v.value);
    Dims dims;
    for (size_t k = 0; list && k < list->size(); ++k) {
        const int64_t* i = std::get_if<int64_t>(&(*list)[k].value);
        if (!i)
            list = nullptr;
        else
            dims.push_back(*i);
    }
    if (!list)
        fail<ValueError>("{}: {} takes an integer or a list of them, not {}", def_.name, name,
                         to_string(v));
    return dims;
}

Dims FunctionArguments::pair(std::string_view name) const {
    Dims d = dims(name);
    if (d.size() == 1) return {d[0], d[0]};
    if (d.size() == 2) return d;
    fail<ValueError>("{}: {} takes an integer or a pair, not {}", def_.name, name,
                     to_string(value(name)));
}

}  // namespace catena
