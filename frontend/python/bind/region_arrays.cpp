#include "frontend/python/bind/region_arrays.h"

#include "frontend/python/bind/ndarray.h"
#include "runtime/graph/recorder.h"

namespace catena::python {
namespace {

constinit thread_local RegionArrays* running = nullptr;

}  // namespace

RegionArrays::RegionArrays(bool skips) : previous_(running), skips_(skips) {
    if (!running) running = this;
}

RegionArrays::~RegionArrays() { running = previous_; }

Array RegionArrays::copy(Known& known) {
    Recorder* const recorder = current_recorder();
    const RecorderScope unseen(nullptr);
    if (known.array.defined()) {
        if (has_elements_of(known.ndarray.ptr(), known.array)) return known.array;
        if (recorder) recorder->needs_code("it changes an ndarray that it reads");
    }
    return known.array = copied_array_of(known.ndarray.ptr());
}

Array RegionArrays::of(PyObject* ndarray) {
    Known& known = known_.try_emplace(ndarray, Known{nb::borrow(ndarray), Array()}).first->second;
    if (skips_) return copy(known);
    if (!known.array.defined() || !shows_memory_of(known.array, ndarray))
        known.array = array_of(ndarray);
    return known.array;
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
