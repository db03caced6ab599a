#include "frontend/python/bind/region_arrays.h"

#include "frontend/python/bind/foreign_object.h"
#include "frontend/python/bind/ndarray.h"
#include "runtime/core/access.h"
#include "runtime/graph/recorder.h"

namespace catena::python {
namespace {

constinit thread_local RegionArrays* running = nullptr;

/// Storages that ndarrays show, and how many do. Guarded by the interpreter's lock.
std::unordered_map<const Storage*, size_t>& shared_storages() {
    static auto& storages = *new std::unordered_map<const Storage*, size_t>;
    return storages;
}

}  // namespace

RegionArrays::RegionArrays(bool skips) : previous_(running), skips_(skips) {
    if (!running) running = this;
}

RegionArrays::~RegionArrays() { running = previous_; }

/// Where calls skip the code, an ndarray among the arguments is its elements: a copy. It is copied
/// again when NumPy has changed it since.
Array RegionArrays::content(Known& known) {
    const RecorderScope unseen(nullptr);
    if (known.array.defined() && has_elements_of(known.ndarray.ptr(), known.array))
        return known.array;
    return known.array = copied_array_of(known.ndarray.ptr());
}

Array RegionArrays::of(PyObject* ndarray) {
    Known& known = known_.try_emplace(ndarray, Known{nb::borrow(ndarray), Array()}).first->second;
    if (skips_) {
        const bool is_new = !known.array.defined();
        const ArrayBody* const before = known.array.body();
        const Array array = content(known);
        if (Recorder* recorder = current_recorder(); recorder && !is_new && array.body() != before)
            recorder->needs_code("it changes an ndarray that it reads");
        return array;
    }
    if (!known.array.defined()) known.array = array_of(ndarray);
    reads(known.array);
    return known.array;
}

void RegionArrays::reads(const Array& array) {
    const Ref<Storage>& storage = array.storage();
    if (!storage->is_exposed.load(std::memory_order_relaxed)) return;
    AccessObserver* const observer = access_observer();
    if (!observer || !is_shared(array)) return;
    if (noticed_.try_emplace(storage.get(), storage).second) observer->addressed(*array.body());
}

Array argument_array(PyObject* ndarray) {
    return running ? running->of(ndarray) : array_of(ndarray);
}

Array region_array(PyObject* ndarray) {
    if (!running) return array_of(ndarray);
    Recorder* const recorder = current_recorder();
    return recorder && recorder->defers() ? running->of(ndarray) : array_of(ndarray);
}

void region_reads(const Variable& variable) {
    if (!running || !variable.defined()) return;
    const Array& array = variable.array();
    if (array.defined() && !array.body()->pending) running->reads(array);
}

void begin_sharing(const Storage* storage) { ++shared_storages()[storage]; }

void end_sharing(const Storage* storage) noexcept {
    const auto found = shared_storages().find(storage);
    if (found != shared_storages().end() && --found->second == 0) shared_storages().erase(found);
}

bool is_shared(const Array& array) {
    if (!array.device().is_host()) return false;
    return object_behind(array) || (!shared_storages().empty() &&
                                    shared_storages().contains(array.storage().get()));
}

}  // namespace catena::python
