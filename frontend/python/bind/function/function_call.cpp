#include <algorithm>
#include <array>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/literal.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/convert/region_arrays.h"
#include "frontend/python/bind/function/function_object.h"
#include "frontend/python/bind/function/symbol.h"
#include "runtime/core/memory/small_vector.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/indexing/read_slices.h"

// One call of a function of the registry from Python: which argument goes where, what it is, and
// the results.

namespace catena::python {
namespace {

constexpr size_t most_parameters = 32;

/// What each parameter was given, in the order of the signature; null: nothing. What "*xs" takes
/// lies in the arguments by position.
struct Given {
    std::array<PyObject*, most_parameters> of = {};
    PyObject* const* rest = nullptr;
    size_t rest_count = 0;
};

template <class... Parts>
[[noreturn]] void type_error(fmt::format_string<Parts...> format, Parts&&... parts) {
    throw nb::type_error(fmt::format(format, std::forward<Parts>(parts)...).c_str());
}

size_t most_by_position(const FunctionDef& def) {
    size_t count = 0;
    while (count < def.parameters.size() && !def.parameters[count].is_keyword_only) ++count;
    return count;
}

void take_positions(const FunctionDef& def, PyObject* const* arguments, size_t count,
                    Given& given) {
    const size_t most = most_by_position(def);
    size_t i = 0;
    for (; i < count && i < most; ++i) {
        if (def.parameters[i].is_variadic) {
            given.rest = arguments + i;
            given.rest_count = count - i;
            return;
        }
        given.of[i] = arguments[i];
    }
    if (i < count)
        type_error("{}() takes {} positional argument{}, {} were given: {}", def.name, most,
                   most == 1 ? "" : "s", count, def.signature);
}

size_t parameter_of(const FunctionObject& function, PyObject* keyword) {
    const Py_ssize_t count = PyTuple_GET_SIZE(function.names);
    for (Py_ssize_t i = 0; i < count; ++i)
        if (PyTuple_GET_ITEM(function.names, i) == keyword) return size_t(i);
    for (Py_ssize_t i = 0; i < count; ++i)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(function.names, i), keyword) == 0) return size_t(i);
    type_error("{}() got an unexpected keyword argument '{}': {}", function.def->name,
               to_string(keyword), function.def->signature);
}

void take_keywords(const FunctionObject& function, PyObject* const* values, PyObject* keywords,
                   Given& given) {
    if (!keywords) return;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
        const size_t place = parameter_of(function, PyTuple_GET_ITEM(keywords, i));
        if (given.of[place])
            type_error("{}() got multiple values for argument '{}'", function.def->name,
                       function.def->parameters[place].name);
        given.of[place] = values[i];
    }
}

using Variables4 = SmallVector<Variable, 8>;

/// A list of what `is_leaf` is true of, or of such lists.
template <class F>
bool is_list_of(PyObject* object, F is_leaf, int depth = 0) {
    if (depth >= deepest_nesting || (!PyList_Check(object) && !PyTuple_Check(object))) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
        if (!is_leaf(item) && !is_list_of(item, is_leaf, depth + 1)) return false;
    }
    return PySequence_Fast_GET_SIZE(object) > 0;
}

bool is_bool_list(PyObject* object) {
    return is_list_of(object, [](PyObject* item) -> bool { return PyBool_Check(item); });
}
bool is_integer_list(PyObject* object) {
    return is_list_of(
        object, [](PyObject* item) -> bool { return PyLong_Check(item) && !PyBool_Check(item); });
}

/// What lists of integers become. A function that takes floats is not to get them as integers, and
/// one of labels or indices does not take floats.
enum class IntegerLists : bool { like_arrays_beside, integers };

/// Numbers and lists of them are arrays of the dtype of the arrays beside them.
Variable as_array(const FunctionDef& def, const FunctionParameter& parameter, PyObject* object,
                  std::span<const Variable> beside, IntegerLists lists) {
    if (is_variable(object)) return variable_in(object);
    if (is_ndarray(object)) return Variable(region_array(object), false);
    if (is_bool_list(object)) return Variable(array_from(object, Dtype::bool_), false);
    if (lists == IntegerLists::integers && is_integer_list(object))
        return Variable(array_from(object, Dtype::int64), false);
    if (PyList_Check(object) || PyTuple_Check(object) || to_scalar(object))
        return array_from(def, parameter.name,
                          to_literal(object, def.name.c_str(), parameter.name.c_str()), beside);
    return to_variable(object, def.name.c_str(), parameter.name.c_str());
}

/// An array in the place of a list is the list of its rows, as it is for NumPy.
void append_rows(const FunctionDef& def, const FunctionParameter& parameter, const Variable& x,
                 Variables4& arrays) {
    if (x.rank() == 0)
        type_error("{}(): {} takes a list of arrays, not a single element", def.name,
                   parameter.name);
    for (int64_t i = 0; i < x.shape()[0]; ++i) {
        const Index index{i};
        arrays.push_back(get_item(x, std::span<const Index>(&index, 1)));
    }
}

/// Recurrent layers take several lists, each of lists; for other functions a list in a list is one
/// array, as for NumPy.
bool takes_lists_of_lists(const FunctionDef& def) {
    return std::ranges::count(def.parameters, FunctionParameter::Kind::arrays,
                              &FunctionParameter::kind) > 1;
}

/// A list of arrays, or lists of them one after the other.
void append_list(const FunctionDef& def, const FunctionParameter& parameter, PyObject* object,
                 Variables4& arrays, int depth = 0) {
    const char *const function = def.name.c_str(), *const argument = parameter.name.c_str();
    if (is_variable(object) || is_ndarray(object))
        return append_rows(def, parameter, to_variable(object, function, argument), arrays);
    if (!PySequence_Check(object) || depth >= deepest_nesting)
        type_error("{}(): {} takes a list of arrays, not {}", def.name, parameter.name,
                   depth ? "a list in a list in a list ..." : Py_TYPE(object)->tp_name);
    const nb::object items = nb::steal(PySequence_Fast(object, "a list of arrays"));
    if (!items.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) {
        // Reading it may run code that changes the list.
        const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(items.ptr(), i));
        if (!PyList_Check(item.ptr()) && !PyTuple_Check(item.ptr()))
            arrays.push_back(to_variable(item.ptr(), function, argument));
        else if (takes_lists_of_lists(def))
            append_list(def, parameter, item.ptr(), arrays, depth + 1);
        else
            arrays.push_back(
                as_array(def, parameter, item.ptr(), {}, IntegerLists::like_arrays_beside));
    }
}

void collect_list(const FunctionDef& def, const Given& given, Variables4& arrays) {
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        const FunctionParameter& parameter = def.parameters[i];
        if (parameter.is_variadic) {
            for (size_t k = 0; k < given.rest_count; ++k)
                arrays.push_back(
                    to_variable(given.rest[k], def.name.c_str(), parameter.name.c_str()));
        } else if (!parameter.is_value() && given.of[i]) {
            if (given.of[i] == Py_None)
                arrays.push_back({});
            else if (parameter.kind == FunctionParameter::Kind::array)
                arrays.push_back(
                    as_array(def, parameter, given.of[i], {}, IntegerLists::like_arrays_beside));
            else
                append_list(def, parameter, given.of[i], arrays);
        } else if (!parameter.is_value() && !parameter.fallback) {
            type_error("{}() misses its argument '{}': {}", def.name, parameter.name,
                       def.signature);
        }
    }
}

void collect_arrays(const FunctionDef& def, const Given& given, Variables4& arrays,
                    IntegerLists lists) {
    arrays.resize(def.array_count);
    // Those that have a dtype first: numbers take theirs.
    for (const bool of_numbers : {false, true})
        for (size_t i = 0; i < def.parameters.size(); ++i) {
            const FunctionParameter& parameter = def.parameters[i];
            PyObject* const object = given.of[i];
            if (parameter.is_value() || !object || object == Py_None) continue;
            const bool has_dtype = is_variable(object) || is_ndarray(object);
            if (has_dtype != of_numbers)
                arrays[size_t(parameter.slot)] =
                    as_array(def, parameter, object,
                             std::span<const Variable>(arrays.begin(), arrays.size()), lists);
        }
}

void check_given(const FunctionDef& def, const Given& given) {
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        const FunctionParameter& parameter = def.parameters[i];
        if (!given.of[i] && !parameter.fallback && !parameter.is_variadic)
            type_error("{}() misses its argument '{}': {}", def.name, parameter.name,
                       def.signature);
    }
}

bool is_long(const Variables4& arrays) {
    for (const Variable& x : arrays)
        if (x.defined() && x.array().defined() && x.size() >= long_work) return true;
    return false;
}

PyObject* list_of(std::span<Variable> variables) {
    nb::object list = nb::steal(PyList_New(Py_ssize_t(variables.size())));
    if (!list.is_valid()) throw nb::python_error();
    for (size_t i = 0; i < variables.size(); ++i)
        PyList_SET_ITEM(list.ptr(), Py_ssize_t(i), new_variable(std::move(variables[i])));
    return list.release().ptr();
}

PyObject* results_of(FunctionResults results) {
    if (results.is_alone) return new_variable(std::move(results.list[0]));
    const size_t count = results.list.size(),
                 alone = results.list_from < 0 ? count : size_t(results.list_from);
    const bool ends_in_list = results.list_from >= 0;
    nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(alone + ends_in_list)));
    if (!tuple.is_valid()) throw nb::python_error();
    for (size_t i = 0; i < alone; ++i)
        PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i), new_variable(std::move(results.list[i])));
    if (ends_in_list)
        PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(alone),
                         list_of(std::span<Variable>(results.list.begin() + alone, count - alone)));
    return tuple.release().ptr();
}

/// The values that were given, and where: as call_function() takes them.
struct Values {
    SmallVector<LiteralValue, 4> held;
    std::array<const LiteralValue*, most_parameters> of = {};

    void collect(const FunctionDef& def, const Given& given) {
        if (!def.value_count) return;
        held.reserve(def.value_count);  // Pointers to it stay.
        for (size_t i = 0; i < def.parameters.size(); ++i) {
            const FunctionParameter& parameter = def.parameters[i];
            if (!parameter.is_value() || !given.of[i]) continue;
            const auto read = parameter.name == index_parameter ? to_index_literal : to_literal;
            held.push_back(read(given.of[i], def.name.c_str(), parameter.name.c_str()));
            of[size_t(parameter.slot)] = &held.back();
        }
    }
};

PyObject* call_with(const FunctionDef& def, const Given& given, IntegerLists lists) {
    Variables4 arrays;
    if (def.takes_list)
        collect_list(def, given, arrays);
    else
        collect_arrays(def, given, arrays, lists);
    check_given(def, given);
    Values values;
    values.collect(def, given);
    const std::span<const Variable> listed(arrays.begin(), arrays.size());
    const std::span<const LiteralValue* const> literals(values.of.data(), def.value_count);
    std::optional<OthersMayRun> others_may_run;
    if (computes_now() && is_long(arrays)) others_may_run.emplace();
    if (def.gives == FunctionDef::Gives::one) {
        Variable result = call_for_one(def, listed, literals, SourceLoc());
        others_may_run.reset();
        return new_variable(std::move(result));
    }
    FunctionResults results = call_function(def, listed, literals, SourceLoc());
    others_may_run.reset();
    return results_of(std::move(results));
}

bool has_integer_list(const FunctionDef& def, const Given& given) {
    if (def.takes_list) return false;
    for (size_t i = 0; i < def.parameters.size(); ++i)
        if (!def.parameters[i].is_value() && given.of[i] && is_integer_list(given.of[i]))
            return true;
    return false;
}

/// Calls a function; where it refuses lists of integers as floats it gets them as integers.
PyObject* call(const FunctionObject& function, const Given& given) {
    const FunctionDef& def = *function.def;
    try {
        return call_with(def, given, IntegerLists::like_arrays_beside);
    } catch (const DtypeError&) {
        if (!has_integer_list(def, given)) throw;
        const std::exception_ptr of_floats = std::current_exception();
        try {
            return call_with(def, given, IntegerLists::integers);
        } catch (const DtypeError&) {
            std::rethrow_exception(of_floats);
        }
    }
}

}  // namespace

PyObject* call_function_object(PyObject* self, PyObject* const* arguments, size_t count,
                               PyObject* keywords) {
    return guarded([&] {
        const auto& function = *reinterpret_cast<const FunctionObject*>(self);
        const CallScope scope;
        const size_t by_position = size_t(PyVectorcall_NARGS(count));
        Given given;
        take_positions(*function.def, arguments, by_position, given);
        take_keywords(function, arguments + by_position, keywords, given);
        const size_t by_name = keywords ? size_t(PyTuple_GET_SIZE(keywords)) : 0;
        if (has_symbol(arguments, by_position + by_name)) [[unlikely]]
            return call_on_symbols(*function.def, given.of.data());
        return call(function, given);
    });
}

}  // namespace catena::python
