#include "frontend/python/bind/region/region_call.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/nested_values.h"
#include "frontend/python/bind/convert/region_arrays.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"

// A region's core sees one argument, of type PythonArguments, and one result, of type PythonResult.

namespace catena::python {
namespace {

/// A result, and the place for one. Those that the core keeps for itself are `kept`.
struct PythonResult {
    nb::object object;
    PythonRegion* region = nullptr;
    std::shared_ptr<KeptObject> kept;
    bool is_emptied = false;
};

/// Whether calls run as plain Python: inside another region, or switched off.
bool runs_eagerly() { return current_recorder() || !config().use_static_graph; }

void take_lock(const PythonArguments& arguments) {
    if (arguments.released) PyEval_RestoreThread(std::exchange(arguments.released, nullptr));
}

/// A call that may skip the code lets other threads run from here on.
void list_arguments(const void* value, Flat& flat) {
    const auto& arguments = *static_cast<const PythonArguments*>(value);
    if (arguments.is_eager) return;
    const bool signs = arguments.region->may_skip_code();
    for (size_t i = 0; i < arguments.count; ++i) list_argument(arguments.list[i], signs, flat);
    if (!signs) return;
    flat.constant(arguments.by_position);
    if (arguments.keywords) list_argument(arguments.keywords, true, flat);
    arguments.released = PyEval_SaveThread();
}

nb::object as_tuple(const PythonArguments& arguments) {
    nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(arguments.count)));
    if (!tuple.is_valid()) throw nb::python_error();
    for (size_t i = 0; i < arguments.count; ++i)
        PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i), Py_NewRef(arguments.list[i]));
    return tuple;
}

PyObject* kept_list(const PythonArguments& arguments) {
    return PyTuple_GET_ITEM(arguments.kept->object.ptr(), 0);
}

void keep_list(PythonArguments& arguments, nb::object list) {
    nb::object keywords =
        arguments.keywords ? nb::borrow(arguments.keywords) : nb::object(nb::none());
    arguments.list = PySequence_Fast_ITEMS(list.ptr());
    arguments.kept = arguments.region->keep(nb::make_tuple(std::move(list), std::move(keywords)));
    arguments.region->drop_unused();  // What it had before.
}

void* copy_arguments(const void* value) {
    const nb::gil_scoped_acquire lock;
    auto copy = std::make_unique<PythonArguments>(*static_cast<const PythonArguments*>(value));
    copy->released = nullptr;
    copy->is_eager = false;
    if (!copy->kept) keep_list(*copy, as_tuple(*copy));
    return copy.release();
}

/// The core empties a copy, and later fills copies of that one.
void fill_arguments(void* value, FillVariables& variables) {
    const nb::gil_scoped_acquire lock;
    auto& arguments = *static_cast<PythonArguments*>(value);
    PyObject* const list = kept_list(arguments);
    keep_list(arguments,
              nb::steal(arguments.is_emptied ? filled(list, variables) : empty_argument(list)));
    arguments.is_emptied = !std::exchange(arguments.is_emptied, true);
}

void destroy_arguments(void* value) { delete static_cast<PythonArguments*>(value); }

void list_results(const void* value, Flat& flat) {
    list_result(static_cast<const PythonResult*>(value)->object.ptr(), flat);
}

void* copy_result(const void* value) {
    const nb::gil_scoped_acquire lock;
    const auto& result = *static_cast<const PythonResult*>(value);
    auto copy = std::make_unique<PythonResult>();
    copy->region = result.region;
    copy->kept = result.region->keep(result.object);
    return copy.release();
}

void* copy_result_into(void* place, const void* value) {
    const nb::gil_scoped_acquire lock;
    auto& result = *static_cast<PythonResult*>(place);
    result.object = static_cast<const PythonResult*>(value)->kept->object;
    result.is_emptied = true;
    return place;
}

void fill_result(void* value, FillVariables& variables) {
    const nb::gil_scoped_acquire lock;
    auto& result = *static_cast<PythonResult*>(value);
    if (result.is_emptied) {
        result.object = nb::steal(filled(result.object.ptr(), variables));
    } else {
        result.kept = result.region->keep(nb::steal(empty_result(result.kept->object.ptr())));
        result.region->drop_unused();
        result.is_emptied = true;
    }
}

void destroy_result(void* value) { delete static_cast<PythonResult*>(value); }

void* run_function(void* callable, void* const* list, void* place, Flat& outputs) {
    const auto& arguments = *static_cast<const PythonArguments*>(list[0]);
    take_lock(arguments);
    nb::object result =
        nb::steal(PyObject_Vectorcall(static_cast<PyObject*>(callable), arguments.list,
                                      arguments.by_position, arguments.keywords));
    if (!result.is_valid()) throw nb::python_error();
    if (!arguments.is_eager && current_recorder()) {
        list_result(result.ptr(), outputs);
        say_what_was_made();
    }
    if (!place) return nullptr;
    static_cast<PythonResult*>(place)->object = std::move(result);
    return place;
}

constexpr ValueType arguments_type = {list_arguments, copy_arguments, fill_arguments,
                                      destroy_arguments};
constexpr ValueType value_of_result = {list_results, copy_result, fill_result, destroy_result};
constexpr ResultType result_type = {&value_of_result, copy_result_into};
constexpr const ValueType* argument_types[] = {&arguments_type};
constexpr RegionCall region_call = {run_function, argument_types, 1, &result_type};

}  // namespace

KeptObject::~KeptObject() {
    if (object.is_valid()) release_reference(object.release().ptr());
}

PythonRegion::PythonRegion(StaticGraphOptions options, const SourceLoc& at)
    : StaticRegion(options, at), may_skip_code_(options.audit != Audit::always) {}

nb::object PythonRegion::call(PyObject* function, PyObject* const* list, size_t count,
                              PyObject* keywords) {
    const size_t named = keywords ? size_t(PyTuple_GET_SIZE(keywords)) : 0;
    PythonArguments arguments{.list = list,
                              .by_position = count,
                              .count = count + named,
                              .keywords = keywords,
                              .region = this,
                              .is_eager = runs_eagerly()};
    std::optional<RegionArrays> arrays;
    if (!arguments.is_eager) arrays.emplace();
    struct WithLock {
        const PythonArguments& arguments;
        ~WithLock() { take_lock(arguments); }
    };
    PythonResult result{.region = this};
    void* const addresses[] = {&arguments};
    const WithLock at_end{arguments};
    StaticRegion::call(region_call, function, addresses, &result);
    take_lock(arguments);
    return std::move(result.object);
}

void PythonRegion::save(const std::string& path, const PackageOptions& options,
                        PyObject* function) {
    StaticRegion::save(path, options, function);
    drop_unused();
}

std::shared_ptr<KeptObject> PythonRegion::keep(nb::object object) {
    return kept_.emplace_back(std::make_shared<KeptObject>(std::move(object)));
}

void PythonRegion::drop_unused() {
    // Dropped last, because that may run code which comes here again.
    std::vector<std::shared_ptr<KeptObject>> unused;
    for (auto& kept : kept_)
        if (kept.use_count() == 1) unused.push_back(std::move(kept));
    std::erase(kept_, nullptr);
}

int PythonRegion::traverse(visitproc visit, void* argument) {
    for (const auto& kept : kept_)
        if (PyObject* const object = kept->object.ptr())
            if (const int found = visit(object, argument)) return found;
    return 0;
}

void PythonRegion::drop_kept() {
    for (const auto& kept : std::vector(kept_)) const nb::object dropped = std::move(kept->object);
}

}  // namespace catena::python
