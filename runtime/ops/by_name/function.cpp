#include "runtime/ops/by_name/function.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "runtime/core/system/error.h"
#include "runtime/core/system/location.h"
#include "runtime/core/system/nearest.h"

namespace catena {
namespace {

struct Functions {
    std::deque<FunctionDef> all;
    std::map<std::string, const FunctionDef*, std::less<>> by_name;
};
Functions& functions() {
    static Functions* f = new Functions;
    return *f;
}

std::string_view trim(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}

/// The parameters of "name(a, b=(1, 2), *xs)" at commas outside brackets.
std::vector<std::string_view> split_parameters(std::string_view list) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= list.size(); ++i) {
        char c = i < list.size() ? list[i] : ',';
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c != ',' || depth) continue;
        if (auto part = trim(list.substr(start, i - start)); !part.empty()) parts.push_back(part);
        start = i + 1;
    }
    return parts;
}

std::vector<FunctionParameter> parse_parameters(std::string_view signature) {
    const size_t open = signature.find('(');
    std::vector<FunctionParameter> parameters;
    bool is_keyword_only = false;
    for (std::string_view part :
         split_parameters(signature.substr(open + 1, signature.rfind(')') - open - 1))) {
        FunctionParameter p;
        p.is_keyword_only = is_keyword_only;
        p.is_variadic = part.starts_with('*');
        if (p.is_variadic) {
            is_keyword_only = true;
            part.remove_prefix(1);
            if (part.empty()) continue;
        }
        const size_t equals = part.find('=');
        p.name = trim(part.substr(0, equals));
        if (equals != part.npos) p.fallback = parse_literal(part.substr(equals + 1));
        parameters.push_back(std::move(p));
    }
    return parameters;
}

/// Says which parameters are arrays, and gives each its slot.
void place_arrays(FunctionDef& def, std::span<const std::string> arrays) {
    size_t next = 0;
    for (FunctionParameter& p : def.parameters) {
        const bool is_list = next < arrays.size() && arrays[next].starts_with('*');
        if (next < arrays.size() && arrays[next].substr(is_list) == p.name) {
            p.kind = is_list ? FunctionParameter::Kind::arrays : FunctionParameter::Kind::array;
            def.takes_list |= is_list;
            ++next;
        }
        p.slot = int(p.is_value() ? def.value_count++ : def.array_count++);
    }
    if (next != arrays.size())
        throw InternalError(fmt::format("{}: the array {} is no parameter, or not in their order",
                                        def.signature, arrays[next]));
}

std::string nearest_names(std::string_view name) {
    std::vector<std::string> names;
    for (const FunctionDef& def : functions().all) names.push_back(def.name);
    std::string text;
    for (const std::string& near : nearest(name, names, 3))
        text += (text.empty() ? "" : ", ") + near;
    return text;
}

void check_given(const FunctionDef& def, std::span<const Variable> arrays, size_t values) {
    if (values > def.value_count)
        fail<ValueError>("{}: {} arguments given that are no arrays, {} takes at most {}", def.name,
                         values, def.signature, def.value_count);
    if (def.takes_list) return;
    if (arrays.size() > def.array_count)
        fail<ValueError>("{}: {} arrays given, {} takes at most {}", def.name, arrays.size(),
                         def.signature, def.array_count);
    for (const FunctionParameter& p : def.parameters) {
        if (p.is_value() || p.fallback) continue;
        if (size_t(p.slot) >= arrays.size() || !arrays[size_t(p.slot)].defined())
            fail<ValueError>("{}: array {} is missing; it is called as {}", def.name, p.name,
                             def.signature);
    }
}

/// An error that speaks of an operation within the function begins with the function's name, too.
template <class E, class... Others, class Run>
auto run_named(const FunctionDef& def, const Run& run) {
    try {
        if constexpr (sizeof...(Others) > 0)
            return run_named<Others...>(def, run);
        else
            return run();
    } catch (const E& error) {
        if (std::string_view(error.what()).starts_with(def.name + ":")) throw;
        const ForgetLocation told;  // The message ends with the line already.
        throw E(def.name + ": " + error.what());
    }
}

}  // namespace

const FunctionDef& register_function(std::string signature, std::vector<std::string> arrays,
                                     FunctionCode code, const SourceLoc& at) {
    FunctionDef def{.name = signature.substr(0, signature.find('(')),
                    .signature = signature,
                    .parameters = parse_parameters(signature),
                    .gives = code.gives,
                    .source = at,
                    .run_one = std::move(code.run_one),
                    .run = std::move(code.run)};
    place_arrays(def, arrays);
    Functions& f = functions();
    if (f.by_name.contains(def.name))
        throw InternalError("a function named " + def.name + " is registered already");
    f.all.push_back(std::move(def));
    f.by_name.emplace(f.all.back().name, &f.all.back());
    return f.all.back();
}

const FunctionDef& find_function(std::string_view name) {
    auto found = functions().by_name.find(name);
    if (found == functions().by_name.end())
        fail<ValueError>("there is no function \"{}\"; the nearest are {}", name,
                         nearest_names(name));
    return *found->second;
}

std::vector<const FunctionDef*> all_functions() {
    std::vector<const FunctionDef*> all;
    for (auto& [name, def] : functions().by_name) all.push_back(def);
    return all;
}

Variable call_for_one(const FunctionDef& def, std::span<const Variable> arrays,
                      std::span<const LiteralValue* const> values, const SourceLoc& at) {
    const LocationScope scope(at);
    if (!def.run_one) throw InternalError(def.name + ": it may give several results");
    check_given(def, arrays, values.size());
    return run_named<ShapeError, DtypeError, ValueError>(
        def, [&] { return def.run_one(FunctionArguments(def, arrays, values)); });
}

FunctionResults call_function(const FunctionDef& def, std::span<const Variable> arrays,
                              std::span<const LiteralValue* const> values, const SourceLoc& at) {
    if (def.run_one) {
        FunctionResults results{.is_alone = true};
        results.list.push_back(call_for_one(def, arrays, values, at));
        return results;
    }
    const LocationScope scope(at);
    check_given(def, arrays, values.size());
    return run_named<ShapeError, DtypeError, ValueError>(
        def, [&] { return def.run(FunctionArguments(def, arrays, values)); });
}

}  // namespace catena
