#pragma once

#include <unordered_map>

#include "frontend/python/bind/types.h"
#include "runtime/core/array.h"

// Memory that NumPy and Catena share, in a static region. Its operations are computed later than
// they are called, and NumPy may write in between without anybody noticing: so they are given what
// was there when they were called.

namespace catena::python {

/// What the running call of a region has been given by NumPy. One for each thread's outermost
/// call; inner ones belong to it.
class RegionArrays {
public:
    /// `skips`: calls may skip the code, so arguments must be recognised by their arrays.
    explicit RegionArrays(bool skips);
    ~RegionArrays();
    RegionArrays(const RegionArrays&) = delete;

    /// The Array of an ndarray: the same one at each use, as long as NumPy changes no element.
    Array of(PyObject* ndarray);
    /// An operation of the region is going to read this array.
    void reads(const Array& array);

private:
    struct Known {
        nb::object ndarray;  ///< Kept: another one at its place would be taken for it.
        Array array;
    };
    Array content(Known& known);

    RegionArrays* const previous_;
    const bool skips_;
    std::unordered_map<PyObject*, Known> known_;
    std::unordered_map<const Storage*, Ref<Storage>> noticed_;
};

/// The Array of an ndarray among the arguments of the call that begins.
Array argument_array(PyObject* ndarray);
/// The Array that an operation is to read for this ndarray: array_of() outside of regions.
Array region_array(PyObject* ndarray);
/// To be called for the Variables that operations are given.
void region_reads(const Variable& variable);

/// From now on, and until it is given back as often, an ndarray may show and write this memory.
void begin_sharing(const Storage* storage);
void end_sharing(const Storage* storage) noexcept;
bool is_shared(const Array& array);

}  // namespace catena::python
