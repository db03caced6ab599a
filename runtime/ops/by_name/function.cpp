#include "runtime/ops/by_name/function.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/core/per_thread.h"

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

/// The names of the arguments that the running call has read.
using Names = std::set<std::string, std::less<>>;
constinit PerThread<Names*> names_read;

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

std::vector<std::string_view> parameters_of(std::string_view signature) {
    size_t open = signature.find('(');
    return split_parameters(signature.substr(open + 1, signature.rfind(')') - open - 1));
}

bool has_parameter(std::string_view signature, std::string_view name) {
    for (std::string_view part : parameters_of(signature))
        if (part.substr(0, part.find('=')) == name) return true;
    return false;
}

FunctionDef parse_signature(const std::string& signature) {
    FunctionDef def;
    def.signature = signature;
    def.name = signature.substr(0, signature.find('('));
    for (std::string_view part : parameters_of(def.signature)) {
        size_t equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        def.defaults.emplace(std::string(part.substr(0, equals)),
                             parse_literal(part.substr(equals + 1)));
    }
    return def;
}

std::string nearest_names(std::string_view name) {
    std::vector<std::string> names;
    for (const FunctionDef& def : functions().all) names.push_back(def.name);
    std::string text;
    for (const std::string& near : nearest(name, names, 3))
        text += (text.empty() ? "" : ", ") + near;
    return text;
}

std::string describe(const LiteralValue& v) {
    struct Print {
        std::string operator()(std::monostate) const { return "None"; }
        std::string operator()(bool b) const { return b ? "True" : "False"; }
        std::string operator()(int64_t i) const { return std::to_string(i); }
        std::string operator()(double d) const { return fmt::format("{}", d); }
        std::string operator()(const std::string& s) const { return "'" + s + "'"; }
        std::string operator()(const std::vector<LiteralValue>& list) const {
            std::string text = "[";
            for (size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + describe(list[i]);
            return text + "]";
        }
    };
    return std::visit(Print(), v.value);
}

}  // namespace

FunctionArguments::FunctionArguments(std::string function, std::vector<Variable> arrays,
                                     std::map<std::string, Variable, std::less<>> by_name,
                                     std::map<std::string, LiteralValue, std::less<>> values)
    : function_(std::move(function)),
      arrays_(std::move(arrays)),
      by_name_(std::move(by_name)),
      values_(std::move(values)) {}

Variable FunctionArguments::array(std::string_view name) const {
    auto found = by_name_.find(name);
    return found == by_name_.end() ? Variable() : found->second;
}

const LiteralValue& FunctionArguments::value(std::string_view name) const {
    auto found = values_.find(name);
    if (Names* const names = names_read.get()) names->emplace(name);
    if (found == values_.end())
        fail<ValueError>("{}: argument {} is missing and has no default", function_, name);
    return found->second;
}

bool FunctionArguments::is_none(std::string_view name) const { return value(name).is_none(); }

bool FunctionArguments::flag(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const bool* b = std::get_if<bool>(&v.value)) return *b;
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return *i != 0;
    fail<ValueError>("{}: {} takes True or False, not {}", function_, name, describe(v));
}

int64_t FunctionArguments::integer(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return *i;
    fail<ValueError>("{}: {} takes an integer, not {}", function_, name, describe(v));
}

std::optional<int64_t> FunctionArguments::integer_unless_none(std::string_view name) const {
    return is_none(name) ? std::optional<int64_t>() : integer(name);
}

double FunctionArguments::number(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const double* d = std::get_if<double>(&v.value)) return *d;
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return double(*i);
    fail<ValueError>("{}: {} takes a number, not {}", function_, name, describe(v));
}

Scalar FunctionArguments::scalar(std::string_view name) const {
    if (const int64_t* i = std::get_if<int64_t>(&value(name).value)) return *i;
    return number(name);
}

std::string FunctionArguments::text(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (const std::string* s = std::get_if<std::string>(&v.value)) return *s;
    fail<ValueError>("{}: {} takes a text, not {}", function_, name, describe(v));
}

Dims FunctionArguments::dims(std::string_view name) const {
    const LiteralValue& v = value(name);
    if (v.is_none()) return {};
    if (const int64_t* i = std::get_if<int64_t>(&v.value)) return {*i};
    const auto* list = std::get_if<std::vector<LiteralValue>>(&v.value);
    Dims dims;
    for (size_t k = 0; list && k < list->size(); ++k) {
        const int64_t* i = std::get_if<int64_t>(&(*list)[k].value);
        if (!i)
            list = nullptr;
        else
            dims.push_back(*i);
    }
    if (!list)
        fail<ValueError>("{}: {} takes an integer or a list of them, not {}", function_, name,
                         describe(v));
    return dims;
}

Dims FunctionArguments::pair(std::string_view name) const {
    Dims d = dims(name);
    if (d.size() == 1) return {d[0], d[0]};
    if (d.size() == 2) return d;
    fail<ValueError>("{}: {} takes an integer or a pair, not {}", function_, name,
                     describe(value(name)));
}

const FunctionDef& register_function(std::string signature, std::vector<std::string> arrays,
                                     std::function<Variables(const FunctionArguments&)> run) {
    FunctionDef def = parse_signature(signature);
    def.array_names = std::move(arrays);
    def.run = std::move(run);
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

namespace {

/// The numbers of nested lists in order, and the sizes of the lists.
struct NumberList {
    std::vector<double> numbers;
    Shape shape;

    /// False when it is no number or list of numbers, or one list is longer than its neighbour.
    bool add(const LiteralValue& v, int depth) {
        if (const int64_t* i = std::get_if<int64_t>(&v.value)) return add(double(*i), depth);
        if (const double* d = std::get_if<double>(&v.value)) return add(*d, depth);
        const auto* list = std::get_if<std::vector<LiteralValue>>(&v.value);
        if (!list || depth == max_rank || !has_size(depth, int64_t(list->size()))) return false;
        return std::all_of(list->begin(), list->end(),
                           [&](const LiteralValue& each) { return add(each, depth + 1); });
    }

private:
    bool add(double number, int depth) {
        numbers.push_back(number);
        return depth == shape.rank();
    }
    bool has_size(int depth, int64_t size) {
        if (depth < shape.rank()) return shape[depth] == size;
        if (!numbers.empty()) return false;
        shape.push_back(size);
        return true;
    }
};

/// An array that is written as a number or as lists, of the type of the first float array that was
/// given.
Variable array_from(const FunctionDef& def, const std::string& name, const LiteralValue& v,
                    const std::vector<Variable>& arrays) {
    NumberList list;
    if (!list.add(v, 0))
        fail<ValueError>(
            "{}: {} is an array: a number, lists of numbers, or a file in its place are right, not "
            "{}",
            def.name, name, describe(v));
    Dtype dtype = Dtype::float32;
    const auto found = std::find_if(arrays.begin(), arrays.end(), [](const Variable& x) {
        return x.defined() && is_float(x.dtype());
    });
    if (found != arrays.end()) dtype = found->dtype();
    return Variable(Array::from(list.numbers, list.shape).astype(dtype), false);
}

}  // namespace

namespace {

/// An error that speaks of an operation within the function begins with the function's name, too.
template <class E, class... Others>
Variables run_named(const FunctionDef& def, const FunctionArguments& arguments) {
    try {
        if constexpr (sizeof...(Others) > 0)
            return run_named<Others...>(def, arguments);
        else
            return def.run(arguments);
    } catch (const E& error) {
        if (std::string_view(error.what()).starts_with(def.name + ":")) throw;
        throw E(def.name + ": " + error.what());
    }
}

/// The name of a list of arrays can be written like that of an argument, but nobody reads it.
void check_all_read(const FunctionDef& def, const Names& given, const Names& read) {
    for (const std::string& name : given)
        if (!read.contains(name))
            fail<ValueError>(
                "{}: {} is a list of arrays, which are given in order; it is called as {}",
                def.name, name, def.signature);
}

}  // namespace

Variables call_function(std::string_view name, std::vector<Variable> arrays,
                        std::map<std::string, LiteralValue, std::less<>> values) {
    const FunctionDef& def = find_function(name);
    std::map<std::string, Variable, std::less<>> by_name;
    bool any_number = def.array_names.size() == 1 && def.array_names[0] == "*";
    if (!any_number) {
        if (arrays.size() > def.array_names.size())
            fail<ValueError>("{}: {} arrays given, {} takes at most {}", def.name, arrays.size(),
                             def.signature, def.array_names.size());
        for (size_t i = 0; i < arrays.size(); ++i) by_name.emplace(def.array_names[i], arrays[i]);
        for (const std::string& array : def.array_names) {
            const auto written = values.find(array);
            if (written == values.end()) continue;
            if (by_name.contains(array))
                fail<ValueError>(
                    "{}: the array {} is given twice, in order and by name; it is called as {}",
                    def.name, array, def.signature);
            if (written->second.is_none() && def.defaults.contains(array)) continue;
            by_name.emplace(array, array_from(def, array, written->second, arrays));
        }
        for (size_t i = arrays.size(); i < def.array_names.size(); ++i)
            if (!def.defaults.contains(def.array_names[i]) && !by_name.contains(def.array_names[i]))
                fail<ValueError>("{}: array {} is missing; it is called as {}", def.name,
                                 def.array_names[i], def.signature);
    }
    for (const auto& [key, value] : values)
        if (!has_parameter(def.signature, key))
            fail<ValueError>("{}: there is no argument {}; it is called as {}", def.name, key,
                             def.signature);
    Names given, read;
    for (const auto& [key, value] : values)
        if (any_number && !def.defaults.contains(key)) given.insert(key);
    for (const auto& [key, value] : def.defaults) values.try_emplace(key, value);
    struct Reading {
        Names* outer;
        ~Reading() { names_read.get() = outer; }
    } reading{std::exchange(names_read.get(), &read)};
    Variables results = run_named<ShapeError, DtypeError, ValueError>(
        def, {def.name, std::move(arrays), std::move(by_name), std::move(values)});
    check_all_read(def, given, read);
    return results;
}

}  // namespace catena
