#include <algorithm>
#include <utility>

#include "runtime/core/system/error.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

/// The numbers of nested lists in order, True as 1, and the sizes of the lists.
struct NumberList {
    std::vector<double> numbers;
    std::vector<int64_t> integers;  ///< The numbers that are written as integers, and bools.
    size_t bools = 0;
    Shape shape;

    /// False when it is no number or list of numbers, or one list is longer than its neighbour.
    bool add(const LiteralValue& v, int depth) {
        if (const bool* b = std::get_if<bool>(&v.value)) {
            ++bools;
            integers.push_back(*b);
            return add(double(*b), depth);
        }
        if (const int64_t* i = std::get_if<int64_t>(&v.value)) {
            integers.push_back(*i);
            return add(double(*i), depth);
        }
        if (const double* d = std::get_if<double>(&v.value)) return add(*d, depth);
        const auto list = v.items();
        if (!list || depth == max_rank || !has_size(depth, int64_t(list->size()))) return false;
        return std::all_of(list->begin(), list->end(),
                           [&](const LiteralValue& each) { return add(each, depth + 1); });
    }
    bool is_of_integers() const { return integers.size() == numbers.size() && !numbers.empty(); }
    bool is_of_bools() const { return bools == numbers.size() && !numbers.empty(); }

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

/// The dtype of numbers beside arrays, as operators have it: floats of them decide, integers beside
/// integers alone are such, and bools take the dtype of what is beside them.
Dtype dtype_beside(std::span<const Variable> arrays, const NumberList& list) {
    std::optional<Dtype> integers;
    for (const Variable& x : arrays) {
        if (!x.defined()) continue;
        if (is_float(x.dtype())) return x.dtype();
        const Dtype lifted =
            x.dtype() == Dtype::bool_ && !list.is_of_bools() ? Dtype::int32 : x.dtype();
        integers = integers ? promote(*integers, lifted) : lifted;
    }
    if (!list.is_of_integers()) return Dtype::float32;
    return integers.value_or(list.is_of_bools() ? Dtype::bool_ : Dtype::float32);
}

bool is_in_range(int64_t number, Dtype dtype) {
    return visit_dtype(dtype, [&]<class T>(T) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            return std::in_range<T>(number);
        return true;
    });
}

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
    const Dtype dtype = dtype_beside(beside, list);
    if (is_float(dtype))
        return Variable(Array::from(list.numbers, list.shape).astype(dtype), false);
    for (int64_t number : list.integers)
        if (!is_in_range(number, dtype))
            fail<ValueError>("{}: {} has {}, which is no {} as the arrays beside it are", def.name,
                             parameter, number, name_of(dtype));
    return Variable(Array::from(list.integers, list.shape).astype(dtype), false);
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
