#include <algorithm>

#include "runtime/core/error.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

/// The numbers of nested lists in order, and the sizes of the lists.
struct NumberList {
    std::vector<double> numbers;
    Shape shape;

    /// False when it is no number or list of numbers, or one list is longer than its neighbour.
    bool add(const LiteralValue& v, int depth) {
        if (const int64_t* i = std::get_if<int64_t>(&v.value)) return add(double(*i), depth);
        if (const double* d = std::get_if<double>(&v.value)) return add(*d, depth);
        const auto list = v.items();
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

void check_names(const FunctionDef& def, const NamedValues& values) {
    for (const auto& [key, value] : values) {
        const FunctionParameter* p = def.find(key);
        if (!p)
            fail<ValueError>("{}: there is no argument {}; it is called as {}", def.name, key,
                             def.signature);
        if (def.takes_list && !p->is_value())
            fail<ValueError>("{}: {} is {} given in order; it is called as {}", def.name, key,
                             p->kind == FunctionParameter::Kind::array
                                 ? "an array, which is"
                                 : "a list of arrays, which are",
                             def.signature);
    }
}

/// Arrays that were written by name, behind those that were given in order.
void add_named_arrays(const FunctionDef& def, const NamedValues& values,
                      std::vector<Variable>& arrays) {
    const std::vector<Variable> given = arrays;
    for (const FunctionParameter& p : def.parameters) {
        const auto written = values.find(p.name);
        if (p.is_value() || written == values.end()) continue;
        const auto slot = size_t(p.slot);
        if (slot < given.size())
            fail<ValueError>(
                "{}: the array {} is given twice, in order and by name; it is called as {}",
                def.name, p.name, def.signature);
        if (written->second.is_none() && p.fallback) continue;
        if (arrays.size() <= slot) arrays.resize(slot + 1);
        arrays[slot] = array_from(def, p.name, written->second, given);
    }
}

}  // namespace

Variable array_from(const FunctionDef& def, std::string_view parameter, const LiteralValue& value,
                    std::span<const Variable> beside) {
    NumberList list;
    if (!list.add(value, 0))
        fail<ValueError>(
            "{}: {} is an array: a number, lists of numbers, or a file in its place are right, not "
            "{}",
            def.name, parameter, to_string(value));
    Dtype dtype = Dtype::float32;
    const auto found = std::find_if(beside.begin(), beside.end(), [](const Variable& x) {
        return x.defined() && is_float(x.dtype());
    });
    if (found != beside.end()) dtype = found->dtype();
    return Variable(Array::from(list.numbers, list.shape).astype(dtype), false);
}

Variables call_function(std::string_view name, std::vector<Variable> arrays, NamedValues values) {
    const FunctionDef& def = find_function(name);
    check_names(def, values);
    if (!def.takes_list) add_named_arrays(def, values, arrays);
    std::vector<const LiteralValue*> places(def.value_count);
    for (const FunctionParameter& p : def.parameters)
        if (const auto given = values.find(p.name); p.is_value() && given != values.end())
            places[size_t(p.slot)] = &given->second;
    return call_function(def, arrays, places, SourceLoc()).list;
}

}  // namespace catena
