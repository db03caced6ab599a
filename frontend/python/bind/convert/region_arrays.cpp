#include "frontend/python/bind/convert/region_arrays.h"

#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "runtime/graph/call/recorder.h"

namespace catena::python {
namespace {

constinit thread_local RegionArrays* running = nullptr;

}  // namespace

RegionArrays::RegionArrays() : previous_(running) {
    if (!running) running = this;
}

RegionArrays::~RegionArrays() { running = previous_; }

Array RegionArrays::of(PyObject* ndarray) {
    Recorder* const recorder = current_recorder();
    const RecorderScope unseen(nullptr);
    const auto [found, is_new] = known_.try_emplace(ndarray);
    Known& known = found->second;
    if (is_new) {
        known.is_argument = !recorder;
    } else {
        const bool is_copy = known.ndarray.is_valid();
        if (is_copy ? has_elements_of(ndarray, known.array) : shows(known.array, ndarray))
            return known.array;
        if (recorder) recorder->needs_code("it changes an ndarray that it reads");
    }
    known.array = array_of(ndarray);
    const bool holds_it = object_behind(known.array) == ndarray;
    known.ndarray = holds_it ? nb::object() : nb::borrow(ndarray);
    return known.array;
}

void RegionArrays::say_what_was_made() const {
    Recorder* const recorder = current_recorder();
    if (!recorder) return;
    for (const auto& [ndarray, known] : known_)
        if (!known.is_argument && Py_REFCNT(ndarray) == 1)
            return recorder->needs_code(
                "an operation reads an ndarray that NumPy made in the call");
}

void say_what_was_made() {
    if (running) running->say_what_was_made();
}

Array argument_array(PyObject* ndarray) {
    return running ? running->of(ndarray) : array_of(ndarray);
}

Array region_array(PyObject* ndarray) {
    if (!running) return array_of(ndarray);
    Recorder* const recorder = current_recorder();
    return recorder && recorder->defers() ? running->of(ndarray) : array_of(ndarray);
}

}  // namespace catena::python
